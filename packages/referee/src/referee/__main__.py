"""`python -m referee`: the command line, where no script `referee` is on the path."""

from __future__ import annotations

import sys

from referee.cli import main

sys.exit(main())
