"""What hatchling does before it packs: the pages of a study are built, unless they are there and as new as their sources.

An editable install needs no pages and builds none (`make bundle` does). A wheel out of an sdist finds them in it, so it needs no Node.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface):
    """Named in pyproject.toml under tool.hatch.build.hooks.custom."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or self.target_name not in ("wheel", "sdist"):
            return
        sys.path.insert(0, str(Path(self.root) / "browser"))
        import pages

        pages.main()
