"""Put a built site beside those of other versions: ``python docs/_versions.py SITE PAGES VERSION``.

PAGES then has a folder for each version, the folder "latest" (a copy of the highest release), a list of versions for the menu of the theme
(versions.json, in the form of mike) and a first page that leads to the latest release, or to "dev" as long as there is none.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

LEAD = '<!doctype html><meta charset="utf-8"><title>Referee</title><meta http-equiv="refresh" content="0; url={0}/"><a href="{0}/">Referee</a>\n'


def add_version(site: Path, pages: Path, version: str) -> None:
    """Copy `site` to the folder of its version, and write what all versions share."""
    replace_folder(site, pages / version)
    releases = sorted((p.name for p in pages.iterdir() if is_release(p)), key=order, reverse=True)
    if releases and releases[0] == version:
        replace_folder(site, pages / "latest")
    listed = [{"version": v, "title": v, "aliases": ["latest"] if v == releases[0] else []} for v in releases]
    if (pages / "dev").is_dir():
        listed.append({"version": "dev", "title": "dev", "aliases": []})
    (pages / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", "utf-8")
    (pages / "index.html").write_text(LEAD.format("latest" if releases else "dev"), "utf-8")
    (pages / ".nojekyll").touch()


def replace_folder(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def is_release(path: Path) -> bool:
    return path.is_dir() and path.name[:1].isdigit()


def order(version: str) -> list[int]:
    """The numbers of a version, so that 0.10.0 comes after 0.9.0."""
    return [int(part) for part in version.split(".") if part.isdigit()]


if __name__ == "__main__":
    add_version(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
