"""A participant's session: coming in, the plan, every kept answer, the end, and leaving."""
