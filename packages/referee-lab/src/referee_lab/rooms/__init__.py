"""Rooms in which two people play Tangram: a pure state, the live hall, the stored log, and what each person sees."""
