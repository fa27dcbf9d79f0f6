"""Progress bars on standard error for long work; pipes, files and --quiet have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

from referee.cli import has_terminal

T = TypeVar("T")
# The bar is drawn a few times a second anyway; telling it of every item would only cost time.
_STEP = 500


_shown = False


@contextmanager
def _open_bar(*columns: Any) -> Iterator[Any]:
    """Yield a progress bar, which appears only on a terminal and not inside another bar."""
    from rich.console import Console
    from rich.progress import Progress

    global _shown
    hidden = _shown or not has_terminal()
    # Standard output belongs to results; `disable` keeps files and pipes free of control characters.
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=hidden) as bar:
        _shown = _shown or not hidden
        try:
            yield bar
        finally:
            _shown = _shown and hidden


def show_progress(items: Iterable[T], label: str, /) -> Iterable[T]:
    """Yield the items while a counter or, if their number is known, a progress bar advances."""
    return _show_counter(items, label) if has_terminal() else items


def _show_counter(items: Iterable[T], label: str) -> Iterator[T]:
    """Yield items with a progress bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    total = len(items) if isinstance(items, Sized) else None
    clock = (TimeElapsedColumn(),) if total is None else (BarColumn(), TimeElapsedColumn(), Remaining())
    with _open_bar(SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), *clock) as bar:
        task = bar.add_task(label, total=total)
        for i, item in enumerate(items, 1):
            if total is not None or i % _STEP == 0:
                bar.update(task, completed=i - (total is not None))
            yield item


@contextmanager
def show_clock(label: str) -> Iterator[None]:
    """Show a clock during a block of work, and a bar for those of its parts whose length is known."""
    if not has_terminal():
        yield
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from referee.jobs.progress import set_progress_callback

    columns = (TextColumn("{task.fields[count]}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with _open_bar(SpinnerColumn(), TextColumn("{task.description}"), *columns) as bar:
        task = bar.add_task(label, total=None, count="")
        within = False

        def show(pieces: Iterable[T], part: str, /) -> Iterator[T]:
            """Yield the pieces and show their number on the bar; pieces within pieces are not shown."""
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

        with set_progress_callback(show):
            yield


@contextmanager
def show_download(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function to call with the bytes received so far and the bytes expected."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

    with _open_bar(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def show_steps(label: str, cost: bool = False) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """Yield a function that takes the number of steps and returns one to call with each number of steps done.

    `cost` also shows the rate and the cost of model calls.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn

    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    if cost:
        columns.append(TextColumn("{task.fields[spent]}"))
    with _open_bar(*columns, TimeRemainingColumn()) as bar:
        task = bar.add_task(label, total=None, spent="")

        def advance(n: int) -> None:
            """Advance the bar by `n` items, and update the speed."""
            bar.advance(task, n)
            if cost:
                bar.update(task, spent=_format_speed(bar.tasks[0].speed))

        def begin(total: int) -> Callable[[int], None]:
            bar.update(task, total=total)
            return advance

        yield begin


def _format_speed(speed: float | None) -> str:
    """Return the speed as text, and the cost of model answers in this process, if there is any."""
    from referee.models.cost import PROCESS_COST as spent

    rate = f"{speed:.3g}/s" if speed else ""
    paid = f"{spent.tokens:,} tokens" + (f", cost {spent.cost:.4f}" if spent.cost else "") if spent.calls else ""
    return "  ".join(filter(None, (rate, paid)))
