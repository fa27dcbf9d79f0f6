"""`python -m referee`: the command line, where no script `referee` is on the path."""

from __future__ import annotations

import sys

from referee.cli import main

if __name__ == "__main__":
    sys.exit(main())
