"""`referee tangram agreement`: do two annotators mark the same?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from referee_lab.commands import options
from referee_lab.commands.tangram.adjudicate import choose_two_annotators
from referee_lab.commands.tangram.recordings import find_recordings, read_annotation
from referee_lab.commands.tangram.sources import align_columns, format_interval, format_number, print_results

if TYPE_CHECKING:
    from referee.statistics.agreement import Agreement
    from referee_lab.tangram.tiers.annotator_agreement import AnnotatorComparison


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram agreement sessions/

  referee tangram agreement sessions/ --annotators ann,bob --format json
""")
)
def agreement(
    recordings: options.Recordings,
    annotators: options.Annotators = None,
    form: options.TextOrJson = "text",
) -> int:
    """F of the spans, kappa and alpha of referents and attributes, over utterances that both have finished."""
    options.check_form(form)
    from referee_lab.tangram.tiers.annotations import find_annotation_files
    from referee_lab.tangram.tiers.annotator_agreement import compare_annotations, find_differences

    sessions = find_recordings(recordings)
    names = choose_two_annotators(sessions, annotators)
    files = [find_annotation_files(path) for path in sessions]
    couples = [
        (read_annotation(both[names[0]]), read_annotation(both[names[1]])) for both in files if set(names) <= set(both)
    ]
    compared = compare_annotations(couples)
    open_cases = sum(len(find_differences(a, b)) for a, b in couples)
    data = {**asdict(compared), "differing_utterances": open_cases}
    return print_results(form, data, lambda: _format_lines(compared, open_cases))


def _format_lines(c: AnnotatorComparison, open_cases: int) -> list[str]:
    """Return the comparison as lines of text."""
    a, b = c.annotators
    rows: list[tuple[str, ...]] = [("attribute", a, b, "both", "kappa", "95% interval")]
    for code in c.codes:
        # An attribute without marks has no agreement.
        if code.first or code.second:
            counts = map(str, (code.first, code.second, code.both))
            rows.append((code.code, *counts, format_number(code.kappa.value), _format_interval(code.kappa)))
    return [
        f"{a} and {b}: {c.recordings} recordings, {c.utterances} utterances finished by both, {open_cases} marked differently",
        "",
        f"  expressions: {c.first} by {a}, {c.second} by {b}; "
        f"same span {c.same_span} (F {format_number(c.span_f)}), overlapping {c.overlapping} (F {format_number(c.overlap_f)})",
        f"  referents of the {c.same_span} with the same span: {c.same_referents} the same; "
        f"kappa {_format_agreement(c.referents_kappa)}, alpha {_format_agreement(c.referents_alpha)}",
        f"  attributes: all sixteen the same for {c.same_attributes}; alpha {_format_agreement(c.attributes_alpha)}",
        "",
        *align_columns(rows),
        "",
        "  – : both gave one and the same answer throughout, so chance agreement cannot be corrected for.",
        *([f"  Next: `referee tangram adjudicate … --annotators {a},{b}`"] if open_cases else []),
    ]


def _format_agreement(a: Agreement) -> str:
    return f"{format_number(a.value)} {_format_interval(a)}".strip()


def _format_interval(a: Agreement) -> str:
    return "" if a.low is None else format_interval(a.low, a.high)
