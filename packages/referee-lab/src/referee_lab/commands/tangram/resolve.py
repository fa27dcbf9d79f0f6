"""`referee tangram resolve`: which piece does an expression mean?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from referee.cli import options
from referee.cli.progress import show_progress
from referee.errors import InputError
from referee_lab.commands.tangram.sources import align_columns, format_number, is_transfer, open_dialogues, open_source

if TYPE_CHECKING:
    from referee_lab.tangram.models.history import Situation


app = options.make_app()


@app.command(
    epilog=options.examples(f"""
  referee tangram resolve --synthetic

  referee tangram resolve --recordings SESSIONS/ --by pair

  referee tangram resolve --train {options.PENTO_CV} --test SESSIONS/       does it carry over?

  referee tangram resolve --corpus {options.KTH}           twenty figures, games left out in turn
""")
)
def resolve(
    files: options.DialogueFiles = None,
    recordings: options.RecordingsFolder = None,
    synthetic: options.Synthetic = False,
    corpus: options.DialogueCorpus = None,
    train: options.TrainOn = None,
    test: options.TestOn = None,
    data: options.Data = None,
    tiers: options.TierMap = None,
    annotator: options.Annotator = None,
    folds: options.Folds = 10,
    by: options.HeldApart = "instance",
    seed: options.Seed = 1,
    form: options.TextOrJson = "text",
) -> int:
    """Rank the pieces for every expression and count how often the one meant comes first.

    Pieces that are handled: the ranking machine of Iida, Kobayashi & Tokunaga (2010) with its 22 features, beside chance (one over the number of pieces)
    and the printed table. The twenty figures of kth-tangrams: history, words as classifiers and earlier wordings, beside chance and recency.
    """
    options.check_form(form)
    from referee_lab.tangram.models.history import list_situations

    has_source = bool(files) or recordings is not None or synthetic or corpus is not None
    learned: Sequence[Situation] = ()
    if is_transfer(train, test, has_source, annotator):
        names, sources = zip(*(open_source(str(source), data, seed, tiers) for source in (train, test)), strict=True)
        learned, situations = (list_situations(source) for source in sources)
        if not learned or not situations:
            raise InputError(
                f"{names[0 if not learned else 1]} has no reference to one object",
                remedy="`referee dialogue check` says why",
            )
        name = f"trained on {names[0]} ({len(learned)} references), tested on {names[1]}"
    else:
        name, dialogues = open_dialogues(files or [], recordings, synthetic, corpus, data, seed, tiers, annotator)
        situations = list_situations(dialogues)
        if corpus == options.KTH:
            return _print_figure_accuracies(name, situations, folds, seed, form)
    return _print_piece_accuracies(name, situations, learned, folds, by, seed, form)


def _print_piece_accuracies(
    name: str, situations: Sequence[Situation], learned: Sequence[Situation], folds: int, by: str, seed: int, form: str
) -> int:
    """Print the accuracies of the resolvers over pieces."""
    from referee_lab.tangram.models.demonstratives import fold_places
    from referee_lab.tangram.models.resolution import FEATURE_SETS, PUBLISHED_ACCURACY, evaluate_resolvers

    accuracies = evaluate_resolvers(situations, folds=folds, by=by, seed=seed, train=learned, watch=show_progress)
    # Averaged over references, for boards may differ in their number of pieces.
    chance = sum(1 / len(s.standings) for s in situations) / len(situations)
    if form == "json":
        rows = [{**asdict(a), "published": PUBLISHED_ACCURACY[a.model][a.features]} for a in accuracies]
        data = {"source": name, "synthetic": any(s.synthetic for s in situations), "chance": chance, "rows": rows}
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return 0
    value = {(a.model, a.features): a for a in accuracies}
    table = [("accuracy (published)", "n", *FEATURE_SETS)]
    for model, printed in PUBLISHED_ACCURACY.items():
        n = str(value[model, "discourse"].n)
        table.append((model, n, *(f"{format_number(value[model, f].value)} ({printed[f]:.3f})" for f in FEATURE_SETS)))
    design = "" if learned else f"{int(fold_places(situations, folds, by, seed).max()) + 1} folds by {by}; "
    lines = [
        f"{name}: {len(situations)} references; {design}chance {chance:.3f}",
        "",
        *align_columns(table),
        "",
    ]
    lines += ["  published: Iida, Kobayashi & Tokunaga 2010, 2,035 references of 40 Japanese dialogues, tenfold"]
    print("\n".join(lines))
    return 0


def _print_figure_accuracies(name: str, situations: Sequence[Situation], folds: int, seed: int, form: str) -> int:
    """Print the accuracies of the resolvers over figures."""
    from referee_lab.tangram.models.figure_reference import resolve_figures

    accuracies = resolve_figures(situations, folds=folds, seed=seed, watch=show_progress)
    if form == "json":
        print(json.dumps({"source": name, "rows": [asdict(r) for r in accuracies]}, ensure_ascii=False, indent=1))
        return 0
    used = min(folds, len({s.pair for s in situations}))
    table = [("source", "first place", "mean reciprocal rank")]
    table += [(r.source, format_number(r.top1), format_number(r.mrr)) for r in accuracies]
    head = f"{name}: {len(situations)} references among {len(situations[0].standings)} figures; cross-validated by game, {used} folds"
    print("\n".join([head, "", *align_columns(table)]))
    return 0
