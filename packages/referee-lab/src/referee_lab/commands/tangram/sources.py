"""The dialogue sources of `referee tangram` commands, and the layout of their tables."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import InputError, MalformedInput
from referee.options import option
from referee_lab.commands.options import DIALOGUE_CORPORA, KTH
from referee_lab.commands.tangram.recordings import is_session, open_session, propose_expressions, read_tiers
from referee_lab.tangram.json_lines import decode_text
from referee_lab.tangram.tiers.annotations import SUFFIX
from referee_lab.tangram.tiers.dialogue import EXPRESSION, UNTOLD, UTTERANCE, Dialogue, has_times_in_seconds
from referee_lab.tangram.tiers.game_dialogues import GAME_CORPORA, read_game_dialogues
from referee_lab.tangram.tiers.rex_tiers import add_positions

if TYPE_CHECKING:
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession


TIERS = (
    'Names of tiers in ELAN files: a .toml with lines such as "A-utts" = "SV-UT", '
    'and language = "de", pieces = "tangram" where files lack them.'
)
# Endings of files that are read, in lower case.
KINDS = (".jsonl", ".json", ".eaf", ".textgrid", ".csv")


def _kind_of(path: Path) -> str:
    """Return the ending of a file in lower case; a table with tabs is a table."""
    return ".csv" if path.suffix.lower() == ".tsv" else path.suffix.lower()


@dataclass
class DialogueSource:
    """The options that name dialogues, and how results are printed."""

    files: Sequence[Path] = option(
        (), "Dialogues: .eaf, .TextGrid, .jsonl, .json or .csv.", cli=list[Path], is_argument=True
    )
    recordings: Path | None = option(None, "A folder of recordings.")
    synthetic: bool = option(False, "Use invented sessions: a test bed that says nothing about people.", "--synthetic")
    corpus: str | None = option(None, f"A corpus of dialogues: {' or '.join(DIALOGUE_CORPORA)}.")
    data: Path | None = option(None, "Folder of corpora (default: REFEREE_DATA).")
    tiers: Path | None = option(None, TIERS)
    annotator: str | None = option(None, "The annotator of the expressions (default: adjudicated).")
    seed: int = option(1, "Seed of all randomness.")
    form: str = option("text", "text or json", "--format", "-f", choices=("text", "json"))

    def count_sources(self) -> int:
        """Return how many sources of dialogues are named."""
        return sum((bool(self.files), self.recordings is not None, self.synthetic, self.corpus is not None))


@dataclass
class LearningSource(DialogueSource):
    """The options of models that learn: cross-validation in one source, or training and test on two."""

    train: str | None = option(None, "Learn from this corpus or folder (with --test).")
    test: str | None = option(None, "Test on this corpus or folder (with --train).")
    folds: int = option(10, "Folds of the cross-validation.", minimum=2)
    by: str = option(
        "instance", "The unit that stays together in a fold: instance (as published) or pair.", "--folds-by", "--by"
    )

    def is_transfer(self) -> bool:
        """Return whether a model learns from one source and is tested on another one.

        InputError for a mixture of options.
        """
        if (self.train is None) != (self.test is None) or (self.train is not None and self.count_sources()):
            raise InputError(
                "--train and --test go together, without another source", remedy="give both, and no other source"
            )
        if self.train is not None and self.annotator is not None:
            raise InputError("--annotator needs a single folder of recordings", remedy="leave --train and --test out")
        return self.train is not None

    def open_both(self) -> tuple[list[str], list[list[Dialogue]]]:
        """Return names and dialogues of the source to learn from and of the one to test on."""
        opened = [open_source(str(name), self) for name in (self.train, self.test)]
        return [name for name, _ in opened], [dialogues for _, dialogues in opened]


def open_dialogues(source: DialogueSource) -> tuple[str, list[Dialogue]]:
    """Return the dialogues of the one named source, and its label."""
    if source.count_sources() != 1:
        raise InputError(
            "several sources of dialogues are named" if source.count_sources() else "no dialogues are named",
            remedy="give files (.eaf, .TextGrid, .jsonl, .csv), or --recordings FOLDER, or --synthetic, or --corpus "
            + " or ".join(DIALOGUE_CORPORA),
        )
    synthetic, corpus, recordings, annotator = source.synthetic, source.corpus, source.recordings, source.annotator
    if annotator is not None and (synthetic or corpus is not None):
        raise InputError("--annotator needs recordings", remedy="leave it out, or name files or --recordings FOLDER")
    if synthetic:
        from referee_lab.tangram.models.invented_sessions import invent_sessions

        return f"SYNTHETIC sessions (seed {source.seed})", invent_sessions(source.seed)
    if corpus is not None:
        return corpus, _read_corpus(corpus, source.data)
    places = source.files if recordings is None else [recordings]
    files = [path for place in places for path in (_list_files(place) if place.is_dir() or recordings else [place])]
    tier_map = _read_tier_map(source.tiers)
    dialogues = _make_ids_unique([(path, d) for path in files for d in _read_dialogues(path, tier_map, annotator)])
    name = ", ".join(map(str, places))
    # One invented dialogue is enough: results are then not about people.
    return (
        f"{'SYNTHETIC ' if any(d.synthetic for d in dialogues) else ''}{name}{format_proposal_warning(dialogues)}",
        dialogues,
    )


def _make_ids_unique(read: Sequence[tuple[Path, Dialogue]]) -> list[Dialogue]:
    """Return the dialogues with unique ids, because files of one name may be in different folders.

    InputError for two dialogues of one id.
    """
    dialogues = [d for _, d in read]
    for prefix in ((path.stem for path, _ in read), (path.parent.name for path, _ in read)):
        counts = Counter(d.id for d in dialogues)
        dialogues = [
            d if counts[d.id] == 1 or d.id == name else replace(d, id=f"{name}-{d.id}")
            for d, name in zip(dialogues, prefix, strict=True)
        ]
    counts = Counter(d.id for d in dialogues)
    if twice := next((id for id, n in counts.items() if n > 1), None):
        files = [str(path) for (path, _), d in zip(read, dialogues, strict=True) if d.id == twice]
        raise InputError(
            f"two dialogues have the id {twice!r}", where=files[0], remedy=f"rename one: {', '.join(files)}"
        )
    return dialogues


def open_sessions(
    places: Sequence[Path], tiers: Path | None = None, annotator: str | None = None
) -> list[tuple[Path, DialogueSession]]:
    """Return the dialogues of files and folders with their recordings, where there are any."""
    tier_map = _read_tier_map(tiers)
    files = [path for place in places for path in (_list_files(place) if place.is_dir() else [place])]
    sessions = [(path, s) for path in files for s in _read_sessions(path, tier_map, annotator)]
    dialogues = _make_ids_unique([(path, session.dialogue) for path, session in sessions])
    return [(path, s._replace(dialogue=d)) for (path, s), d in zip(sessions, dialogues, strict=True)]


def format_proposal_warning(dialogues: Sequence[Dialogue]) -> str:
    """Return a warning about expressions that a program marked; empty without any.

    Its referents are guesses from handling and mentions, which models of reference then rediscover.
    """
    marked = sum(any(e.data.get("proposed") for e in d.select_tier(EXPRESSION)) for d in dialogues)
    if not marked:
        return ""
    which = "" if marked == len(dialogues) else f" in {marked} of {len(dialogues)} dialogues"
    return f" (GUESSED: a program marked the expressions{which}, with referents by what was handled and mentioned last)"


def open_source(text: str, options: DialogueSource | None = None) -> tuple[str, list[Dialogue]]:
    """Return the dialogues of a corpus by its name, of a folder, or of a file, and their label.

    `options` says where corpora are, and how files are read.
    """
    options = options or DialogueSource()
    data = options.data
    if text in (*DIALOGUE_CORPORA, *GAME_CORPORA):
        # A whole turn is hardly ever a pronoun.
        return f"{KTH}, by utterance" if text == KTH else text, _read_corpus(text, data, "utterance")
    place = Path(text)
    if not place.exists():
        corpora = ", ".join((*DIALOGUE_CORPORA, *GAME_CORPORA))
        raise InputError(
            f"{text} is neither a file, a folder nor a corpus of dialogues", remedy=f"a path, or one of {corpora}"
        )
    files, folder = ((), place) if place.is_dir() else ((place,), None)
    return open_dialogues(
        DialogueSource(files=files, recordings=folder, tiers=options.tiers, annotator=options.annotator)
    )


def read_corpus_dialogues(name: str, data: Path | None, only: str | None = None) -> list[Dialogue]:
    """Return the dialogues of a corpus: all, or those with ids that end in the given names (*r1-2*), separated by
    commas.
    """
    # A whole turn is no expression of an utterance.
    dialogues = _read_corpus(name, data, "utterance")
    if only is None:
        return dialogues
    named_ids = [part.strip() for part in only.split(",") if part.strip()]
    chosen = {w: [d for d in dialogues if d.id == w or d.id.endswith(f"-{w}")] for w in named_ids}
    if missing := [w for w, those in chosen.items() if not those]:
        shown = ", ".join(d.id for d in dialogues[:12]) + (" …" if len(dialogues) > 12 else "")
        raise InputError(f"{name} has no dialogue {missing[0]!r}", remedy=f"there are {len(dialogues)}: {shown}")
    named = {d.id for those in chosen.values() for d in those}
    return [d for d in dialogues if d.id in named]


def _read_corpus(name: str, data: Path | None, unit: str = "turn") -> list[Dialogue]:
    """Return the dialogues of a corpus by name; `unit` is that of the expressions of kth-tangrams."""
    from referee_lab.tangram.tiers.kth_dialogues import read_kth_dialogues
    from referee_lab.tangram.tiers.pento_dialogues import read_pento_dialogues

    if name not in (*DIALOGUE_CORPORA, *GAME_CORPORA):
        remedy = f"--corpus {' or '.join((*DIALOGUE_CORPORA, *GAME_CORPORA))}"
        raise InputError(f"{name} is not a corpus of dialogues", remedy=remedy)
    if name in GAME_CORPORA:
        return read_game_dialogues(name, data)
    return read_kth_dialogues(data, unit=unit) if name == KTH else read_pento_dialogues(data)


def _list_files(folder: Path) -> list[Path]:
    """Return the dialogue files of a folder. Raises InputError if it is none."""
    from referee_lab.tangram.game.dialogue_sessions import is_dialogue
    from referee_lab.tangram.tiers.json_corpora import is_foreign

    if not folder.is_dir():
        raise InputError("this is not a folder", where=folder, remedy="name the folder of the recordings")
    files = [p for p in folder.rglob("*") if _kind_of(p) in KINDS]
    named = (p for p in files if not p.name.endswith(SUFFIX))
    paths = sorted(
        p for p in named if _kind_of(p) != ".json" or is_dialogue(p) or is_foreign(p.read_text("utf-8", "ignore"))
    )
    # A folder of reference games has their settings in a separate file, beside the logs of rooms.
    has_games = (folder / "game.json").is_file()
    if has_games:
        paths = sorted(p for p in folder.glob("*.json") if p.name != "game.json")
    if not paths:
        raise InputError(
            "the folder has no recordings", where=folder, remedy="files end in .jsonl, .eaf, .TextGrid or .csv"
        )
    if has_games:
        return paths
    sessions = [p for p in paths if p.suffix in (".json", ".jsonl") and is_session(p)]
    _refuse_several_kinds(folder, paths, sessions)
    return sessions or paths


def _refuse_several_kinds(folder: Path, paths: Sequence[Path], sessions: Sequence[Path]) -> None:
    """Raise InputError for dialogues of other kinds beside sessions, which would not be read.

    Tiers exported beside their session, or in a folder below it, are the same dialogue again.
    """
    from referee_lab.tangram.tiers.tier_tables import is_tier_table

    exported = {(path.parent, path.name.partition(".")[0]) for path in sessions}
    other = [
        path
        for path in paths
        if path.suffix != ".jsonl"
        and path not in sessions
        and not any((parent, path.name.partition(".")[0]) in exported for parent in path.parents)
        and (_kind_of(path) != ".csv" or is_tier_table(path))
    ]
    if sessions and other:
        counts = Counter(path.suffix for path in (*sessions, *other))
        kinds = " and ".join(f"{n} {suffix}" for suffix, n in counts.items())
        raise InputError(
            f"dialogues of several kinds in one folder: {kinds} ({other[0].name}, …)",
            where=folder,
            remedy="give each kind a folder of its own",
        )


class TierMap(NamedTuple):
    """A file of --tiers: names of tiers, and the language and objects of files that do not say theirs."""

    names: dict[str, str]
    language: str | None = None
    pieces: Mapping[str, Mapping[str, str]] | None = None


def _read_tier_map(path: Path | None) -> TierMap:
    """Return the map of a .toml file: lines at the top or in a table `tiers`."""
    import tomllib

    from referee_lab.tangram.game.piece_sets import PIECE_SETS
    from referee_lab.tangram.tiers.dialogue_form import LANGUAGE

    if path is None:
        return TierMap({})
    remedy = (
        'lines such as "A-utts" = "SV-UT"; also language = "de", and pieces = "tangram" or [objects.m1] with a line '
        'colour = "red", for files that do not say so'
    )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"this file is not a map of tiers ({error})", where=path, remedy=remedy) from None
    language, pieces, objects = (data.pop(name, None) for name in ("language", "pieces", "objects"))
    names = data.get("tiers", data)
    if not isinstance(names, dict) or not all(isinstance(value, str) for value in (*names.values(), language or "")):
        raise InputError("this file is not a map of tiers", where=path, remedy=remedy)
    if language is not None and not LANGUAGE.fullmatch(language):
        raise InputError(
            f"{language!r} is not a code of a language", where=path, remedy='language = "de", for instance'
        )
    if pieces is not None and pieces not in PIECE_SETS:
        raise InputError(f"there is no set of pieces {pieces!r}", where=path, remedy=f"one of {', '.join(PIECE_SETS)}")
    if objects is not None and not (isinstance(objects, dict) and all(isinstance(o, dict) for o in objects.values())):
        raise InputError("objects is not a table of tables", where=path, remedy=remedy)
    listed = {id: {k: str(v) for k, v in attributes.items()} for id, attributes in (objects or {}).items()}
    return TierMap(names, language, PIECE_SETS[pieces] if pieces else listed or None)


def _read_dialogues(path: Path, tiers: TierMap, annotator: str | None) -> list[Dialogue]:
    """Return the dialogues of a file, with the positions of a recording."""
    sessions = _read_sessions(path, tiers, annotator)
    return [s.dialogue if s.recording is None else add_positions(s.dialogue, s.recording) for s in sessions]


def _read_sessions(path: Path, tiers: TierMap, annotator: str | None) -> list[DialogueSession]:
    """Return the dialogues of a file.

    InputError for times in seconds, where neither a clock of ours nor the format says what they are.
    """
    sessions = _read_file(path, tiers, annotator)
    is_unit_open = _kind_of(path) not in (".eaf", ".textgrid")
    if any(is_unit_open and s.recording is None and has_times_in_seconds(s.dialogue) for s in sessions):
        problem = "its utterances are so short that its times must be seconds"
        raise InputError(problem, where=path, remedy="times are milliseconds: multiply them by 1000")
    return sessions


def _read_file(path: Path, tiers: TierMap, annotator: str | None) -> list[DialogueSession]:
    """Return the dialogues of an ELAN file, a table, a dialogue file or a recording of a session."""
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession, is_dialogue
    from referee_lab.tangram.tiers import elan, tier_tables
    from referee_lab.tangram.tiers.json_corpora import is_foreign, read_json_corpus

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror})", where=path, remedy="name a file that can be read, or a folder"
        ) from None
    kind = _kind_of(path)
    if kind not in KINDS:
        remedy = "unpack it" if kind in (".gz", ".zip", ".xz") else f"dialogues are {', '.join(KINDS)}"
        raise InputError(
            f"files of the kind {path.suffix or 'without an ending'!r} are not read", where=path, remedy=remedy
        )
    if kind in (".eaf", ".textgrid"):
        document = _read_document(content, path)
        names = tiers.names
        if not names and (names := proposed_tiers(path)):
            remedy = f"`referee dialogue check {path}` prints it, for a .toml file and --tiers"
            print(f"warning: {path}: its tiers are read by a proposed map\n  → {remedy}", file=sys.stderr)
        read = [elan.from_eaf(document, str(path), names, tiers.pieces)]
        for fault, n in read[0].meta.get("faults", {}).items():
            print(f"warning: {path}: {fault}: {n}", file=sys.stderr)
        return _complete_dialogues(read, tiers.language, path)
    if kind == ".csv":
        read = tier_tables.parse_csv(decode_text(content, str(path)), str(path), tiers.pieces)
        return _complete_dialogues(read, tiers.language, path)
    if path.suffix == ".json" and is_foreign(decode_text(content, str(path))):
        return [DialogueSession(None, dialogue) for dialogue in read_json_corpus(path)]
    if path.suffix == ".json" and not is_dialogue(path):
        return [DialogueSession(None, _read_played_game(content, path))]
    session = open_session(path)
    return [session._replace(dialogue=read_tiers(session, path, annotator))]


def _read_document(content: bytes, path: Path) -> bytes:
    """Return a TextGrid as an ELAN document, and an ELAN document as it is."""
    from referee_lab.tangram.tiers.eaf import convert_text_grid_to_eaf

    return convert_text_grid_to_eaf(content, str(path)) if _kind_of(path) == ".textgrid" else content


def proposed_tiers(path: Path) -> dict[str, str]:
    """Return the map by which a file of ELAN or Praat without any REX tier is read; empty for other files."""
    from referee_lab.tangram.tiers.eaf import parse_eaf
    from referee_lab.tangram.tiers.elan import has_rex_tiers
    from referee_lab.tangram.tiers.tier_proposals import propose_tiers

    if _kind_of(path) not in (".eaf", ".textgrid") or not path.is_file():
        return {}
    root = parse_eaf(_read_document(path.read_bytes(), path), str(path))
    return {} if has_rex_tiers(root) else propose_tiers(root)


def _read_played_game(content: bytes, path: Path) -> Dialogue:
    """Return a reference game, as `referee play` and `referee tangram export --as games` write it, as a dialogue."""
    from referee_lab.tangram.players.reference_game import convert_game_to_dialogue, parse_game

    try:
        return convert_game_to_dialogue(parse_game(decode_text(content, str(path))))
    except (ValueError, TypeError, KeyError, AttributeError):
        remedy = 'a dialogue has "format": "referee-dialogue" (`referee dialogue schema`); a game is as `referee play` writes it'
        raise MalformedInput("this file is neither a dialogue nor a played game", where=path, remedy=remedy) from None


def _complete_dialogues(read: Sequence[Dialogue], language: str | None, path: Path) -> list[DialogueSession]:
    """Return the dialogues of a file in their language, and a chat without annotations with automatic marks.

    Where a file does not say its language, it is the one that was named, else the one of its words.
    """
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession
    from referee_lab.tangram.tiers.reference_forms import guess_language

    events = [e for d in read if d.language == UNTOLD for e in d.events if e.kind in (UTTERANCE, EXPRESSION)]
    guess = language or guess_language(e.text or "" for e in events)
    if language is None and (guess != UNTOLD or any(e.kind == EXPRESSION for e in events)):
        problem = f"read as {guess!r} by its words" if guess != UNTOLD else "so pronouns cannot be recognised"
        line = f'language = "{guess}"' if guess != UNTOLD else 'language = "…" (e.g. "de")'
        print(
            f"warning: {path}: it does not say its language: {problem}\n  → a file with the line {line}, for --tiers",
            file=sys.stderr,
        )
    sessions = []
    for dialogue in read:
        if dialogue.language == UNTOLD:
            dialogue = replace(dialogue, language=guess)
        if dialogue.select_tier(UTTERANCE) and not dialogue.select_tier(EXPRESSION):
            dialogue = propose_expressions(dialogue, path)
        sessions.append(DialogueSession(None, dialogue))
    return sessions


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table with columns of equal width; the first is aligned left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]


def format_count(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{n:,} {noun}" + ("s" if n != 1 else "")


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number as papers print it, or – for a missing one."""
    return "–" if value is None else f"{value:.{digits}f}"


def format_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return an interval in brackets."""
    return f"[{format_number(low, digits)}, {format_number(high, digits)}]"


def print_results(form: str, data: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> int:
    """Print results as JSON or as lines of text; return the exit code."""
    print(json.dumps(data, ensure_ascii=False, indent=1) if form == "json" else "\n".join(lines()))
    return 0
