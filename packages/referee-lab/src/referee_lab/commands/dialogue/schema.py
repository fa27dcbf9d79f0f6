"""`referee dialogue schema`: the open form of a dialogue as a JSON Schema."""

from __future__ import annotations

import json

from referee_lab.commands import options

app = options.make_app()


@app.command(epilog=options.examples("  referee dialogue schema > dialogue.schema.json"))
def schema() -> int:
    """Print the JSON Schema of a line of a dialogue: the first line is a header, every later one an event."""
    from referee_lab.tangram.tiers.dialogue_form import make_dialogue_schema

    print(json.dumps(make_dialogue_schema(), ensure_ascii=False, indent=1))
    return 0
