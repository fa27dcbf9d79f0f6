"""`referee tangram transcript`: adds speech to a recording, from a transcript or an endpoint that transcribes."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.errors import CannotWrite, InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import SPOKEN, open_recording
from referee_lab.tangram.tiers.annotations import find_annotation_files
from referee_lab.tangram.tiers.dialogue_form import LANGUAGE

if TYPE_CHECKING:
    from referee_lab.tangram.game.log import Recording
    from referee_lab.tangram.tiers.transcripts import SpokenLine


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram transcript session.jsonl --from solver.vtt --by solver            WebVTT or SubRip

  referee tangram transcript session.jsonl --from words.json --by P-7K2A            Whisper's JSON

  referee tangram transcript session.jsonl --from theirs.eaf --tier A-utts --by solver

  referee tangram transcript session.jsonl --endpoint http://localhost:8000/v1 --model whisper-1     every voice beside the recording

Times count from the beginning of the sound. If the recording does not contain that time, give it with --begins.
""")
)
def transcript(
    recording: options.Recording,
    source: Annotated[Path | None, typer.Option("--from", help="A transcript: .vtt, .srt, .json (Whisper) or .eaf.")] = None,
    by: Annotated[str | None, typer.Option(help="The speaker: an alias, solver or operator.")] = None,
    tier: Annotated[str | None, typer.Option(help="With an ELAN file: the tier to read.")] = None,
    begins: Annotated[float | None, typer.Option(help="Start of the sound in seconds from the recording's start.", show_default="as recorded, else 0")] = None,
    endpoint: Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint that transcribes.")] = None,
    model: Annotated[str, typer.Option(help="Model that transcribes.")] = "whisper-1",
    language: Annotated[str | None, typer.Option(help="The language spoken, as two letters.", show_default="the recording's")] = None,
    out: Annotated[Path | None, typer.Option(help="The recording to write.", show_default="SESSION.spoken.jsonl")] = None,
) -> int:  # fmt: skip
    """Add speech to a copy of a recording; replays, clips, annotation and ELAN then treat it like chat."""
    from referee_lab.tangram.game.log import write_recording

    if (source is None) == (endpoint is None):
        raise InputError("a transcript, or an endpoint that makes one", remedy="give --from FILE, or --endpoint URL")
    # Of a copy with speech, the copy itself.
    is_copy = recording.name.endswith(SPOKEN)
    target = out or (recording if is_copy else recording.with_name(f"{recording.stem}{SPOKEN}"))
    _refuse_annotated(recording, target)
    # The other one's transcript, put in before, stays.
    recorded = open_recording(target if out is None and target.exists() else recording)
    if language is not None:
        if not LANGUAGE.fullmatch(language):
            raise InputError(f"{language!r} is not a language", remedy="two letters, as in --language de")
        recorded = replace(recorded, header=replace(recorded.header, language=language))
    recorded = (
        _read_transcript(recorded, source, by, tier, begins)
        if source is not None
        else _transcribe_by_endpoint(recorded, recording.parent, str(endpoint), model)
    )
    write_recording(target, recorded)
    spoken = Counter(entry.actor for entry in recorded.entries if entry.kind == "speech")
    roles = recorded.header.players
    print(
        f"wrote {target}: {spoken.total()} spoken utterances"
        + "".join(f", {n} by the {roles[actor]}" for actor, n in spoken.items())
    )
    return 0


def _refuse_annotated(recording: Path, target: Path) -> None:
    """Raise InputError if annotations exist: they count utterances, and added speech would renumber these."""
    if target.exists() and (annotators := list(find_annotation_files(target))):
        raise CannotWrite(
            f"it was annotated by {', '.join(annotators)}, and added speech would move the marks to other utterances",
            where=target,
            remedy="--out another file, or transcribe all speakers before annotating",
        )
    if recording != target and (annotators := list(find_annotation_files(recording))):
        print(
            f"warning: {recording}: annotated by {', '.join(annotators)}, but the annotation does not fit the copy with the speech\n"
            "  → annotate the copy",
            file=sys.stderr,
        )


def _read_transcript(
    recorded: Recording, source: Path, by: str | None, tier: str | None, begins: float | None
) -> Recording:
    """Return the recording with the speech of a transcript file."""
    from referee_lab.tangram.game.sound_files import list_recorded_sounds
    from referee_lab.tangram.tiers.transcripts import add_speech, read_transcript

    if by is None:
        raise InputError("the speaker is not named", remedy="add --by solver, --by operator or an alias")
    actor = next((name for name, role in recorded.header.players.items() if by in (name, role)), by)
    try:
        content = source.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=source, remedy="name a transcript") from None
    lines = read_transcript(content, str(source), tier)
    starts = [sound.start_ms for sound in list_recorded_sounds(recorded) if sound.actor == actor]
    start = 1000 * begins if begins is not None else min(starts, default=0.0)
    return add_speech(recorded, actor, lines, start)


def _transcribe_by_endpoint(recorded: Recording, folder: Path, endpoint: str, model: str) -> Recording:
    """Return the recording with the speech that an endpoint transcribed."""
    from referee.models.transcription import transcribe
    from referee_lab.tangram.game.sound_files import find_sounds
    from referee_lab.tangram.tiers.transcripts import add_speech, read_whisper

    sounds = find_sounds(recorded, folder)
    if not sounds:
        raise InputError(
            "there is no sound beside this recording", where=folder, remedy="export the room again with its sound"
        )
    lines: dict[str, list[SpokenLine]] = {}
    for sound, file in sounds:
        answer = transcribe(file, endpoint=endpoint, model=model, language=recorded.header.language)
        speaker_lines = [
            line._replace(start_ms=line.start_ms + sound.start_ms, end_ms=line.end_ms + sound.start_ms)
            for line in read_whisper(answer, file.name)
        ]
        lines.setdefault(sound.actor, []).extend(speaker_lines)
    for actor, speaker_lines in lines.items():
        recorded = add_speech(recorded, actor, speaker_lines)
    return recorded
