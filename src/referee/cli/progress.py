"""A progress bar on standard error for work that takes a while; pipes and files see nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["advancing", "counting", "fetching"]

T = TypeVar("T")
# The bar is drawn a few times a second anyway; telling it of every item would only cost time.
_STEP = 500


def counting(items: Iterable[T], label: str) -> Iterator[T]:
    """The items themselves, while a counter runs."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # Standard output belongs to results; `disable` keeps files and pipes free of control characters.
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        for i, item in enumerate(items, 1):
            if i % _STEP == 0:
                bar.update(task, completed=i)
            yield item


@contextmanager
def fetching(label: str) -> Iterator[Callable[[int, int | None], None]]:
    """A function to call with the bytes that have come and those expected."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def advancing(label: str, spending: bool = False) -> Iterator[Callable[[int], Callable[[int], None]]]:
    """A function that takes the number of things to do and gives back one to call as they are done; `spending` also shows the rate and what models cost."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns: list[ProgressColumn] = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    if spending:
        columns.append(TextColumn("{task.fields[spent]}"))
    columns.append(TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None, spent="")

        def advance(n: int) -> None:
            bar.advance(task, n)
            if spending:
                bar.update(task, spent=_spent(bar.tasks[0].speed))

        def begin(total: int) -> Callable[[int], None]:
            bar.update(task, total=total)
            return advance

        yield begin


def _spent(speed: float | None) -> str:
    """Things a second, and what this process has paid for answers of models, if it has."""
    from referee.llm.spending import SPENT_HERE as spent

    rate = f"{speed:.3g}/s" if speed else ""
    paid = f"{spent.tokens:,} tokens" + (f", cost {spent.cost:.4f}" if spent.cost else "") if spent.calls else ""
    return "  ".join(filter(None, (rate, paid)))
