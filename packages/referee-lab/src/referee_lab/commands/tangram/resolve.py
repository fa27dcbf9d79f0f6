"""`referee tangram resolve`: which piece does an expression mean?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from referee.cli.progress import show_progress
from referee.errors import InputError
from referee.options import command
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import (
    LearningSource,
    align_columns,
    format_number,
    open_dialogues,
    print_results,
)

if TYPE_CHECKING:
    from referee_lab.tangram.models.history import Situation


app = options.make_app()


EPILOG = options.examples(f"""
  referee tangram resolve --synthetic

  referee tangram resolve --recordings SESSIONS/ --by pair

  referee tangram resolve --train {options.PENTO_CV} --test SESSIONS/       does it generalise?

  referee tangram resolve --corpus {options.KTH}           twenty figures, games left out in turn
""")


@command(app, LearningSource, EPILOG)
def resolve(source: LearningSource) -> int:
    """Rank the pieces for every expression and count how often the one meant comes first.

    Pieces that are handled: the ranking machine of Iida, Kobayashi & Tokunaga (2010) with its 22 features, beside chance (one over the number of pieces)
    and the printed table. The twenty figures of kth-tangrams: history, words as classifiers and earlier wordings, beside chance and recency.
    """
    from referee_lab.tangram.models.history import list_situations

    learned: Sequence[Situation] = ()
    if source.is_transfer():
        names, sources = source.open_both()
        learned, situations = map(list_situations, sources)
        if not learned or not situations:
            raise InputError(
                f"{names[0 if not learned else 1]} has no reference to one object",
                remedy="`referee dialogue check` says why",
            )
        name = f"trained on {names[0]} ({len(learned)} references), tested on {names[1]}"
    else:
        name, dialogues = open_dialogues(source)
        situations = list_situations(dialogues)
        if source.corpus == options.KTH:
            return _print_figure_accuracies(name, situations, source)
    return _print_piece_accuracies(name, situations, learned, source)


def _print_piece_accuracies(
    name: str, situations: Sequence[Situation], learned: Sequence[Situation], settings: LearningSource
) -> int:
    """Print the accuracies of the resolvers over pieces."""
    from referee_lab.tangram.models.demonstratives import fold_places
    from referee_lab.tangram.models.resolution import FEATURE_SETS, PUBLISHED_ACCURACY, evaluate_resolvers

    accuracies = evaluate_resolvers(
        situations, folds=settings.folds, by=settings.by, seed=settings.seed, train=learned, watch=show_progress
    )
    # Averaged over references, for boards may differ in their number of pieces.
    chance = sum(1 / len(s.standings) for s in situations) / len(situations)
    rows = [{**asdict(a), "published": PUBLISHED_ACCURACY[a.model][a.features]} for a in accuracies]
    data = {"source": name, "synthetic": any(s.synthetic for s in situations), "chance": chance, "rows": rows}
    value = {(a.model, a.features): a for a in accuracies}
    table = [("accuracy (published)", "n", *FEATURE_SETS)]
    for model, printed in PUBLISHED_ACCURACY.items():
        n = str(value[model, "discourse"].n)
        table.append((model, n, *(f"{format_number(value[model, f].value)} ({printed[f]:.3f})" for f in FEATURE_SETS)))
    design = ""
    if not learned:
        folds = int(fold_places(situations, settings.folds, settings.by, settings.seed).max()) + 1
        design = f"{folds} folds by {settings.by}; "
    head = f"{name}: {len(situations)} references; {design}chance {chance:.3f}"
    source = "  published: Iida, Kobayashi & Tokunaga 2010, 2,035 references of 40 Japanese dialogues, tenfold"
    return print_results(settings.form, data, lambda: [head, "", *align_columns(table), "", source])


def _print_figure_accuracies(name: str, situations: Sequence[Situation], settings: LearningSource) -> int:
    """Print the accuracies of the resolvers over figures."""
    from referee_lab.tangram.models.figure_reference import resolve_figures

    accuracies = resolve_figures(situations, folds=settings.folds, seed=settings.seed, watch=show_progress)
    used = min(settings.folds, len({s.pair for s in situations}))
    table = [("source", "first place", "mean reciprocal rank")]
    table += [(r.source, format_number(r.top1), format_number(r.mrr)) for r in accuracies]
    head = f"{name}: {len(situations)} references among {len(situations[0].standings)} figures; cross-validated by game, {used} folds"
    data = {"source": name, "rows": [asdict(r) for r in accuracies]}
    return print_results(settings.form, data, lambda: [head, "", *align_columns(table)])
