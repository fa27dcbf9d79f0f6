"""The jobs that a user names (run, listen, score, describe, replicate), and the run folder they work on."""
