"""`referee evaluate`: files of any usual kind in, findings out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.api.options import EvaluateOptions
from referee.cli import format_recognised, make_results_console, print_note
from referee.cli.options import examples, make_app
from referee.options import apply, command, option

if TYPE_CHECKING:
    from referee.api.evaluate import Evaluation

app = make_app()

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
    """Options of `referee evaluate`: those of `referee.evaluate`, and those of the command only."""

    explain: bool = option(False, "Only report the recognised format, the reasons, and the applicable measures.")
    signatures: bool = option(False, "Print the signature in full under the table.")
    format: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))


@command(app, EvaluateCommand, EPILOG)
def evaluate(options: EvaluateCommand) -> int:
    """Recognise the format of files, score them, compare systems, and report the findings."""
    from referee.api.evaluate import evaluate as evaluate_files
    from referee.api.evaluate import make_declarations

    if options.explain:
        from referee.jobs.evaluate import explain_material, open_material

        material = open_material(
            options.outputs, options.references, options.scenes, make_declarations(options), options.data
        )
        print("\n".join(explain_material(material)))
        return 0
    evaluation = apply(evaluate_files, options)
    if options.format == "json":
        print(json.dumps(evaluation.data, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        _print_findings(evaluation, options.signatures)
    for path in (options.report, options.save_as):
        if path is not None:
            print_note(f"written: {path}")
    return 0


def _print_findings(evaluation: Evaluation, all_signatures: bool) -> None:
    """Print the findings and tables."""
    from referee.show.reports import score_tables

    console = make_results_console()
    console.print(format_recognised(evaluation.recognised), markup=False)
    for sentence in evaluation.sentences:
        console.print(sentence, markup=False)
    for note in evaluation.notes:
        print_note(f"note: {note}")
    console.print()
    directions = {"ir": "higher"} | {m.metric: m.direction for m in evaluation.evaluated.measures()}
    rows = [{"group": None, **row} for row in evaluation.data["scores"] if row["n"]]
    for part in score_tables.as_rich(rows, directions, width=console.width, all_signatures=all_signatures):
        console.print(part)
