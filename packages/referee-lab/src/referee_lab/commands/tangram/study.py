"""`referee tangram study`: a task-performance study out of recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.progress import show_clock
from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.sources import format_proposal_warning, open_sessions, read_corpus_dialogues
from referee_lab.tangram.tiers.dialogue import EXPRESSION, UTTERANCE

if TYPE_CHECKING:
    from referee_lab.tangram.desk.clip_study import Wanted
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram study sessions/ --out evaluation --contact "A. Person, a.person@uni.example"

  referee tangram study --bots 24 --out rehearsal --participants 8          recordings of bots, to try out all steps

  referee tangram study --corpus pento-cv --out overheard    German dialogues, clips drawn from the events

  referee tangram study sessions/ --systems human,that,graph --contexts none,both --participants 36 --out contexts

  referee tangram study sessions/ --out as-operator --role operator          evaluators press the piece itself

Then: referee study check, referee study serve, referee study simulate; at the end referee tangram evaluate.
""")
)
def study(
    recordings: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings or dialogues (.jsonl, .json, .eaf, .TextGrid, .csv), or folders of them."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The study folder to make.", show_default=False)] = ...,  # type: ignore[assignment]
    bots: Annotated[int, typer.Option(help="Number of pairs of bots that play instead.", min=0)] = 0,
    goals: options.OwnGoals = None,
    corpus: Annotated[
        str | None, typer.Option(help=f"A corpus of dialogues with times instead, for instance {options.PENTO_CV}.")
    ] = None,
    data: options.Data = None,
    tiers: options.TierMap = None,
    annotator: options.Annotator = None,
    participants: Annotated[int, typer.Option(help="Evaluators planned, in two groups.", min=2)] = 34,
    fp: Annotated[int, typer.Option(help="Number of false positives, each shown in two conditions.", min=0)] = 36,
    tp: Annotated[int, typer.Option(help="True positives.", min=0)] = 20,
    fn: Annotated[int, typer.Option(help="False negatives.", min=0)] = 20,
    practice: options.Practice = 2,
    by: Annotated[
        str | None,
        typer.Option(
            help="Folds of the classifier: by instance (as published) or pair.",
            show_default="instance; pair for a corpus",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the classifier.", min=2)] = 10,
    weights: Annotated[
        str, typer.Option(help="Class weights of the classifier: equal (as published) or balanced.")
    ] = "equal",
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Decision value above which it suggests a pronoun.",
            show_default="0, or the highest value below 0 that gives the requested numbers",
        ),
    ] = None,
    pronoun: Annotated[
        str | None, typer.Option(help="Pronoun that replaces the expression (default by language: that, das, それ).")
    ] = None,
    role: Annotated[
        str, typer.Option(help="overhearer (numbered buttons) or operator (press the piece).")
    ] = "overhearer",
    cursor: Annotated[bool, typer.Option(help="Show the operator's cursor.")] = True,
    title: Annotated[str, typer.Option(help="What evaluators see at the top (default: the question itself).")] = "",
    contact: Annotated[str, typer.Option(help="Who answers questions, for the consent text.")] = "",
    systems: Annotated[
        str | None,
        typer.Option(
            help="Sources of words: human, that, and names of systems, comma-separated, instead of a classifier's errors."
        ),
    ] = None,
    contexts: Annotated[
        str, typer.Option(help="With --systems, content of clips: none, mention, action, both, comma-separated.")
    ] = "both",
    items: Annotated[
        int | None, typer.Option(help="With --systems: references shown.", show_default="8 for each system and context")
    ] = None,
    seed: options.SeedFromZero = 1,
) -> int:
    """Make a study in which people watch clips before references and identify the piece.

    Without --systems the design is the published one: references that a classifier gets right or wrong, with false
    positives in the original words for one group and with a pronoun for the other. With --systems every reference is
    shown with the words of every system in every context.
    """
    from referee.files import write_atomically
    from referee_lab.commands.study.new import make_id
    from referee_lab.study.folder.draft import write_study
    from referee_lab.tangram.desk.clip_study import CLASSIFIER, Wanted, prepare_overhearing

    plan = Wanted(
        id=make_id(out),
        title=title,
        participants=participants,
        fp=fp,
        tp=tp,
        fn=fn,
        practice=practice,
        by=by or ("instance" if corpus is None else "pair"),
        folds=folds,
        pronoun=pronoun,
        role=role,
        cursor=cursor,
        contact=contact,
        seed=seed,
        weights=weights,
        threshold=threshold,
    )
    if systems is not None:
        sessions = _read_sessions(recordings or [], bots, annotator, seed, corpus, data, goals, tiers)
        return _make_context_study(out, sessions, plan, systems.split(","), contexts.split(","), items)
    with show_clock("sessions, classifier and clips"):
        sessions = _read_sessions(recordings or [], bots, annotator, seed, corpus, data, goals, tiers)
        prepared = prepare_overhearing(sessions, plan)
        made = write_study(out, prepared.draft)
    # Beside the study, for `evaluate`: the review of precision needs the classifier's counts.
    write_atomically(out / CLASSIFIER, [json.dumps(prepared.facts(), indent=1)])
    lists = ", ".join(f"{study_list.id} {len(study_list.trials)} trials" for study_list in made.lists)
    clips = [t.meta["clip_ms"] for t in prepared.draft.trials]
    mean = sum(end - start for start, end in clips) / len(clips) / 1000
    print(f"Made {out}: {len(made.lists)} lists ({lists}), {len(clips)} clips of {mean:.1f} s on average.")
    if prepared.draft.sounds:
        print(f"  {len(prepared.draft.sounds)} voices are heard in the clips.")
    for note in prepared.notes:
        print(f"  note: {note}")
    print(f"Next: `referee study check {out}`, `referee study serve {out}`, then `referee tangram evaluate {out}`")
    return 0


def _make_context_study(
    out: Path,
    sessions: list[DialogueSession],
    plan: Wanted,
    systems: list[str],
    contexts: list[str],
    items: int | None,
) -> int:
    """Make a study of systems in contexts, and print its cells and its power."""
    from referee_lab.study.folder.draft import write_study
    from referee_lab.tangram.desk.context_study import BASE_ERROR, EFFECT, prepare_context_study

    with show_clock("sessions, systems and clips"):
        prepared = prepare_context_study(sessions, plan, systems, contexts, items)
        made = write_study(out, prepared.draft)
    number = len(made.lists[0].trials)
    print(
        f"Made {out}: {len(made.lists)} lists of {number} trials; every list has {prepared.items_per_cell} items for each of "
        f"{len(prepared.draft.conditions) // len(contexts)} systems in {len(contexts)} contexts."
    )
    print(
        f"  power: {plan.participants} evaluators detect an increase of errors from {BASE_ERROR:.0%} to {BASE_ERROR + EFFECT:.0%} between two cells "
        f"with a probability of {prepared.power:.2f} (paired t, simulated)"
    )
    if prepared.draft.sounds:
        print(
            "  Voices are heard before the utterance; the utterance itself is read, because its words may be a system's."
        )
    for note in prepared.notes:
        print(f"  note: {note}")
    print(f"Next: `referee study check {out}`, `referee study serve {out}`, then `referee tangram evaluate {out}`")
    return 0


def _read_sessions(
    places: list[Path],
    bots: int,
    annotator: str | None,
    seed: int,
    corpus: str | None,
    data: Path | None,
    goals: Path | None,
    tiers: Path | None,
) -> list[DialogueSession]:
    """Return the sessions of recordings, corpora or bots, with their tiers."""
    if sum((bool(places), bool(bots), corpus is not None)) != 1:
        remedy = f"name recordings or folders of them, or --bots N, or --corpus {options.PENTO_CV}"
        raise InputError("no recordings are named", remedy=remedy)
    if goals is not None and not bots:
        raise InputError(
            "--goals is for the games of bots; recordings contain their figures already",
            remedy="leave it out, or add --bots N",
        )
    if bots:
        from referee_lab.commands.tangram.figures import choose_goals
        from referee_lab.tangram.desk.clip_study import make_bot_sessions

        chosen = choose_goals(None, goals, "tangram")
        return make_bot_sessions(bots, seed, chosen)
    from referee_lab.tangram.desk.clip_study import has_figure_roles
    from referee_lab.tangram.game.dialogue_film import number_pieces
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession

    sessions: list[DialogueSession] = []
    if corpus is not None:
        sessions = [DialogueSession(None, number_pieces(dialogue)) for dialogue in read_corpus_dialogues(corpus, data)]
    for path, session in open_sessions(places, tiers, annotator):
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
    _refuse_untimed([session.dialogue for session in sessions])
    if proposals := format_proposal_warning([session.dialogue for session in sessions]):
        print(f"  note:{proposals}")
    return sessions


def _refuse_untimed(dialogues: list[Dialogue]) -> None:
    """Raise InputError for a dialogue whose speech has no times."""
    for dialogue in dialogues:
        speech = (*dialogue.select_tier(UTTERANCE), *dialogue.select_tier(EXPRESSION))
        if any(event.start_ms is None for event in speech):
            raise InputError(
                f"the speech of dialogue {dialogue.id} has no times, so that no clip can be cut before a reference",
                remedy="name a source with times: `referee dialogue check SOURCE` says what it lacks",
            )
