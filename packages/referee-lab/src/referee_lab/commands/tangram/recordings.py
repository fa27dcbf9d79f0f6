"""Sessions (recordings, and dialogues of which only the tiers are there) and their annotations as the `referee tangram` commands find them on disk."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import CannotWrite, InputError
from referee.options import option
from referee_lab.commands.options import DIALOGUE_CORPORA
from referee_lab.tangram.tiers.annotations import (
    ADJUDICATED,
    SUFFIX,
    Annotation,
    ExpressionMark,
    find_annotation_files,
    format_header,
    format_utterance_state,
    make_annotation_path,
    parse_annotation,
)

if TYPE_CHECKING:
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession
    from referee_lab.tangram.game.log import Recording
    from referee_lab.tangram.tiers.dialogue import Dialogue
    from referee_lab.tangram.tiers.piece_lexicon import WordFile


# The suffix of a recording's copy with speech (`referee tangram transcript`).
SPOKEN = ".spoken.jsonl"
# A damaged recording has many faults; the first ones are enough.
MOST_FAULTS = 3


@dataclass
class CorpusOptions:
    """The options that name dialogues of a corpus."""

    corpus: str | None = option(None, f"A corpus of dialogues: {' or '.join(DIALOGUE_CORPORA)}.")
    only: str | None = option(None, "With --corpus: the dialogues to use, comma-separated (r1-1,r1-2).")
    data: Path | None = option(None, "Folder of corpora (default: REFEREE_DATA).")


@dataclass
class SessionOptions(CorpusOptions):
    """The options that name sessions to annotate."""

    recordings: Sequence[Path] = option((), "A folder of recordings, or recordings.", cli=list[Path], is_argument=True)
    out: Path | None = option(None, "With --corpus: the folder to which its dialogues are written.")
    words: Path | None = option(None, "File (.toml) with more words for pieces; see `referee docs tangram-annotation`.")

    def find_sessions(self) -> list[Path]:
        """Return the named files and folders, or the dialogues of a corpus, which are first written to `out`."""
        from referee_lab.commands.tangram.sources import read_corpus_dialogues

        if (self.corpus is None) == (not self.recordings):
            raise InputError(
                "no recordings are named" if self.corpus is None else "both recordings and a corpus are named",
                remedy="name recordings or folders of them, or --corpus NAME --out FOLDER",
            )
        if self.corpus is None:
            if self.out is not None or self.only is not None:
                raise InputError(
                    f"--{'out' if self.out else 'only'} goes with --corpus", remedy="leave it out, or name a corpus"
                )
            return find_recordings(self.recordings)
        if self.out is None:
            raise InputError(
                "annotations are stored beside their dialogues, and corpora are not changed",
                remedy="--out FOLDER: the dialogues are put there",
            )
        return put_dialogues(read_corpus_dialogues(self.corpus, self.data, self.only), self.out)

    def read_words(self) -> WordFile | None:
        """Return the words of --words; None without the option."""
        from referee_lab.tangram.tiers.piece_lexicon import read_words

        return None if self.words is None else read_words(self.words)


def put_dialogues(dialogues: Iterable[Dialogue], folder: Path) -> list[Path]:
    """Write dialogues as files into a folder; existing files are kept, because annotations may depend on them."""
    from referee.files import write_atomically
    from referee_lab.tangram.tiers.dialogue_form import write_dialogue

    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for dialogue in dialogues:
        path = folder / f"{dialogue.id}.jsonl"
        if not path.exists():
            write_atomically(path, write_dialogue(dialogue).splitlines())
        written.append(path)
    return written


def find_recordings(places: Iterable[Path]) -> list[Path]:
    """Return the named files and the sessions in named folders; annotations and other files are ignored."""
    sessions: list[Path] = []
    for place in places:
        if not place.exists():
            raise InputError(
                "there is no such file or folder", where=place, remedy="name recordings, or folders of them"
            )
        inside = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
        # A file that was named is taken at its word, and said to be wrong when it is opened.
        sessions += [p for p in inside if not p.name.endswith(SUFFIX) and (p == place or is_session(p))]
    if not sessions:
        raise InputError(
            "the folder has no recordings",
            where=", ".join(map(str, places)),
            remedy="`referee tangram play` makes recordings",
        )
    return sessions


def is_session(path: Path) -> bool:
    """Return whether a file is a recording, or a dialogue that is more than the tiers of a recording beside it.

    Of a recording with a spoken copy beside it, the copy.
    """
    from referee_lab.tangram.game.dialogue_sessions import is_dialogue, is_recording

    if not path.name.endswith(SPOKEN) and path.with_name(f"{path.stem}{SPOKEN}").exists():
        return False
    recording_path = path.with_name(path.name.removesuffix(".tiers.jsonl") + ".jsonl")
    return is_recording(path) or (is_dialogue(path) and (recording_path == path or not recording_path.exists()))


def open_recording(path: Path) -> Recording:
    """Return a recording from its file; faults are printed, and its usable part is read."""
    from referee_lab.tangram.game.log import find_faults, parse_recording

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy="name a recording (.jsonl)") from None
    recording = parse_recording(content, str(path))
    for fault in find_faults(recording)[:MOST_FAULTS]:
        print(f"warning: {path}: {fault}", file=sys.stderr)
    return recording


def open_session(path: Path) -> DialogueSession:
    """Return a session from its file: a recording, with its faults printed, or the tiers of a dialogue."""
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession, is_dialogue, read_session
    from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

    if path.is_file() and is_dialogue(path):
        return read_session(path)
    recording = open_recording(path)
    return DialogueSession(recording, convert_to_dialogue(recording), path.parent)


def read_annotation(path: Path) -> Annotation:
    """Return an annotator's file."""
    return parse_annotation(path.read_text(encoding="utf-8"), str(path))


def write_annotation(
    recording: Path,
    annotator: str,
    dialogue: Dialogue,
    marks: Mapping[int, Sequence[ExpressionMark]],
    *,
    program: bool = False,
) -> Path:
    """Write a finished annotation as a new file; an existing one is never replaced."""
    from referee_lab.tangram.tiers.dialogue import UTTERANCE

    target = make_annotation_path(recording, annotator)
    refuse_second(target)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    texts = [u.text or "" for u in dialogue.select_tier(UTTERANCE)]
    lines = [format_utterance_state(n, text, marks.get(n, ()), True, now) for n, text in enumerate(texts)]
    target.write_text(format_header(annotator, dialogue.id, program=program) + "".join(lines), encoding="utf-8")
    return target


def refuse_second(target: Path) -> None:
    """Raise InputError if the annotation exists; annotations are never replaced."""
    if target.exists():
        raise CannotWrite(
            "this annotator has annotated the recording already", where=target, remedy="choose another name"
        )


def choose_annotation(recording: Path, annotator: str | None = None) -> Annotation | None:
    """Return the annotation to use: the named one, else the adjudicated one, else the only one.

    None without any.
    """
    files = find_annotation_files(recording)
    if annotator is not None and annotator not in files:
        remedy = f"there is one by {', '.join(files)}" if files else "annotate it first: `referee tangram annotate`"
        raise InputError(f"{annotator} has not annotated this recording", where=recording, remedy=remedy)
    # Choosing one of two silently would decide a result.
    if annotator is None and len(files) > 1 and ADJUDICATED not in files:
        raise InputError(
            f"{' and '.join(files)} have annotated this recording, and their differences are not adjudicated",
            where=recording,
            remedy="`referee tangram adjudicate`, or name one with --annotator",
        )
    name = annotator or (ADJUDICATED if ADJUDICATED in files else next(iter(files), None))
    return None if name is None else read_annotation(files[name])


def read_tiers(session: DialogueSession, path: Path, annotator: str | None = None) -> Dialogue:
    """Return the tiers of a session with annotated expressions.

    Without annotations these are its own expressions, else proposed ones for languages with a lexicon.
    """
    from referee_lab.tangram.tiers.annotations import apply_annotation
    from referee_lab.tangram.tiers.dialogue import EXPRESSION

    work = choose_annotation(path, annotator)
    if work is not None:
        return apply_annotation(session.dialogue, work)
    if session.dialogue.select_tier(EXPRESSION):
        return session.dialogue
    return propose_expressions(session.dialogue, path, session)


def propose_expressions(dialogue: Dialogue, path: Path, session: DialogueSession | None = None) -> Dialogue:
    """Return a dialogue without annotations with proposed expressions.

    Unchanged, with a warning, for languages without a lexicon.
    """
    from referee_lab.tangram.tiers.dialogue import UNTOLD
    from referee_lab.tangram.tiers.expressions import preannotate
    from referee_lab.tangram.tiers.piece_lexicon import find_lexicon

    if dialogue.language == UNTOLD:
        print(
            f"warning: {path}: language unknown, no annotation: marked by the rules for English",
            file=sys.stderr,
        )
        dialogue = replace(dialogue, language="en")
    if not dialogue.pieces:
        print(
            f"warning: {path}: no annotation, and no declared objects: it is read as having no references\n"
            '  → add --tiers FILE with the line pieces = "tangram"; `referee dialogue check` explains how a dialogue declares its objects',
            file=sys.stderr,
        )
        return dialogue
    if find_lexicon(dialogue.language, dialogue.pieces) is None:
        print(
            f"warning: {path}: no annotation, and no rules for the language {dialogue.language!r} to do so by rule: it is read as having no references\n"
            "  → `referee tangram annotate`, or `referee tangram preannotate --words FILE`",
            file=sys.stderr,
        )
        return dialogue
    return preannotate(dialogue, None if session is None else session.positions())
