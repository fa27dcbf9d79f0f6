"""CSV and JSON lines give the tiers back; games of KTH Tangrams become dialogues."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from referee.errors import MalformedInput
from referee.records import Event
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.models.corpus_statistics import count_corpus
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.dialogue_form import read_dialogue, write_dialogue
from referee_lab.tangram.tiers.kth_dialogues import name_colour, read_kth_dialogues
from referee_lab.tangram.tiers.reference_forms import is_pronoun
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue
from referee_lab.tangram.tiers.tier_tables import CODEBOOK, convert_to_csv, parse_csv


@pytest.fixture(scope="module")
def dialogue():
    return convert_to_dialogue(play_bot_game(GOALS["eagle"], 2))


def test_json_lines_lose_nothing(dialogue):
    back = read_dialogue(write_dialogue(dialogue))
    assert back.events == dialogue.events
    assert back.pieces == dialogue.pieces
    assert (back.id, back.pair, back.synthetic, back.meta) == (dialogue.id, dialogue.pair, True, dialogue.meta)


def test_csv_gives_back_what_its_columns_hold(dialogue):
    (back,) = parse_csv(convert_to_csv(dialogue))
    assert convert_to_csv(back) == convert_to_csv(dialogue)
    for one, other in zip(back.events, dialogue.events, strict=True):
        assert (one.kind, one.by, one.text, one.entities) == (other.kind, other.by, other.text, other.entities)
        assert (one.start_ms, one.end_ms) == (other.start_ms, other.end_ms)


def test_the_codebook_explains_every_column(dialogue):
    assert next(csv.reader(io.StringIO(convert_to_csv(dialogue)))) == list(CODEBOOK)
    assert all(CODEBOOK.values())


def test_texts_with_commas_quotes_and_line_ends_survive(dialogue):
    from dataclasses import replace

    said = replace(dialogue.select_tier("utterance")[0], text='no, "that"\none')
    (back,) = parse_csv(convert_to_csv(replace(dialogue, events=(said,))))
    assert back.events[0].text == said.text


def test_a_row_that_is_no_number_is_named_by_its_line(dialogue):
    lines = convert_to_csv(dialogue).splitlines()
    lines[2] = lines[2].replace(lines[2].split(",")[3], "soon", 1)
    with pytest.raises(MalformedInput, match=r"t\.csv:3"):
        parse_csv("\n".join(lines), "t.csv")
    with pytest.raises(MalformedInput, match="no column"):
        parse_csv("a,b\n1,2\n")


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", '{"format":"referee-dialogue","version":9}\n'])
def test_a_file_that_is_no_dialogue_is_refused(text):
    with pytest.raises(MalformedInput):
        read_dialogue(text)


def figure(number: int, shape: str, size: str, hue: float) -> dict[str, object]:
    return {"id": number, "shape": shape, "size": size, "edges": 4, "area": 0.1, "rgb": [0, 0, 0], "hsb": [hue, 1, 1]}


def happened(number: int, time: float, name: str, by: str, selected: int | None, **positions: list[float]):
    places = {piece.removeprefix("p"): place for piece, place in positions.items()}
    about = {"event": number, "round": 1, "time_s": time, "name": name, "by": by, "referent": 2, "score": 0}
    return {**about, "selected": selected, "positions": places}


GAME = {
    "game": 0,
    "rounds": 1,
    "duration_s": 5.0,
    "first_instructor": "A",
    "pieces": [figure(1, "boot", "large", 0.6), figure(2, "wedge", "small", 0.0)],
    "events": [
        happened(1, 1.0, "nextturn.request", "A", None, p1=[0, 0.25], p2=[1, 1]),
        happened(2, 4.5, "selection.request", "B", 2, p2=[0.5, 0.75]),
    ],
    "utterances": [
        {"round": 0, "by": "B", "role": "manipulator", "start_s": 0.2, "end_s": 0.5, "text": "hi"},
        {"round": 1, "by": "A", "role": "instructor", "start_s": 1.5, "end_s": 2.5, "text": "the red one"},
    ],
}


def write(folder: Path, game: dict[str, object]) -> Path:
    (folder / "kth-tangrams").mkdir()
    with gzip.open(folder / "kth-tangrams" / "games.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(game) + "\n")
    return folder


def test_a_kth_game_becomes_a_dialogue(tmp_path: Path):
    (game,) = read_kth_dialogues(write(tmp_path, GAME))
    assert [(p["shape"], p["size"], p["colour"]) for p in game.pieces.values()] == [
        ("boot", "large", "blue"),
        ("wedge", "small", "red"),
    ]
    hi, red = game.select_tier("utterance")
    assert (hi.by, hi.data["player"]) == ("operator", "B")
    assert (red.by, red.start_ms, red.end_ms) == ("solver", 1500, 2500)
    assert [(e.data["action"], e.entities, e.start_ms, e.data["player"]) for e in game.select_tier("action")] == [
        ("select", ("p2",), 4500, "B"),
    ]
    # The source has the distance from the top first.
    assert [(e.entities, e.start_ms, e.data["x"], e.data["y"]) for e in game.select_tier("position")] == [
        (("p1",), 0.0, 0.25, 0.0),
        (("p2",), 0.0, 1.0, 1.0),
        (("p2",), 4500, 0.75, 0.5),
    ]
    assert game.meta["rounds"] == [{"round": 1, "referent": "p2", "instructor": "A"}]


def test_what_is_no_game_is_refused(tmp_path: Path):
    with pytest.raises(MalformedInput, match=r"games\.jsonl\.gz:1"):
        read_kth_dialogues(write(tmp_path, {"game": 1}))


@pytest.mark.parametrize(
    ("hsb", "name"),
    [
        ((0, 1, 1), "red"),
        ((1 / 3, 1, 1), "green"),
        ((2 / 3, 1, 1), "blue"),
        ((1 / 6, 1, 1), "yellow"),
        ((0, 0, 1), "white"),
        ((0, 1, 0.1), "black"),
        ((0.98, 1, 1), "red"),
        ((0.5, 0.1, 0.5), "grey"),
    ],
)
def test_pure_colours_have_their_names(hsb, name):
    assert name_colour(*hsb) == name


@pytest.mark.data
def test_all_kth_games_are_read(data_folder):
    # Counts of the corpus card: 34 games, 2,693 rounds, 2,797 selections, 12,203 utterances.
    games = read_kth_dialogues(data_folder)
    assert len(games) == 34
    assert sum(len(g.meta["rounds"]) for g in games) == 2693
    assert sum(e.data["action"] == "select" for g in games for e in g.select_tier("action")) == 2797
    assert sum(len(g.select_tier("utterance")) for g in games) == 12203
    assert all(len(g.pieces) == 20 for g in games)


def test_a_source_of_pronouns_is_kth_by_utterance(tmp_path: Path):
    """A turn is hardly ever a pronoun (4 of 2,688); learning from it, or testing on it, would be about nothing."""
    from referee_lab.commands.tangram.sources import DialogueSource, open_source

    name, (game,) = open_source("kth-tangrams", DialogueSource(data=write(tmp_path, GAME)))
    assert name == "kth-tangrams, by utterance"
    (spoken,) = read_kth_dialogues(tmp_path, unit="utterance")
    assert [e.text for e in game.select_tier("expression")] == [e.text for e in spoken.select_tier("expression")]
    assert spoken.select_tier("expression")


def test_a_table_keeps_its_language_who_played_who_marked_and_when_it_was_shown():
    said = Event(kind="utterance", by="solver", text="nimm es", start_ms=0.0, end_ms=900.0, data={"shown_ms": 1000.0})
    marks = {"attributes": ("dpr",), "uncertain": False, "utterance": 0, "proposed": True, "shown_ms": 1000.0}
    es = Event(kind="expression", by="solver", text="es", entities=("1",), start_ms=500.0, end_ms=900.0, data=marks)
    whole = Dialogue(id="d", pair="p", pieces=PIECES, events=(said, es), language="de", synthetic=True)
    (back,) = parse_csv(convert_to_csv(whole))
    assert back == whole
    # An earlier table without these columns says nothing about them, and is not taken for English.
    short = [",".join(line.split(",")[:12]) for line in convert_to_csv(whole).splitlines()]
    (older,) = parse_csv("\n".join(short))
    assert (older.language, older.synthetic, "shown_ms" in older.events[0].data) == ("und", False, False)
    # As spreadsheets of some countries write it.
    assert parse_csv(convert_to_csv(whole).replace(",", ";")) == [whole]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("d,p,utterence,0,9,solver,hm,,,,,", "no tier is called 'utterence'"),
        ("d,p,utterance,9,0,solver,hm,,,,,", "ends before it begins"),
        ("d,p,utterance,0,inf,solver,hm,,,,,", "end_ms"),
    ],
)
def test_a_mistyped_row_is_named_and_not_left_out(row, problem):
    with pytest.raises(MalformedInput, match=rf"t\.csv:2: .*{problem}"):
        parse_csv(",".join(list(CODEBOOK)[:12]) + "\n" + row + "\n", "t.csv")


HEAD = "dialogue,pair,tier,start_ms,end_ms,by,text,entities,uncertain,action,attributes,utterance"


def table_of_mugs(language: str, *texts: str) -> str:
    """A table from elsewhere: references to mugs 1 and 2, of which nobody coded attributes."""
    rows = [f"d,p,expression,{n}000,{n}500,solver,{text},{n % 2 + 1},,,," for n, text in enumerate(texts)]
    return "\n".join([f"{HEAD},language", *(f"{row},{language}" for row in rows)]) + "\n"


@pytest.mark.parametrize(
    ("language", "pronoun", "phrase"),
    [("en", "it", "the red mug"), ("ja", "それ", "赤いマグ"), ("de", "das", "die Tasse")],
)
def test_in_a_table_without_codes_the_words_decide_what_is_a_pronoun(language: str, pronoun: str, phrase: str) -> None:
    (dialogue,) = parse_csv(table_of_mugs(language, pronoun, phrase, pronoun))
    counted = count_corpus([dialogue])
    # Two of the three references are the pronoun.
    assert sum(counted.pronouns.values()) == 2
    assert [is_pronoun(e, language) for e in dialogue.select_tier("expression")] == [True, False, True]


def test_a_table_that_does_not_say_so_is_not_about_the_tangram() -> None:
    (mugs,) = parse_csv(table_of_mugs("en", "it", "the red mug"))
    assert mugs.pieces == {"1": {"shape": "1"}, "2": {"shape": "2"}}
    own = convert_to_dialogue(play_bot_game(GOALS["cat"], 1))
    assert parse_csv(convert_to_csv(own))[0].pieces == PIECES


def test_a_table_of_others_needs_few_columns() -> None:
    """Speakers have names, times and language may be missing, tabs are columns, objects may be moved; the utterance is found by time."""
    rows = [
        "tier\tstart_ms\tend_ms\tby\ttext\tentities\tx\ty",
        "position\t0\t\t\t\ttaza1\t10\t20",
        "utterance\t0\t1000\tAna\tcoge la taza roja\t\t\t",
        "expression\t200\t1000\tAna\tla taza roja\ttaza1, taza2\t\t",
    ]
    (dialogue,) = parse_csv("\n".join(rows), "mesa.csv")
    assert (dialogue.id, dialogue.pair, dialogue.language) == ("mesa", "mesa", "und")
    (expression,) = dialogue.select_tier("expression")
    assert (expression.by, expression.entities, expression.data["utterance"]) == ("Ana", ("taza1", "taza2"), 0)
    assert dialogue.select_tier("position")[0].data == {"x": 10.0, "y": 20.0}
    assert parse_csv(convert_to_csv(dialogue), "mesa.csv")[0].events == dialogue.events


def test_columns_of_a_csv_are_named_when_they_lack_or_would_not_be_read():
    with pytest.raises(MalformedInput, match="no column text or entities"):
        parse_csv("tier,start,value\nutterance,1,hello\n")
    with pytest.raises(MalformedInput, match="'start' would not be read") as wrong:
        parse_csv("tier,text,entities,start\nutterance,hello,,1\n")
    assert "start_ms" in str(wrong.value.remedy)


PLAIN = "tier,by,text,entities,utterance,language\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (PLAIN + "utterance,ann,take it,,,en\nexpression,ann,it,m1,7,en\n", "'t' has no utterance 7"),
        (PLAIN + 'utterance,ann,"take it,,,en\nexpression,ann,it,m1,0,en\n', r"t\.csv:2: quotation marks"),
        (PLAIN + "utterance,ann,take it,,,en\nexpression,ann,it,m1,0,de\n", r"t\.csv:3: .* is 'de', and above 'en'"),
        (PLAIN + "utterance,ann,take it,,,English\n", "'English'"),
        ("tier,text,text,entities\nutterance,a,b,\n", "two columns are called 'text'"),
    ],
)
def test_a_table_that_would_be_misread_is_refused(text: str, problem: str) -> None:
    with pytest.raises(MalformedInput, match=problem):
        parse_csv(text, "t.csv")


def test_headers_may_be_capitals_rows_empty_and_names_of_objects_two_words() -> None:
    rows = [
        "Tier , TEXT,Entities",
        "expression,the red mug,red mug",
        ",,",
        "expression,both,red mug; jug",
        "expression,them,1 2",
    ]
    (dialogue,) = parse_csv("\n".join(rows), "t.csv")
    assert [e.entities for e in dialogue.select_tier("expression")] == [("red mug",), ("red mug", "jug"), ("1", "2")]
