"""Sounds and films with descriptions: files under media/ in the study's folder, served under neutral names."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from referee.errors import InputError, naming_extra
from referee.records import Description
from referee_lab.study.texts import HEARD, READ, WATCHED

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study
    from referee_lab.study.protocols.contract import Info

FOLDER = "media"
LENGTH = 20
SOUND, FILM = "sound", "film"
KINDS = {
    ".wav": (SOUND, "audio/wav"),
    ".mp3": (SOUND, "audio/mpeg"),
    ".ogg": (SOUND, "audio/ogg"),
    ".oga": (SOUND, "audio/ogg"),
    ".flac": (SOUND, "audio/flac"),
    ".m4a": (SOUND, "audio/mp4"),
    ".weba": (SOUND, "audio/webm"),
    ".webm": (FILM, "video/webm"),
    ".mp4": (FILM, "video/mp4"),
}
# Codecs that current browsers decode; with others, some participants would hear nothing.
CODECS = ("aac", "av1", "flac", "h264", "mp3", "mp3float", "opus", "libopus", "vorbis", "vp8", "vp9", "libdav1d")
WEBM_CODECS = ("av1", "libdav1d", "opus", "libopus", "vorbis", "vp8", "vp9")
# The codecs that each file extension allows.
FORMS = {
    ".oga": "ogg",
    ".m4a": "mp4",
    ".weba": "webm",
    **{e: e[1:] for e in (".wav", ".mp3", ".ogg", ".flac", ".webm", ".mp4")},
}
# Relative to full scale: at -60 dB no word is audible.
SILENCE = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedFile:
    """The properties of a sound or film: length, problem (None if it has none), and whether it is silent."""

    ms: float
    problem: str | None = None
    silent: bool = False


def get_media(description: Description) -> dict[str, Any] | None:
    """Return a description's sound or film for the page, without its address; None without media."""
    if description.media is None:
        return None
    kind, _ = _get_media_type(description.media)
    return {"src": _make_public_name(description.media), "kind": kind}


def add_media_address(media: Mapping[str, Any], base_url: str) -> dict[str, Any]:
    """Return the media with the address at which the server has the file."""
    return {**media, "src": f"{base_url}/{FOLDER}/{media['src']}"}


def find_media_file(study: Study, name: str) -> tuple[Path, str] | None:
    """Return the file behind a public name and its media type; None if the study has no such file."""
    file = next((candidate for candidate in _list_media(study) if _make_public_name(candidate) == name), None)
    path = find_media(study.folder / FOLDER, file) if file is not None else None
    return None if file is None or path is None else (path, _get_media_type(file)[1])


def find_media(folder: Path, name: str) -> Path | None:
    """Return the file of a name; None if it is missing.

    Letters with marks are compared in both Unicode spellings (ü as one sign, or as u with dots).
    """
    if (folder / name).is_file():
        return folder / name
    composed = normalize("NFC", Path(name).name)
    beside = sorted((folder / name).parent.glob("*"))
    return next((p for p in beside if p.is_file() and normalize("NFC", p.name) == composed), None)


def find_media_uses(study: Study) -> dict[str, list[str]]:
    """Return every media file of a study with the stimuli that play it."""
    heard: dict[str, list[str]] = {}
    for stimulus in study.iterate_stimuli():
        for described in (stimulus, stimulus.rival):
            if described is not None and described.description.media is not None:
                heard.setdefault(described.description.media, []).append(stimulus.id)
    return heard


def has_media(study: Study) -> bool:
    """Return whether any description, practice and checks included, is heard or watched."""
    return can_play(study.kind.info) and bool(_list_media(study))


def find_missing_media(study: Study) -> list[str]:
    """Return the files that descriptions name and that do not exist."""
    return [name for name in find_media_uses(study) if find_media(study.folder / FOLDER, name) is None]


def can_play(info: Info) -> bool:
    """Return whether a protocol plays sounds and films."""
    return "media_repeats" in info.parameters or info.plugin == "own"


def get_presentation(description: Description) -> str:
    """Return how a description is presented: read, heard, or watched in a film."""
    if description.media is None:
        return READ
    return WATCHED if _get_media_type(description.media)[0] == FILM else HEARD


def list_presentations(study: Study) -> set[str]:
    """Return how the descriptions of a study are presented.

    Heard or watched ones are also read where their words are shown.
    """
    if not can_play(study.kind.info):
        return {READ}
    ways = {get_presentation(stimulus.description) for stimulus in study.stimuli.values()}
    return {*ways, READ} if study.settings.get("media_text") == "shown" else ways


def copy_media(folder: Path, descriptions: Iterable[Description], source: Path | None) -> int:
    """Copy the sounds and films of descriptions into a study's folder; return their number."""
    names = sorted({d.media for d in descriptions if d.media is not None})
    for name in names:
        _get_media_type(name)
        if source is None:
            raise InputError("these descriptions are heard", remedy="name the folder of their files: --media FOLDER")
        if (path := find_media(source, name)) is None:
            raise InputError(
                "there is no such file", where=source / name, remedy="put it there, or correct the outputs"
            )
        (folder / FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / FOLDER / name)
    return len(names)


def listen_to(path: Path) -> PlayedFile:
    """Decode a file from end to end, as browsers do, to find cut or damaged files before a session."""
    with naming_extra():
        import av
        from av.error import FFmpegError
    if path.stat().st_size == 0:
        return PlayedFile(ms=0.0, problem="it is empty (0 bytes)")
    av.logging.set_level(av.logging.PANIC)  # reported below in our own message
    try:
        with av.open(str(path)) as opened:
            if problem := _find_media_problem(path.name, opened):
                return PlayedFile(ms=0.0, problem=problem)
            promised = float(opened.duration or 0) / 1000  # of av.time_base, microseconds
            last = loudest = 0.0
            streams = _select_streams(path.name, opened)
            for stream in streams:
                stream.codec_context.options = {"err_detect": "explode"}  # players conceal damaged data
            frames: Iterable[Any] = opened.decode(streams)  # pictures and sounds alike
            for frame in frames:
                # A picture has neither.
                samples, rate = getattr(frame, "samples", 0), getattr(frame, "sample_rate", 0)
                end = 1000 * ((frame.time or 0.0) + (samples / rate if rate else 0.0))
                last = max(last, end)
                loudest = max(loudest, _measure_loudness(frame.to_ndarray()) if samples else 0.0)
                if frame.is_corrupt:
                    return PlayedFile(ms=last, problem=f"it is garbled at {last / 1000:.1f} s")
    except (FFmpegError, ValueError, OSError) as error:
        return PlayedFile(ms=0.0, problem=f"it cannot be decoded ({type(error).__name__})")
    if _is_truncated(path):
        return PlayedFile(ms=last, problem="it is shorter than its header says: it was cut off")
    # The last picture of a film lasts a while; more than that is missing at the end of a file that was cut off.
    if last <= 0.0 or promised - last > max(250.0, 0.05 * promised):
        return PlayedFile(
            ms=last, problem=f"it ends after {last / 1000:.1f} s, but says {promised / 1000:.1f} s: it was cut off"
        )
    # In a film people may sign.
    if loudest < SILENCE and _get_media_type(path.name)[0] == SOUND:
        return PlayedFile(ms=last, problem="nothing can be heard in it")
    return PlayedFile(ms=max(last, promised), silent=loudest < SILENCE)


def _select_streams(name: str, opened: Any) -> list[Any]:
    """Return the streams that a browser plays; a cover picture in a sound file is ignored."""
    films = opened.streams.video if _get_media_type(name)[0] == FILM else ()
    return [*films, *opened.streams.audio]


def _find_media_problem(name: str, opened: Any) -> str | None:
    """Return the reason why browsers cannot play a readable file; None if they can."""
    kind, ending = _get_media_type(name)[0], Path(name).suffix.lower()
    if kind == FILM and not opened.streams.video:
        return "it has no picture: name a sound .weba or .m4a"
    if kind == SOUND and not opened.streams.audio:
        return "it has no sound"
    forms = opened.format.name.split(",")
    if FORMS[ending] not in forms:
        return f"its content is not {ending[1:]}, but {forms[0]}: rename or convert it"
    codecs = {stream.codec_context.name for stream in _select_streams(name, opened)}
    codecs_played = WEBM_CODECS if FORMS[ending] == "webm" else CODECS
    strange = sorted(c for c in codecs if c not in codecs_played and not (c.startswith("pcm_") and ending == ".wav"))
    return f"not every browser decodes {strange[0]} in {ending}" if strange else None


def _measure_loudness(samples: Any) -> float:
    """Return the loudest of some samples, from 0 to 1."""
    import numpy as np

    if samples.dtype == np.uint8:  # of eight bits, around the middle
        return float(np.abs(samples.astype(float) - 128).max()) / 128
    top = float(np.iinfo(samples.dtype).max) if samples.dtype.kind == "i" else 1.0
    return float(np.abs(samples.astype(float)).max()) / top


def _is_truncated(path: Path) -> bool:
    """Return whether a WAV file is shorter than its header declares; decoders do not report that."""
    with path.open("rb") as file:
        head = file.read(8)
    announced = int.from_bytes(head[4:8], "little")
    # Written as a stream, it announces nothing.
    return head[:4] == b"RIFF" and announced not in (0, 0xFFFFFFFF) and announced + 8 > path.stat().st_size


def _list_media(study: Study) -> list[str]:
    """Return the media files of a study, cached by the study's hash."""
    files = _KNOWN.get(study.hash)
    if files is None:
        files = _KNOWN[study.hash] = list(find_media_uses(study))
    return files


# By the study's hash, which changes with anything that could change them.
_KNOWN: dict[str, list[str]] = {}


def _make_public_name(file: str) -> str:
    return sha256(file.encode()).hexdigest()[:LENGTH] + Path(file).suffix.lower()


def _get_media_type(file: str) -> tuple[str, str]:
    """Return kind and media type of a file name.

    Raises InputError for a path or type that cannot be served.
    """
    parts = PurePosixPath(file).parts
    if not parts or "\\" in file or any(part.startswith((".", "/")) for part in parts):
        raise InputError(
            f"{file!r} is not the name of a file in {FOLDER}/", remedy="name it from that folder on: recordings/1.wav"
        )
    kind = KINDS.get(Path(file).suffix.lower())
    if kind is None:
        raise InputError(f"browsers do not play {file!r}", remedy=f"convert it to one of {', '.join(KINDS)}")
    return kind
