"""The local server of `referee view`: a run, also while it grows, or the playground."""
