"""Recorded dialogues in studies: the annotator's desk, the replay page, and clips shown to evaluators."""
