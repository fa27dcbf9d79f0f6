"""What a study has collected: read, marked by its rules, exported, and brought back into runs."""
