"""Plural forms: every language has those its rules tell apart, and the rules of Python's library are those of the browser's engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from study_server import change, study_folder

from machine import lacking
from referee.errors import InputError
from referee_lab.study.folder.study import open_study
from referee_lab.study.texts import LANGUAGES, load_interface_words
from referee_lab.study.texts.plurals import COUNTED, get_plural_categories, inflect

TEXTS = Path(__file__).parents[2] / "src/referee_lab/study/texts"
# Arabic has all six categories, Polish and Russian have four, Hebrew has a form for two.
OTHERS = ("ar", "he", "pl", "ru")
NUMBERS = [*range(130), 1000, 1001, 1_000_000]
ASK_NODE = """
const [languages, numbers] = JSON.parse(process.argv[1]);
console.log(JSON.stringify(Object.fromEntries(languages.map((language) => {
  const rules = new Intl.PluralRules(language);
  return [language, numbers.map((n) => rules.select(n))];
}))));
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_the_forms_that_its_rules_tell_apart_and_no_others(language: str) -> None:
    words = (TEXTS / language / "strings.toml").read_text("utf-8")
    for name in COUNTED:
        forms = set(re.findall(rf"(?m)^{name}_(zero|one|two|few|many|other) =", words))
        assert forms == get_plural_categories(language), (language, name)
        assert f"\n{name} =" not in words, "a counted word has forms and none beside them"


def test_the_rules_of_python_are_those_of_the_browser() -> None:
    """Both are Unicode's (CLDR); Node has the engine of Chromium."""
    node = shutil.which("node")
    if node is None:
        lacking("Node is not installed")
    asked = json.dumps([[*LANGUAGES, *OTHERS], NUMBERS])
    said = subprocess.run([node, "-e", ASK_NODE, asked], capture_output=True, text=True, check=True).stdout
    for language, browser in json.loads(said).items():
        words = {f"x_{category}": category for category in get_plural_categories(language)}
        assert [inflect(words, language, "x", n) for n in NUMBERS] == browser, language


# By hand: what somebody who speaks the language would write.
SAID = [
    ("en", "days", 1, "1 day"),
    ("en", "days", 14, "14 days"),
    ("en", "tasks_there", 1, "There is 1 task."),
    ("de", "days", 1, "1 Tag"),
    ("de", "days", 0, "0 Tagen"),
    ("pt", "days", 0, "0 dia"),
    ("es", "short_tasks", 2, "2 tareas breves"),
    ("nl", "tasks_there", 60, "Er zijn 60 taken."),
    ("ja", "days", 1, "1 日"),
    ("zh", "scene", 7, "含 7 个物体的场景"),
    ("pt-BR", "minutes", 1, "1 minuto"),
]


@pytest.mark.parametrize(("language", "name", "n", "said"), SAID)
def test_numbers_have_their_nouns(language: str, name: str, n: int, said: str) -> None:
    assert inflect(load_interface_words(language), language, name, n) == said


def test_a_consent_text_promises_one_day_and_not_one_days(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, withdrawal_days="1")
    assert "deleted after 1 day." in open_study(folder).texts["consent"]
    change(folder, withdrawal_days="14")
    assert "deleted after 14 days." in open_study(folder).texts["consent"]


def test_pages_of_older_studies_go_on_working(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    path = folder / "texts" / "en" / "consent.md"
    path.write_text("{trials} tasks, {minutes} minutes, gone after {withdrawal_days} days", "utf-8")
    assert re.fullmatch(r"\d+ tasks, \d+ minutes, gone after 14 days", open_study(folder).texts["consent"])


def test_a_study_in_another_language_brings_its_own_forms(tmp_path: Path) -> None:
    own = tmp_path / "strings.toml"
    own.write_text(
        'days_one = "{n} dzień"\ndays_few = "{n} dni"\ndays_many = "{n} dni"\ndays_other = "{n} dnia"\n', "utf-8"
    )
    words = load_interface_words("pl", own)
    assert [inflect(words, "pl", "days", n) for n in (1, 3, 5, 22)] == ["1 dzień", "3 dni", "5 dni", "22 dni"]
    own.write_text('days_two = "{n} dni"\n', "utf-8")
    with pytest.raises(InputError, match="days_two"):
        load_interface_words("pl", own)
