"""`referee tangram study`: a task-performance study out of recordings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.progress import show_clock
from referee.errors import InputError
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import TIERS, format_proposal_warning, open_sessions, read_corpus_dialogues
from referee_lab.tangram.desk.study_options import ClipStudyOptions
from referee_lab.tangram.tiers.dialogue import EXPRESSION, UTTERANCE

if TYPE_CHECKING:
    from referee_lab.study.folder.draft import Draft
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession


app = options.make_app()
EPILOG = options.examples("""
  referee tangram study sessions/ --out evaluation --contact "A. Person, a.person@uni.example"

  referee tangram study --bots 24 --out rehearsal --participants 8          recordings of bots, to try out all steps

  referee tangram study --corpus pento-cv --out overheard    German dialogues, clips drawn from the events

  referee tangram study sessions/ --systems human,that,graph --contexts none,both --participants 36 --out contexts

  referee tangram study sessions/ --out as-operator --role operator          evaluators press the piece itself

Then: referee study check, referee study serve, referee study simulate; at the end referee tangram evaluate.
""")


@dataclass
class StudySource:
    """The options that name the dialogues of a study."""

    recordings: Sequence[Path] = option(
        (),
        "Recordings or dialogues (.jsonl, .json, .eaf, .TextGrid, .csv), or folders of them.",
        cli=list[Path],
        is_argument=True,
    )
    out: Path = option(..., "The study folder to make.", show_default=False)
    bots: int = option(0, "Number of pairs of bots that play instead.", minimum=0)
    goals: Path | None = option(None, "A file of custom figures (`referee tangram goals`).")
    corpus: str | None = option(None, f"A corpus of dialogues with times instead, for instance {options.PENTO_CV}.")
    data: Path | None = option(None, "Folder of corpora (default: REFEREE_DATA).")
    tiers: Path | None = option(None, TIERS)
    annotator: str | None = option(None, "The annotator of the expressions (default: adjudicated).")


@dataclass
class StudyOptions(ClipStudyOptions, StudySource):
    """Options of `referee tangram study`."""

    systems: str | None = option(
        None,
        "Sources of words: human, that, and names of systems, comma-separated, instead of a classifier's errors.",
    )
    contexts: str = option("both", "With --systems, content of clips: none, mention, action, both, comma-separated.")
    items: int | None = option(None, "With --systems: references shown (default: 8 for each system and context).")


@command(app, StudyOptions, EPILOG)
def study(chosen: StudyOptions) -> int:
    """Make a study in which people watch clips before references and identify the piece.

    Without --systems the design is the published one: references that a classifier gets right or wrong, with false
    positives in the original words for one group and with a pronoun for the other. With --systems every reference is
    shown with the words of every system in every context.
    """
    from referee.files import write_atomically
    from referee_lab.commands.study.new import make_id
    from referee_lab.study.folder.draft import write_study
    from referee_lab.tangram.desk.clip_study import CLASSIFIER, prepare_overhearing

    chosen.id = make_id(chosen.out)
    chosen.by = chosen.by or ("instance" if chosen.corpus is None else "pair")
    if chosen.systems is not None:
        return _make_context_study(chosen, chosen.systems.split(","), chosen.contexts.split(","))
    with show_clock("sessions, classifier and clips"):
        prepared = prepare_overhearing(_read_sessions(chosen), chosen)
        made = write_study(chosen.out, prepared.draft)
    # Beside the study, for `evaluate`: the review of precision needs the classifier's counts.
    write_atomically(chosen.out / CLASSIFIER, [json.dumps(prepared.facts(), indent=1)])
    lists = ", ".join(f"{study_list.id} {len(study_list.trials)} trials" for study_list in made.lists)
    clips = [t.meta["clip_ms"] for t in prepared.draft.trials]
    mean = sum(end - start for start, end in clips) / len(clips) / 1000
    print(f"Made {chosen.out}: {len(made.lists)} lists ({lists}), {len(clips)} clips of {mean:.1f} s on average.")
    _print_notes(
        chosen.out, prepared.draft, prepared.notes, f"{len(prepared.draft.sounds)} voices are heard in the clips."
    )
    return 0


def _print_notes(out: Path, draft: Draft, notes: Sequence[str], about_voices: str) -> None:
    """Print the remarks on a study, and what to do with it."""
    if draft.sounds:
        print(f"  {about_voices}")
    for note in notes:
        print(f"  note: {note}")
    print(f"Next: `referee study check {out}`, `referee study serve {out}`, then `referee tangram evaluate {out}`")


def _make_context_study(chosen: StudyOptions, systems: list[str], contexts: list[str]) -> int:
    """Make a study of systems in contexts, and print its cells and its power."""
    from referee_lab.study.folder.draft import write_study
    from referee_lab.tangram.desk.context_study import BASE_ERROR, EFFECT, prepare_context_study

    sessions = _read_sessions(chosen)
    with show_clock("sessions, systems and clips"):
        prepared = prepare_context_study(sessions, chosen, systems, contexts, chosen.items)
        made = write_study(chosen.out, prepared.draft)
    number = len(made.lists[0].trials)
    print(
        f"Made {chosen.out}: {len(made.lists)} lists of {number} trials; every list has {prepared.items_per_cell} items for each of "
        f"{len(prepared.draft.conditions) // len(contexts)} systems in {len(contexts)} contexts."
    )
    print(
        f"  power: {chosen.participants} evaluators detect an increase of errors from {BASE_ERROR:.0%} to {BASE_ERROR + EFFECT:.0%} between two cells "
        f"with a probability of {prepared.power:.2f} (paired t, simulated)"
    )
    about_voices = (
        "Voices are heard before the utterance; the utterance itself is read, because its words may be a system's."
    )
    _print_notes(chosen.out, prepared.draft, prepared.notes, about_voices)
    return 0


def _read_sessions(chosen: StudyOptions) -> list[DialogueSession]:
    """Return the sessions of recordings, corpora or bots, with their tiers."""
    if sum((bool(chosen.recordings), bool(chosen.bots), chosen.corpus is not None)) != 1:
        remedy = f"name recordings or folders of them, or --bots N, or --corpus {options.PENTO_CV}"
        raise InputError("no recordings are named", remedy=remedy)
    if chosen.goals is not None and not chosen.bots:
        raise InputError(
            "--goals is for the games of bots; recordings contain their figures already",
            remedy="leave it out, or add --bots N",
        )
    from referee_lab.commands.tangram.figures import choose_goals
    from referee_lab.tangram.desk.clip_study import has_figure_roles, make_bot_sessions
    from referee_lab.tangram.game.dialogue_film import number_pieces
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession

    if chosen.bots:
        return make_bot_sessions(chosen.bots, chosen.seed, choose_goals(None, chosen.goals, "tangram"))
    sessions: list[DialogueSession] = []
    if chosen.corpus is not None:
        read = read_corpus_dialogues(chosen.corpus, chosen.data)
        sessions = [DialogueSession(None, number_pieces(dialogue)) for dialogue in read]
    for path, session in open_sessions(chosen.recordings, chosen.tiers, chosen.annotator):
        dialogue = session.dialogue
        utterances, done = len(dialogue.select_tier(UTTERANCE)), dialogue.meta.get("annotated")
        if done is not None and done < utterances:
            print(
                f"  note: {utterances - done} of {utterances} utterances of {path.name} are not annotated and count as without references"
            )
        # Evaluators press numbers.
        shown = dialogue if all(piece.isdigit() for piece in dialogue.pieces) else number_pieces(dialogue)
        sessions.append(DialogueSession(session.recording, shown, path.parent))
    if any(session.recording is None and has_figure_roles(session.dialogue) for session in sessions):
        print("  note: the instructions describe two people who build a figure: change them if the dialogues differ")
    dialogues = [session.dialogue for session in sessions]
    for dialogue in dialogues:
        speech = (*dialogue.select_tier(UTTERANCE), *dialogue.select_tier(EXPRESSION))
        if any(event.start_ms is None for event in speech):
            raise InputError(
                f"the speech of dialogue {dialogue.id} has no times, so that no clip can be cut before a reference",
                remedy="name a source with times: `referee dialogue check SOURCE` says what it lacks",
            )
    if proposals := format_proposal_warning(dialogues):
        print(f"  note:{proposals}")
    return sessions
