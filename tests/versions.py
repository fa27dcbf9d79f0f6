"""`make test-versions`: the suite's quick part on every supported Python that is on this machine; the absent ones are named.

An environment per version is kept under build/versions and made anew when the lock changes. Where the lock has no wheels for a
version (a Python that is newer than the lock), the newest versions that do are taken, and that is said.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# Pure Python that is published as sources alone: building it needs no compiler.
SOURCES = "rouge-score"
PROBE = "import sys; print('%d.%d' % sys.version_info[:2])"


def main() -> int:
    wanted = sys.argv[1:] or VERSIONS
    outcomes = {version: _try(version) for version in wanted}
    print("\n".join(f"Python {version}: {outcome}" for version, outcome in outcomes.items()))
    return any(outcome.startswith("FAILED") for outcome in outcomes.values())


def _try(version: str) -> str:
    python = find_python(version)
    if python is None:
        return "skipped, it is not installed here (looked on the path and under ~/.pyenv/versions)"
    print(f"== Python {version} ({python})", flush=True)
    own = ROOT / "build" / "versions" / version
    locked = _prepare(python, own)
    if locked is None:
        return "FAILED: its packages could not be installed"
    done = subprocess.run(
        [own / "bin" / "python", "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "quick_part", "-rfE"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        check=False,
    )
    return f"{'passed' if done.returncode == 0 else 'FAILED'}{'' if locked else ' (not as locked: wheels are missing)'}"


def find_python(version: str) -> Path | None:
    """The version on the path, else the newest of pyenv's; a shim that starts nothing does not count."""
    kept = sorted(
        (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"),
        key=lambda p: [int(n) for n in p.parts[-3].split(".") if n.isdigit()],
    )
    on_path = shutil.which(f"python{version}")
    return next((p for p in [*([Path(on_path)] if on_path else []), *reversed(kept)] if _is(p, version)), None)


def _is(python: Path, version: str) -> bool:
    said = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
    return said.returncode == 0 and said.stdout.strip() == version


def _prepare(python: Path, own: Path) -> bool | None:
    """Make the environment; whether it is the locked one, or None where nothing could be installed."""
    wanted = b"".join((ROOT / name).read_bytes() for name in ("requirements.lock", "pyproject.toml"))
    stamp = own / f".ready-{hashlib.sha256(wanted).hexdigest()[:12]}"
    if stamp.is_file():
        return stamp.read_text() == "locked"
    shutil.rmtree(own, ignore_errors=True)
    subprocess.run([python, "-m", "venv", own], check=True)
    wheels = ("--only-binary", ":all:", "--no-binary", SOURCES)
    locked = _install(own, "--require-hashes", *wheels, "-r", "requirements.lock")
    if not locked:
        print("   the lock has no wheels for this Python: the newest versions that have some are taken", flush=True)
        # groups are known to pip since 25.1
        newer = _install(own, "--upgrade", "pip") and _install(own, "--prefer-binary", "-e", ".[all]", "--group", "dev")
        if not newer:
            return None
    elif not _install(own, "--no-deps", "-e", "."):
        return None
    stamp.write_text("locked" if locked else "newest")
    return locked


def _install(own: Path, *what: str) -> bool:
    uv = shutil.which("uv")
    if uv and "--require-hashes" in what:
        command = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", own / "bin" / "python", *what]
    else:
        command = [own / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
