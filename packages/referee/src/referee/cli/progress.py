"""A progress bar on standard error for work that takes a while, with the time that is left; pipes, files and --quiet see nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

from referee.cli import is_watched

__all__ = ["advancing", "counting", "fetching", "waiting"]

T = TypeVar("T")
# The bar is drawn a few times a second anyway; telling it of every item would only cost time.
_STEP = 500


_shown = False


@contextmanager
def _bar(*columns: Any) -> Iterator[Any]:
    """A bar where anybody can see it; within another one it is not drawn, for a terminal has room for one."""
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
    """The items themselves, while a counter runs; a bar with the time that is left where their number is known."""
    return _counted(items, label) if is_watched() else items


def _counted(items: Iterable[T], label: str) -> Iterator[T]:
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
    """A clock beside work, and a bar with the time that is left for those parts of it that say how many pieces they have (`watched`)."""
    if not is_watched():
        yield
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from referee.jobs.watching import looking_on

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

        with looking_on(show):
            yield


@contextmanager
def fetching(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function to call with the bytes that have come and those expected."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

    with _bar(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def advancing(label: str, cost: bool = False) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A function that takes the number of things to do and gives back one to call as they are done; `cost` also shows the rate and what models cost."""
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
    """Things a second, and what this process has paid for answers of models, if it has."""
    from referee.models.cost import PROCESS_COST as spent

    rate = f"{speed:.3g}/s" if speed else ""
    paid = f"{spent.tokens:,} tokens" + (f", cost {spent.cost:.4f}" if spent.cost else "") if spent.calls else ""
    return "  ".join(filter(None, (rate, paid)))
