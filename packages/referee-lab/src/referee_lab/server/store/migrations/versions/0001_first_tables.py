"""The first tables.

A new store gets the tables of `schema` at once and is marked as of the newest revision; this step is run on no store.
"""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: a store of this revision has its tables."""
