"""Progress bars on standard error for long work; pipes, files and --quiet have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

from referee.cli import is_watched

T = TypeVar("T")
# The bar is drawn a few times a second anyway; telling it of every item would only cost time.
_STEP = 500


_shown = False


@contextmanager
def _bar(*columns: Any) -> Iterator[Any]:
    """Yield a progress bar; it is drawn only on a terminal, and not inside another bar."""
    from rich.console import Console
    from rich.progress import Progress

    global _shown
    hidden = _shown or not is_watched()
    # Standard output belongs to results; `disable` keeps files and pipes free of control characters.
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=hidden) as bar:
        _shown = _shown or not hidden
        try:
            yield bar
        finally:
            _shown = _shown and hidden


def counting(items: Iterable[T], label: str, /) -> Iterable[T]:
    """Yield the items while a counter runs; where their number is known, a bar shows the remaining time."""
    return _counted(items, label) if is_watched() else items


def _counted(items: Iterable[T], label: str) -> Iterator[T]:
    """Yield items with a progress bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    total = len(items) if isinstance(items, Sized) else None
    clock = (TimeElapsedColumn(),) if total is None else (BarColumn(), TimeElapsedColumn(), Remaining())
    with _bar(SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), *clock) as bar:
        task = bar.add_task(label, total=total)
        for i, item in enumerate(items, 1):
            if total is not None or i % _STEP == 0:
                bar.update(task, completed=i - (total is not None))
            yield item


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show a clock during a block of work, and a bar for its parts that have a known length."""
    if not is_watched():
        yield
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from referee.jobs.progress import showing_progress

    columns = (TextColumn("{task.fields[count]}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with _bar(SpinnerColumn(), TextColumn("{task.description}"), *columns) as bar:
        task = bar.add_task(label, total=None, count="")
        within = False

        def show(pieces: Iterable[T], part: str, /) -> Iterator[T]:
            nonlocal within
            # One bar: pieces within pieces are not drawn.
            if within or not isinstance(pieces, Sized):
                yield from pieces
                return
            within = True
            bar.reset(task, description=part, total=len(pieces))
            try:
                for done, piece in enumerate(pieces):
                    bar.update(task, completed=done, count=f"{done}/{len(pieces)}")
                    yield piece
            finally:
                within = False
                bar.reset(task, description=label, total=None, count="")

        with showing_progress(show):
            yield


@contextmanager
def fetching(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function to call with the bytes received and the bytes expected."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

    with _bar(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def advancing(label: str, cost: bool = False) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """Yield a function that takes the number of things to do and returns one to call as they are done.

    `cost` also shows the rate and the cost of model calls.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn

    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    if cost:
        columns.append(TextColumn("{task.fields[spent]}"))
    with _bar(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=None, spent="")

        def advance(n: int) -> None:
            bar.advance(task, n)
            if cost:
                bar.update(task, spent=_spent(bar.tasks[0].speed))

        def begin(total: int) -> Callable[[int], None]:
            bar.update(task, total=total)
            return advance

        yield begin


def _spent(speed: float | None) -> str:
    """Return things per second, and the cost of model answers in this process if there is any."""
    from referee.models.cost import PROCESS_COST as spent

    rate = f"{speed:.3g}/s" if speed else ""
    paid = f"{spent.tokens:,} tokens" + (f", cost {spent.cost:.4f}" if spent.cost else "") if spent.calls else ""
    return "  ".join(filter(None, (rate, paid)))
