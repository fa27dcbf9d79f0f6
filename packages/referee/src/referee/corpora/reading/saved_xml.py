"""XML written so that a reader never meets half a file: first to a neighbour, then renamed over the old one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lxml import etree

from referee.errors import CannotWrite, DuplicateTrial
from referee.files import write_bytes


def save(trials: Iterable[tuple[str, Any]], path: str | Path) -> None:
    """TRIAL elements with their ids: under one root if the name ends in .xml, otherwise one file each in a folder."""
    # All of them first: whatever is wrong is found before anything is written.
    elements: dict[str, Any] = {}
    for trial_id, element in trials:
        if trial_id in elements:
            raise DuplicateTrial(f"trial {trial_id!r} would be written twice", where=path, remedy="keep one of the two")
        elements[trial_id] = element
    target = Path(path)
    try:
        if target.suffix.lower() == ".xml":
            _save_file(_under_one_root(elements.values()), target)
        else:
            _save_folder(elements, target)
    except OSError as error:
        remedy = "check the folder, its permissions and the space left"
        raise CannotWrite(f"cannot be written: {error.strerror}", where=path, remedy=remedy) from None


def _under_one_root(elements: Iterable[Any]) -> Any:
    root = etree.Element("TRIALS")
    root.extend(elements)
    return root


def _save_folder(elements: dict[str, Any], folder: Path) -> None:
    """One file a trial; leftovers of another run would be read back as if they belonged to this one, so they stop it."""
    named = {f"{_file_name(trial_id)}.xml": element for trial_id, element in elements.items()}
    folder.mkdir(parents=True, exist_ok=True)
    left = sorted({p.name for p in folder.glob("*.xml")} - named.keys())
    if left:
        remedy = "choose a new folder, or empty this one"
        raise CannotWrite(f"the folder holds other XML files already ({left[0]} …)", where=folder, remedy=remedy)
    for name, element in named.items():
        _save_file(element, folder / name)


def _file_name(trial_id: str) -> str:
    """An id as a file name: no separators, and no leading dot, which would hide the file."""
    name = quote(trial_id, safe="+ ")
    return f"%2E{name[1:]}" if name.startswith(".") else name


def _save_file(root: Any, path: Path) -> None:
    etree.indent(root)
    content = etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"
    write_bytes(path, [content])
