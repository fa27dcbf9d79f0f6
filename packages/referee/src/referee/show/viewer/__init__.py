"""What `referee view` serves on this machine: a run, also while it grows, or the playground."""
