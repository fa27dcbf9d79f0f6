"""XML from strangers, read without harm.

Entities are refused, the network and the DTD are never touched, depth is bounded.

A DOCTYPE that only names a DTD is harmless and is ignored (the TUNA release has one in every file). A declared entity is refused
whether it is used or not: an honest corpus has no need of it, and it is how entity bombs and file theft begin.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from referee.corpora.reading.lines import make_natural_sort_key
from referee.errors import InputError, MalformedInput

__all__ = ["make_natural_sort_key", "parse_xml", "read_documents"]

DEEPEST = 64
# Against archives that unpack to a disk full; all singular trials of TUNA take less than 1 MiB packed.
LARGEST = 256 * 2**20
# A path one step longer than allowed, which XPath finds without Python walking the tree.
_TOO_DEEP = etree.XPath(f"boolean({'/*' * (DEEPEST + 1)})")
# Declared entities, and references to any but the five that XML itself defines.
_ENTITY = re.compile(rb"<!ENTITY\s|&(?!amp;|lt;|gt;|quot;|apos;)[A-Za-z_:][\w:.-]*;")
# RuntimeError stands for an encrypted member, NotImplementedError for an unknown compression.
_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)


def parse_xml(content: bytes, where: str | Path) -> Any:
    """Return the root element of a document. Raises MalformedInput with file, line and remedy."""
    if not content.strip():
        raise MalformedInput("the file is empty", where=where, line=1, remedy="copy the file again")
    # Before parsing, since an entity bomb goes off while the document is parsed.
    if entity := _ENTITY.search(content):
        raise _make_entity_error(where, content.count(b"\n", 0, entity.start()) + 1)
    try:
        root = etree.fromstring(content, _make_parser())
    except etree.XMLSyntaxError as error:
        remedy = "check that the file is complete, well-formed and saved in the encoding it declares"
        raise MalformedInput(f"not XML: {error.msg}", where=where, line=error.lineno or 1, remedy=remedy) from None
    _refuse_entities(root, where)
    if _TOO_DEEP(root):
        remedy = "check that this is a corpus file; every element must be closed"
        raise MalformedInput(f"elements are nested more than {DEEPEST} deep", where=where, line=1, remedy=remedy)
    return root


def _make_parser() -> Any:
    """Return a new parser; lxml's parsers carry state from one document to the next."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        # lxml's own limits on depth and size stay in force.
        huge_tree=False,
        # Left in, both would turn up among the children of an element.
        remove_comments=True,
        remove_pis=True,
    )


def _refuse_entities(root: Any, where: str | Path) -> None:
    """Raise MalformedInput for entities that a search of bytes misses: in encodings other than ASCII's family, and
    unresolved references.
    """
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and next(dtd.iterentities(), None) is not None:
        raise _make_entity_error(where, 1)
    left = next(root.iter(etree.Entity), None)
    if left is not None:
        raise _make_entity_error(where, left.getparent().sourceline)


def _make_entity_error(where: str | Path, line: int) -> MalformedInput:
    """Return the error for a declared or used entity."""
    remedy = "write the text itself in place of the entity, and delete its declaration"
    return MalformedInput(
        "the file declares or uses an entity, which is not allowed", where=where, line=line, remedy=remedy
    )


def read_documents(path: str | Path) -> Iterator[tuple[str, Any]]:
    """Yield every XML document of a file, a zip archive or a folder tree, with its path.

    Names in natural order (s2 before s10).
    """
    source = Path(path)
    if source.is_dir():
        yield from _read_folder(source)
    elif source.suffix.lower() == ".zip":
        yield from _read_archive(source)
    else:
        yield str(source), parse_xml(_read_bytes(source), source)


def _read_folder(folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield the documents of a folder. Raises MalformedInput if it has none."""
    names = _select_xml(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    if not names:
        raise MalformedInput(
            "the folder has no XML files", where=folder, remedy="name the folder that holds the *.xml files"
        )
    for name in names:
        yield str(folder / name), parse_xml(_read_bytes(folder / name), folder / name)


def _read_archive(archive: Path) -> Iterator[tuple[str, Any]]:
    """Yield the documents of an archive. Raises MalformedInput if it has none."""
    with _open_archive(archive) as packed:
        names = _select_xml(packed.namelist())
        if not names:
            raise MalformedInput(
                "the archive has no XML files", where=archive, remedy="name an archive with *.xml files"
            )
        for name in names:
            place = f"{archive}/{name}"
            yield place, parse_xml(_unpack_file(packed, name, archive), place)


def _open_archive(archive: Path) -> zipfile.ZipFile:
    """Return an opened archive. Raises MalformedInput if it is damaged."""
    # Reading no byte tells whether the file can be opened at all, in the words for files.
    _read_bytes(archive, 0)
    try:
        return zipfile.ZipFile(archive)
    except _BROKEN_ARCHIVE as error:
        raise _make_xml_error(archive, error) from None


def _unpack_file(packed: zipfile.ZipFile, name: str, archive: Path) -> bytes:
    """Return a file of an archive. Raises MalformedInput if it is damaged or too large."""
    if packed.getinfo(name).file_size > LARGEST:
        problem = f"{name} unpacks to more than {LARGEST >> 20} MiB"
        raise MalformedInput(problem, where=archive, remedy="unpack the archive by hand if it can be trusted")
    try:
        return packed.read(name)
    except _BROKEN_ARCHIVE as error:
        raise _make_xml_error(archive, error) from None


def _make_xml_error(archive: Path, error: Exception) -> MalformedInput:
    return MalformedInput(f"not a usable zip archive: {error}", where=archive, remedy="copy the archive again")


def _read_bytes(path: Path, size: int = -1) -> bytes:
    """Return the bytes of a file. Raises InputError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        remedy = "check the name and the permissions"
        raise InputError(f"cannot be read: {error.strerror}", where=path, remedy=remedy) from None


def _select_xml(names: Iterable[str]) -> list[str]:
    """Return the names of XML files, without the shadow files that some systems add to archives."""
    xml_names = (n for n in names if n.lower().endswith(".xml") and not re.search(r"(^|/)(\.|__MACOSX/)", n))
    return sorted(xml_names, key=make_natural_sort_key)
