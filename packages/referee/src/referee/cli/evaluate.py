"""`referee evaluate`: files of any usual kind in, findings out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.api.options import EvaluateOptions
from referee.cli import results, told
from referee.cli.options import examples, new_app
from referee.options import apply, command, option

if TYPE_CHECKING:
    from referee.api.evaluate import Evaluation

app = new_app()

EPILOG = examples("""
  referee evaluate hyp.txt --references ref.txt                    plain text, one segment a line (several systems, several references)

  referee evaluate outputs.csv                                     a table: item, system, description, reference under any usual name

  referee evaluate outputs.csv --scenes objects.csv                with scenes: a row an object (trial, id, attributes)

  referee evaluate logs/2026-11-16_task.eval                       a log of inspect_ai, lm-eval, lmms-eval, VLMEvalKit, evalscope …

  referee evaluate answers.json --convention "0-1000 xyxy"         boxes, where the log does not say what its numbers mean

  referee evaluate results.csv --map participant=worker,correct=ok answers of listeners: jsPsych, Gorilla, MTurk, Empirica, magpie, oTree …

  referee evaluate FILE --explain                                  what was recognised, why, and what can be measured
""")


@dataclass
class EvaluateCommand(EvaluateOptions):
    """Options of `referee evaluate`: those of `referee.evaluate`, and those of the command alone."""

    explain: bool = option(False, "Only say what was recognised, why, and what can be measured.")
    format: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))


@command(app, EvaluateCommand, EPILOG)
def evaluate(options: EvaluateCommand) -> int:
    """Recognise what files hold, score it, compare systems, and say what it shows."""
    from referee.api.evaluate import declared_by
    from referee.api.evaluate import evaluate as evaluate_files

    if options.explain:
        from referee.jobs.evaluate import explain_material, open_material

        material = open_material(
            options.outputs, options.references, options.scenes, declared_by(options), options.data
        )
        print("\n".join(explain_material(material)))
        return 0
    found = apply(evaluate_files, options)
    if options.format == "json":
        print(json.dumps(found.data, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        _print(found)
    for path in (options.report, options.save_as):
        if path is not None:
            told(f"written: {path}")
    return 0


def _print(found: Evaluation) -> None:
    console = results()
    mapping = ", ".join(f"{role} = {column}" for role, column in found.recognised["mapping"].items())
    console.print(f"recognised: {found.recognised['kind']}, {found.recognised['format']}; {mapping}", markup=False)
    for sentence in found.sentences:
        console.print(sentence, markup=False)
    _print_table(found)
    for note in found.notes:
        told(f"note: {note}")
    console.print(found.signature, markup=False, style="dim")


def _print_table(found: Evaluation) -> None:
    from rich.table import Table

    heads, body = found._table()
    table = Table(box=None, pad_edge=False)
    for i, head in enumerate(heads):
        table.add_column(head, justify="left" if i == 0 else "right", no_wrap=True)
    for row in body:
        table.add_row(*row)
    results().print(table)
