"""The store of a study: tables, the one writer, the lock, the keys, and how old stores are brought up to date."""
