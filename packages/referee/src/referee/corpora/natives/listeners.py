"""Answers of listeners.

Exports of jsPsych, Gorilla, Qualtrics, Mechanical Turk, Empirica, PsychoPy, magpie and oTree, and plain tables.

A reader of a platform selects the rows that are answers and names the columns that the platform fixes; `read_listeners` does the rest for all of them.
Ids of participants are hashed. A missing answer is left out and counted; it is never wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee.corpora.natives.columns import (
    NESTED,
    ROLES,
    find_column,
    get_usual_name,
    infer_roles,
    is_usual_name,
    simplify_name,
    split_field,
)
from referee.corpora.natives.described import SYSTEM, find_crossed_column, get_format, parse_texts
from referee.corpora.natives.material import Declared, NativeData, format_id, hash_person, make_trial, parse_number
from referee.corpora.reading.tables import Table, is_missing, read_table
from referee.errors import InputError
from referee.files import drop_endings
from referee.records import Description, Outcome, Response

LISTENED = ("correct", "participant", "system", "chosen", "target", "trial", "time", "text", "language", "scene")
RIGHT = frozenset({"1", "true", "yes", "correct", "right", "c", "t", "y", "hit", "ja", "oui", "richtig", "success"})
WRONG = frozenset({"0", "false", "no", "incorrect", "wrong", "i", "f", "n", "miss", "nein", "non", "falsch", "failure"})
RIGHT |= {"si", "sí", "vrai", "goed", "juist", "wahr", "correcto", "✓", "✔", "正解", "正确", "对"}
WRONG |= {"faux", "fout", "onjuist", "unwahr", "incorrecto", "✗", "✘", "不正解", "错误", "错"}
NOTHING = frozenset({"", "na", "n/a", "nan", "null", "none", "undefined", "{}", "-99"})
NOTHING |= {"timeout", "time out", "timed out", "timed_out", "no response", "no_response", "no answer"}
_CONDITIONS = ("condition", "cond", "bedingung", "speaker", "speakertype", "source", "version", "variant")
# A column that says in which order objects were shown makes a position something else than an object.
SHUFFLED = re.compile(r"order|shuffl|position|permut|arrangement")


@dataclass(frozen=True, slots=True)
class Platform:
    """The answer format of a platform.

    Args:
        name: of the format.
        matches: whether a table with these columns is one of its exports.
        select: returns the rows with answers, with columns without the platform's prefixes; the last argument says whether a key names the questions.
        roles: the fixed column of each role.
        is_tried: whether the reader was tested with a file that the platform wrote, or one with exactly its fields.
        reserved: columns of the platform without a role.
    """

    name: str
    matches: Callable[[Table], bool]
    select: Callable[[Table, NativeData, bool], Table]
    roles: Mapping[str, str]
    is_tried: bool = False
    reserved: tuple[str, ...] = ()


def has_listeners(table: Table, declared: Declared) -> bool:
    """Return whether a plain table has listeners' answers: right or wrong, or a choice beside a target, and no
    reference text.
    """
    columns, asked = {get_usual_name(c) for c in table.columns}, declared.columns.keys()
    if asked & {"questions", "correct"} or {"chosen", "target"} <= asked:
        return True

    def has(role: str, tiers: int = 1) -> bool:
        return role in declared.columns or any(columns & set(tier) for tier in ROLES[role][:tiers])

    if has("references", 2) or "references" in declared.columns:
        return has("participant") and (has("correct") or (has("chosen") and has("target", 2)))
    if has("participant", 2) and (has("correct") or (has("chosen", 3) and has("target", 3))):
        return True
    return (has("chosen") and has("target", 2)) or (has("correct") and not has("text"))


def lengthen_systems(table: Table, declared: Declared) -> Table:
    """Return a table with a row per system, from one with a column of answers per system (``choice_A``, ``choice_B``)."""
    fields = {*ROLES["correct"][0], *ROLES["chosen"][0], *ROLES["time"][0]}
    systems: dict[str, dict[str, str]] = {}
    for column in table.columns:
        split = split_field(column, fields)
        if column in declared.systems:
            systems[column] = {column: "correct" if _holds_truths(table, column) else "chosen"}
        elif split is not None and not is_usual_name(column):
            systems.setdefault(split[1], {})[column] = split[0]
    target = find_column(table, "target", declared)
    targets = set() if target is None else set(map(format_id, table.column(target)))

    def is_answered(columns: Mapping[str, str]) -> bool:
        """Return whether columns have right and wrong, or choices among the targets."""
        return any(
            _holds_truths(table, column)
            if field in ROLES["correct"][0]
            else field in ROLES["chosen"][0] and bool(targets & set(map(format_id, table.column(column))))
            for column, field in columns.items()
        )

    answered = {name: columns for name, columns in systems.items() if is_answered(columns) and not name.isdigit()}
    others = [find_column(table, role, declared, tiers=1) for role in ("system", "correct", "chosen")]
    return table.lengthen(answered, SYSTEM) if len(answered) > 1 and not any(others) else table


def recognise_platform(table: Table) -> Platform | None:
    """Return the platform that wrote a table; None for a plain table."""
    return next((platform for platform in PLATFORMS if platform.matches(table)), None)


def read_listeners(table: Table, declared: Declared, platform: Platform | None = None) -> NativeData:
    """Return the listeners' answers in a table as data of this package.

    Raises:
        InputError: if the column of the item, the choice or the target is ambiguous.
    """
    material = NativeData("listeners", platform.name if platform else get_format(table.source))
    key = declared.column("questions")
    aliases = _map_import_ids(table) if platform is not None and platform.name == "qualtrics" else {}
    if platform is not None:
        material.is_tried = platform.is_tried
        table = _drop_practice(platform.select(table, material, key is not None), material)
        fixed = {role: column for role, column in platform.roles.items() if column in table.columns}
        hidden = {c for c in table.columns if c in platform.reserved and c not in declared.columns.values()}
        if hidden:
            rows = [{k: v for k, v in row.items() if k not in hidden} for row in table.rows]
            table = Table.of(table.source, rows, table.lines)
        declared = replace(declared, columns={**fixed, **declared.columns})
    if key is not None:
        table = _lengthen_questions(table, read_table(key), aliases)
        declared = replace(declared, columns={"chosen": ANSWER, **declared.columns})
    if not table.rows:
        dropped = "; ".join(
            sentence.format(count).rstrip(".") for sentence, count in material.left_out.items() if count
        )
        raise table.make_error(
            f"there are no answers in this file{f' ({dropped})' if dropped else ''}", "name the file with the answers"
        )
    table = _drop_practice(table, material)
    roles = _find_roles(table, declared)
    if "trial" not in declared.columns:
        _check_items(table, roles)
    table = _split_names(table, roles)
    if "correct" not in roles:
        _check_positions(table, roles, declared)
    elif "correct" not in declared.columns:
        _check_verdicts(material, table, roles)
    material.mapping = dict(roles)
    _add_responses(material, table, roles, declared)
    return material


# Columns that mark practice trials and attention checks by yes or no, and names of those that say the part of a study.
_PRACTICE = re.compile(r"(is)?((practi[cs]e|training|warmup|catch|attention)(trial|check)?|excluded?)")
_INCLUDED = re.compile(r"(is)?included?")
_PARTS = re.compile(r"phase|block|stage|section|trial|task|type|kind|display|screen|item|stim|^part$")
_PRACTICE_CELL = re.compile(
    r"(prac|practi[cs]e|training|warm ?up|attention|catch)( ?(trials?|checks?|items?|blocks?|phase|round|task))? ?\d*"
)


def _drop_practice(table: Table, material: NativeData) -> Table:
    """Return the rows that no column marks as practice, as a check of attention, or as excluded."""
    simple = {c: simplify_name(c) for c in table.columns}
    marks = [c for c in table.columns if _PRACTICE.fullmatch(simple[c])]
    included = [c for c in table.columns if _INCLUDED.fullmatch(simple[c])]
    # PsychoPy counts the rows of a loop under the loop's name.
    loops = [c for c in table.columns if re.fullmatch(r"\w*(prac|train|warm)\w*\.thisN", c, re.IGNORECASE)]
    used = {*_CONDITIONS, *(n for role in ("chosen", "target", "participant") for tier in ROLES[role] for n in tier)}
    parts = [c for c in table.columns if c not in marks and simple[c] not in used and _PARTS.search(simple[c])]

    def is_practice(row: Mapping[str, Any]) -> bool:
        """Return whether a row is marked as practice, or not marked as included."""
        words = (re.sub(r"[\s_-]+", " ", str(row.get(c) or "").strip().lower()) for c in parts)
        is_marked = any(_parse_truth(row.get(c)) for c in marks)
        is_excluded = any(_parse_truth(row.get(c)) is False for c in included)
        is_looped = any(not _is_nothing(row.get(c)) for c in loops)
        return is_marked or is_excluded or is_looped or any(map(_PRACTICE_CELL.fullmatch, words))

    chosen = [i for i, row in enumerate(table.rows) if not is_practice(row)]
    dropped = len(table.rows) - len(chosen)
    if dropped:
        material.left_out["Practice trials, attention checks and excluded rows, left out: {}."] += dropped
    return Table(table.source, table.columns, [table.rows[i] for i in chosen], [table.lines[i] for i in chosen])


def _split_names(table: Table, roles: Mapping[str, str]) -> Table:
    """Return the table with one choice in each cell, and targets such as "cup, dog" as lists.

    Raises:
        MalformedInput: if a cell has several choices.
    """
    chosen, target = roles.get("chosen"), roles.get("target")
    if chosen is None or target is None:
        return table
    choices = [[format_id(part) for part in parse_texts(row.get(chosen))] for row in table.rows]
    single = {part for parts in choices for part in parts if len(parts) == 1}
    names = single | {format_id(cell) for cell in table.column(target)}
    goals = [str(cell) for cell in table.column(target) if isinstance(cell, str) and cell not in single]
    sign = next((s for s in (",", ";", "|") if any(single & set(_split(goal, s)) for goal in goals if s in goal)), None)
    rows = []
    for row, line, parts in zip(table.rows, table.lines, choices, strict=True):
        listed = (
            [_split(parts[0] or "", s) for s in (",", ";", "|")] if parts and parts[0] not in names - single else []
        )
        if len(parts) > 1 or any(len(part) > 1 and set(part) <= names for part in listed):
            raise table.make_error(
                f"several objects are chosen ({row.get(chosen)})",
                "add a column with right or wrong: --map correct=COLUMN",
                line,
            )
        goal = row.get(target)
        goals_of_row = _split(goal, sign) if sign is not None and isinstance(goal, str) and sign in goal else goal
        rows.append({**row, chosen: parts[0] if parts else None, target: goals_of_row})
    return Table(table.source, table.columns, rows, table.lines)


def _split(text: str, sign: str) -> list[str]:
    """Return the parts of a text between signs, without blanks around them."""
    return [part.strip() for part in text.split(sign)]


def _check_verdicts(material: NativeData, table: Table, roles: Mapping[str, str]) -> None:
    """Check right and wrong against choices and targets.

    Raises:
        InputError: if the column may hold the number of the right answer, or contradicts choices and targets.
    """
    if "chosen" not in roles:
        return
    rows = [row for row in table.rows if not any(_is_nothing(row.get(roles[r])) for r in ("correct", "chosen"))]
    pairs = [(format_id(row.get(roles["trial"])), format_id(row.get(roles["correct"]))) for row in rows]
    chosen = {format_id(row.get(roles["chosen"])) for row in rows}
    if "target" not in roles:
        is_index = chosen <= {verdict for _, verdict in pairs} and len(set(pairs)) == len({item for item, _ in pairs})
        if is_index and len(chosen) > 1:
            raise table.make_error(
                f"{roles['correct']!r} is the same for all answers to an item and has the values of {roles['chosen']!r}, so it "
                "may be the number of the right answer",
                f"--map correct={roles['correct']} if it says right or wrong, "
                f"or --map chosen={roles['chosen']},target={roles['correct']}",
            )
        return
    goals = [set(map(format_id, parse_texts(row.get(roles["target"])))) for row in rows]
    if not chosen & set().union(*goals):
        return
    count = sum(
        (format_id(row.get(roles["chosen"])) in goal) is not _parse_truth(row.get(roles["correct"]))
        for row, goal in zip(rows, goals, strict=True)
        if goal
    )
    what = f"{count:,} of {len(rows):,} answers"
    # Positions may count displays in another order.
    if count > len(rows) / 10 and not all((name or "").isdigit() for name in chosen):
        raise table.make_error(
            f"{roles['correct']!r} contradicts {roles['chosen']!r} and {roles['target']!r} in {what}",
            f"name the column that counts: --map correct={roles['correct']}",
        )
    if count:
        material.notes.append(f"In {what} {roles['correct']!r} contradicts choice and target; it counts.")


def _find_roles(table: Table, declared: Declared) -> dict[str, str]:
    """Return the column of each role. Raises InputError if item, choice or target has none."""
    if "trial" not in declared.columns:
        item = _find_item_column(table, declared)
        if item is not None:
            declared = replace(declared, columns={**declared.columns, "trial": item})
    roles = infer_roles(table, LISTENED, declared)
    if "text" in roles and "text" not in declared.columns and get_usual_name(roles["text"]) not in ROLES["text"][0]:
        del roles["text"]  # 'answer' or 'response' is a listener's choice
    if "trial" not in declared.columns and _counts_rows(table, roles):
        shown = [roles.get("scene"), *(c for c in table.columns if simplify_name(c) in _SHOWN)]
        item = next((c for c in shown if c != roles.get("trial") and _identifies_items(table, roles, c)), None)
        if item is not None:
            roles["trial"] = item
            roles = {role: column for role, column in roles.items() if role != "scene" or column != item}
    if "trial" in roles and "system" not in roles and (condition := find_crossed_column(table, roles, _CONDITIONS)):
        roles["system"] = condition
    if "trial" not in roles:
        raise table.make_error(
            "no column names the item of an answer", f"--map trial=COLUMN (columns are {_list_columns(table)})"
        )
    if "correct" in roles and not _holds_truths(table, roles["correct"]):
        # A column 'correct' may hold the right answer instead.
        if "correct" in declared.columns or "target" in roles or "chosen" not in roles:
            values = dict.fromkeys(map(format_id, table.column(roles["correct"])))
            raise table.make_error(
                f"the column {roles['correct']!r} holds neither right and wrong nor 1 and 0 "
                f"({', '.join(list(filter(None, values))[:3])})",
                "--map correct=COLUMN, or --map target=COLUMN,chosen=COLUMN",
            )
        roles["target"] = roles.pop("correct")
    if "correct" not in roles and not {"chosen", "target"} <= roles.keys():
        missing = "target" if "chosen" in roles else "chosen" if "target" in roles else "correct"
        raise table.make_error(
            f"no column marks correct answers (no {missing})",
            f"--map correct=COLUMN, or --map chosen=COLUMN,target=COLUMN (columns are {_list_columns(table)})",
        )
    return roles


_SHOWN = ("stimulus", "stim", "stimulusid", "stimid", "image", "picture", "scene", "display")


def _counts_rows(table: Table, roles: Mapping[str, str]) -> bool:
    """Return whether no column names the item, or the one that may is a number of rows or has several targets."""
    if "trial" not in roles or _find_conflict(table, roles, roles["trial"]) is not None:
        return True
    cells = list(map(format_id, table.column(roles["trial"])))
    people = {format_id(cell) for cell in table.column(roles.get("participant", ""))}
    return len(people) > 1 and len(set(cells)) == len(cells) and all((c or "").isdigit() for c in cells)


def _check_items(table: Table, roles: Mapping[str, str]) -> None:
    """Raise InputError if the column taken for the item may count trials and one value of it has several targets."""
    item = simplify_name(roles["trial"])
    if not (item.startswith("trial") or item in ROLES["trial"][-1]):
        return
    conflict = _find_conflict(table, roles, roles["trial"])
    if conflict is not None:
        name, first, second = conflict
        raise table.make_error(
            f"column {roles['trial']!r} seems to number trials, not items: {name} has the targets {first!r} and {second!r}",
            f"name the column of items: --map trial=COLUMN (columns are {_list_columns(table)})",
        )


def _find_conflict(table: Table, roles: Mapping[str, str], column: str) -> tuple[str | None, str, str] | None:
    """Return a value of a column and two targets that it has; None if every value has one."""
    targets: dict[str | None, str] = {}
    for row in table.rows if "target" in roles else ():
        name, target = format_id(row.get(column)), format_id(row.get(roles["target"]))
        if target is not None and targets.setdefault(name, target) != target:
            return name, targets[name], target
    return None


def _identifies_items(table: Table, roles: Mapping[str, str], column: str | None) -> bool:
    """Return whether a column names the item: no participant answers a value twice, and each value has one target."""
    if column is None:
        return False
    keys = [
        tuple(format_id(row.get(c)) for c in (roles.get("participant", ""), roles.get("system", ""), column))
        for row in table.rows
    ]
    is_filled = all(key[-1] is not None for key in keys) and len({key[-1] for key in keys}) > 1
    return is_filled and len(set(keys)) == len(keys) and _find_conflict(table, roles, column) is None


def _find_item_column(table: Table, declared: Declared) -> str | None:
    """Return the column of the item; `item` is preferred to `trial`, which often counts a participant's trials."""
    taken = set(declared.columns.values())
    items = [
        c
        for c in table.columns
        if simplify_name(c).startswith("item") and simplify_name(c) in ROLES["trial"][0] and c not in taken
    ]
    return items[0] if len(items) == 1 else None


def _list_columns(table: Table) -> str:
    return ", ".join(table.columns[:20]) + (" …" if len(table.columns) > 20 else "")


def _holds_truths(table: Table, column: str) -> bool:
    cells = [c for c in table.column(column) if not _is_nothing(c)]
    return bool(cells) and all(_parse_truth(cell) is not None for cell in cells)


def _parse_truth(cell: Any) -> bool | None:
    """Return whether a cell marks a right answer; numbers may have decimals (1.0 or 1,0). None for other cells."""
    number = parse_number(cell)
    text = (format_id(cell if number is None else number) or "").lower()
    return True if text in RIGHT else False if text in WRONG else None


def _is_nothing(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in NOTHING)


def _check_positions(table: Table, roles: Mapping[str, str], declared: Declared) -> None:
    """Raise InputError if choices are numbers, displays were shuffled, and the meaning of the numbers is not declared."""
    is_declared = {"chosen", "target"} <= declared.columns.keys()
    free = [c for c in table.columns if c not in roles.values()]
    shuffled = [c for c in free if SHUFFLED.search(simplify_name(c)) or _is_shuffled(table, c, roles["trial"])]
    cells = [format_id(c) for c in table.column(roles["chosen"]) if not _is_nothing(c)]
    if not is_declared and shuffled and cells and all((c or "").isdigit() for c in cells):
        raise table.make_error(
            f"the choices in {roles['chosen']!r} are numbers, and {shuffled[0]!r} indicates that displays were shuffled",
            "add a column with right or wrong, or, if both columns give the position of an object, declare them: "
            f"--map chosen={roles['chosen']},target={roles['target']}",
        )
    targets = {format_id(part) for c in table.column(roles["target"]) if not _is_nothing(c) for part in parse_texts(c)}
    # Declared columns may hold wrong answers only, but not sentences about objects that have short names.
    is_wordy = sum(len((c or "").split()) > 1 for c in cells) > len(cells) / 2 and all(
        len((t or "").split()) == 1 for t in targets
    )
    chosen = set(cells)
    problem = None
    if cells and targets and not targets & chosen and (is_wordy or not is_declared):
        problem = "no choice in {!r} occurs in {!r}, so they name objects differently"
    elif not is_declared and ("0" in chosen) is not ("0" in targets) and _are_counted(chosen) and _are_counted(targets):
        problem = "the positions in {!r} and {!r} are counted from 0 in one column and from 1 in the other"
    elif not is_declared and len(set(map(_fold_name, chosen | targets))) < len(chosen | targets):
        problem = "some names in {!r} and {!r} differ in capitals or endings only"
    if problem is not None:
        raise table.make_error(
            problem.format(roles["chosen"], roles["target"]),
            "write names and numbers alike, or add a column with right or wrong; if they are alike: "
            f"--map chosen={roles['chosen']},target={roles['target']}",
        )


def _are_counted(names: Collection[str | None]) -> bool:
    return len(names) > 1 and all((name or "").isdigit() for name in names)


def _fold_name(name: str | None) -> str:
    """Return a name in lower case, without the ending of a file and a fraction of 0."""
    return re.sub(r"\.(0+|png|jpe?g|gif|svg|webp|bmp)$", "", (name or "").strip().lower())


def _is_shuffled(table: Table, column: str, item: str) -> bool:
    """Return whether a column has lists of the same elements in another order for the same item."""
    orders: dict[str | None, list[str]] = {}
    for row in table.rows:
        cell = row.get(column)
        is_list = isinstance(cell, list) or (isinstance(cell, str) and cell.startswith("["))
        listed = list(map(str, parse_texts(cell))) if is_list else []
        first = orders.setdefault(format_id(row.get(item)), listed)
        if first != listed and sorted(first) == sorted(listed):
            return True
    return False


def _add_responses(material: NativeData, table: Table, roles: Mapping[str, str], declared: Declared) -> None:
    """Add the rows of a table as responses."""
    unanswered, untargeted = 0, 0
    # Platforms write milliseconds.
    unit = 1.0 if "time" in declared.columns else _infer_time_unit(material, table, roles.get("time"))
    default = "listeners" if table.source == "rows" else drop_endings(table.source)
    answered: dict[tuple[str, str, str], int] = {}
    for row, line in zip(table.rows, table.lines, strict=True):

        def get_cell(role: str, row: Mapping[str, Any] = row) -> Any:
            value = row.get(roles[role]) if role in roles else None
            return None if _is_nothing(value) else value

        system = format_id(get_cell("system")) or default
        if declared.systems and system not in declared.systems:
            material.unchosen.add(system)
            continue
        name, answer = format_id(get_cell("trial")), _parse_answer(get_cell, roles)
        if answer is None:
            is_lacking = "correct" not in roles and format_id(get_cell("chosen")) is not None
            untargeted, unanswered = untargeted + is_lacking, unanswered + (not is_lacking)
            continue
        if name is None:
            raise table.make_error(f"the cell {roles['trial']!r} is empty", "give every answer its item", line)
        person = format_id(get_cell("participant"))
        if "participant" in roles and person is None:
            raise table.make_error(
                f"the cell {roles['participant']!r} is empty", "write the participant's id into it", line
            )
        hearer = hash_person(person) if person else default
        # Several people may answer one system's item, each of them once.
        first = answered.setdefault((system, name, hearer), line)
        if first != line and person is None:
            raise table.make_error(
                f"item {name!r} of {system} has several answers (first in line {first}), and no column names the participant",
                f"name it: --map participant=COLUMN (columns are {_list_columns(table)})",
                line,
            )
        if first != line:
            raise table.make_error(
                f"the same participant answers item {name!r} of {system} twice (first in line {first})",
                "keep one answer, or name the columns: --map trial=COLUMN,participant=COLUMN,system=COLUMN",
                line,
            )
        is_right, chosen, target = answer
        material.add_trial(
            make_trial(
                name, targets=(target,), scene=format_id(get_cell("scene")), language=format_id(get_cell("language"))
            )
        )
        goal = material.trials[name].targets[0]
        text = get_cell("text")
        material.responses.append(
            Response(
                trial=name,
                hearer=hearer,
                outcome=Outcome.ENTITY,
                system=system,
                # Where only right or wrong is rounds_by_id, the other object has no name.
                entity=goal if is_right else chosen if chosen is not None and chosen != goal else f"not {goal}",
                description=Description(text=str(text)) if isinstance(text, str) else None,
                identification_ms=None if (time := parse_number(get_cell("time"))) is None else time * unit,
            )
        )
    _drop_varying_scenes(material, table, roles)
    if unanswered:
        material.left_out["Rows without an answer, left out: {}."] += unanswered
    if untargeted:
        material.left_out["Answers without a target, left out: {}."] += untargeted
    if not material.responses and not material.unchosen:
        raise table.make_error("no row has an answer", "check the columns: --map chosen=COLUMN or --map correct=COLUMN")


def _infer_time_unit(material: NativeData, table: Table, column: str | None) -> float:
    """Return the milliseconds per unit of a column of times; a median below 60 means seconds."""
    times = sorted(t for t in map(parse_number, table.column(column or "")) if t is not None)
    if not times or times[len(times) // 2] >= 60:
        return 1.0
    material.notes.append(f"The times in {column!r} are read as seconds.")
    return 1000.0


def _drop_varying_scenes(material: NativeData, table: Table, roles: Mapping[str, str]) -> None:
    """Remove labels of scenes under which one item occurs in several, because they are no property of the item."""
    if "scene" not in roles:
        return
    pairs = {(format_id(row.get(roles["trial"])), format_id(row.get(roles["scene"]))) for row in table.rows}
    if len(pairs) > len({item for item, _ in pairs}):
        del material.mapping["scene"]
        for name, trial in material.trials.items():
            material.trials[name] = replace(trial, scene=replace(trial.scene, id=None))


def _parse_answer(cell: Callable[[str], Any], roles: Mapping[str, str]) -> tuple[bool, str | None, str] | None:
    """Return whether an answer is right, the choice, and the target; None without an answer."""
    chosen, targets = format_id(cell("chosen")), [t for t in map(format_id, parse_texts(cell("target"))) if t]
    target = targets[0] if targets else "target"
    if "correct" in roles:
        is_right = _parse_truth(cell("correct"))
        # Experiments mark a trial that timed out as wrong.
        is_silent = "chosen" in roles and chosen is None and not is_right
        return None if is_right is None or is_silent else (is_right, chosen, target)
    return None if chosen is None or not targets else (chosen in targets, chosen, target)


# -- platforms -----------------------------------------------------------------------------------------------------------------


def _has(*names: str) -> Callable[[Table], bool]:
    """Return a function that tells whether a table has all the named columns."""
    return lambda table: set(names) <= set(table.columns)


def _select_rows(table: Table, chosen: Sequence[int], rename: Callable[[str], str] = str) -> Table:
    rows = [{rename(name): value for name, value in table.rows[i].items()} for i in chosen]
    return Table.of(table.source, rows, [table.lines[i] for i in chosen])


def _select_jspsych(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return the jsPsych trials that have a response and an item; the participant may be named in the file name only."""
    items = [
        c for c in table.columns if simplify_name(c) in (*ROLES["trial"][0], *ROLES["trial"][1]) and c not in _JSPSYCH
    ]
    verdicts = [
        c for c in table.columns if simplify_name(c) in (*ROLES["correct"][0], *ROLES["target"][0], *ROLES["target"][1])
    ]
    if not verdicts:
        raise table.make_error(
            "no field has the correct answer (target or correct)",
            "add it to the trial's data, or name it: --map target=FIELD",
        )

    def is_answer(row: Mapping[str, Any]) -> bool:
        """Return whether a row has a verdict and an item."""
        return any(not _is_nothing(row.get(c)) for c in verdicts) and any(
            not _is_nothing(row.get(c)) for c in items or [verdicts[0]]
        )

    chosen = [i for i, row in enumerate(table.rows) if is_answer(row)]
    if dropped := len(table.rows) - len(chosen):
        material.left_out["Rows without an item or a target (instructions, surveys), left out: {}."] += dropped
    selected = _select_rows(table, chosen)
    selected = Table.of(selected.source, list(map(_unwrap_answer, selected.rows)), selected.lines)
    if find_column(selected, "participant", Declared()) is not None:
        return selected
    # The trials of a participant are counted; where the count begins again, as in files with one list per line, another participant begins.
    name, last, number, rows = drop_endings(table.source), -1.0, 1, []
    for row in selected.rows:
        index = parse_number(row.get("trial_index"))
        number += index is not None and index <= last
        last = last if index is None else index
        rows.append({**row, "participant": name if number == 1 else f"{name}#{number}"})
    material.notes.append(
        "No field names the participant: each file, and each restart of its trial numbers, counts as one."
    )
    return Table.of(selected.source, rows, selected.lines)


def _unwrap_answer(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a trial with the answer to a survey with one question (``{"Q0": "pear"}``) as its response.

    Answers to several questions get a column each.
    """
    cell = row.get("response")
    try:
        value = json.loads(cell) if isinstance(cell, str) and cell.startswith("{") else cell
    except ValueError:
        return row
    if not isinstance(value, dict):
        return row
    if len(value) == 1:
        return {**row, "response": next(iter(value.values()))}
    others = {name: part for name, part in row.items() if name != "response"}
    return others | {f"response{NESTED}{name}": part for name, part in value.items()}


_JSPSYCH = (
    "trial_type",
    "trial_index",
    "plugin_version",
    "time_elapsed",
    "internal_node_id",
    "stimulus",
    "view_history",
)


def _select_gorilla(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return the rows with responses from Gorilla: zones ``response_…``, or the type ``response`` (Task Builder 2)."""
    kinds = [c for c in ("Response Type", "Zone Type") if c in table.columns]

    def is_answer(row: Mapping[str, Any]) -> bool:
        """Return whether a row is an event with a response."""
        if str(row.get("Event Index") or "").startswith(("END", "BEGIN")):
            return False
        return (
            any(str(row.get(c) or "").lower().startswith("response") for c in kinds)
            if kinds
            else not _is_nothing(row.get("Response"))
        )

    selected = _select_rows(
        table, [i for i, row in enumerate(table.rows) if is_answer(row)], lambda c: c.removeprefix("Spreadsheet: ")
    )
    # A trial that timed out is marked as incorrect.
    rows = [
        {**row, "Correct": None} if _is_nothing(row.get("Response")) or _parse_truth(row.get("Timed Out")) else row
        for row in selected.rows
    ]
    selected = Table.of(selected.source, rows, selected.lines)
    seen: dict[tuple[Any, ...], int] = {}
    for row, line in zip(selected.rows, selected.lines, strict=True):
        where = tuple(
            row.get(c)
            for c in ("Participant Private ID", "Task Name", "Spreadsheet Row", "Trial Number", "Screen Name")
        )
        if any(part is not None for part in where[2:4]) and seen.setdefault(where, line) != line:
            raise table.make_error(
                "a participant has several response rows in one trial",
                "keep the zone with the choice, and leave the other rows out",
                line,
            )
    return selected


_GORILLA = (
    *("Event Index", "UTC Timestamp", "UTC Date", "UTC Date and Time", "Local Timestamp", "Local Timezone"),
    *("Local Date", "Local Date and Time", "Experiment ID", "Experiment Version", "Tree Node Key", "Repeat Key"),
    *("Schedule ID", "Participant Public ID", "Participant Starting Group", "Participant Status"),
    *("Participant Completion Code", "Participant External Session ID", "Participant Device Type"),
    *("Participant Device", "Participant OS", "Participant Browser", "Participant Monitor Size"),
    *("Participant Viewport Size", "Checkpoint", "Room ID", "Room Order", "Task Name", "Task Version"),
    *("Spreadsheet", "Spreadsheet Name", "Spreadsheet Row", "Trial Number", "Screen Number", "Screen Name"),
    *("Screen ID", "Screen Counter", "Zone Name", "Zone Type", "Object Name", "Object ID", "Object Number"),
    *("Response Type", "Response Duration", "Reaction Onset", "Attempt", "Incorrect", "Dishonest", "X Coordinate"),
    *("Y Coordinate", "Timed Out", "Display", "display", "Tag", "Manipulation", "Current Spreadsheet", "Clipped"),
    *("Component Name", "Absolute Reaction Time", "Absolute Reaction Onset", "Absolute Duration", "Proportion"),
    *("randomise_blocks", "randomise_trials"),
)


def _select_mturk(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return the assignments of MTurk that were not rejected, without ``Input.`` and ``Answer.`` in the column names."""
    table = _lengthen_numbered(_join_options(_unpack_answers(table)), _NUMBERED, _are_shown_and_answered)
    answers = [c for c in table.columns if c.startswith("Answer.")]
    if not answers:
        raise table.make_error("there is no column Answer.…", "name the batch's results, not its input")
    filled = [c for c in answers if any(not _is_nothing(cell) for cell in table.column(c))]
    usual = [
        c
        for c in filled
        if simplify_name(c.removeprefix("Answer.")) in {n for r in ("chosen", "correct") for t in ROLES[r] for n in t}
    ]
    # A second choice is about a second item, or a second thought.
    bases = {simplify_name(c.removeprefix("Answer.")) for c in usual}
    has_second = any(
        re.sub(r"\d+$", "", simplify_name(c.removeprefix("Answer."))) in bases for c in set(filled) - {*usual}
    )
    if len(filled) > 1 and (not usual or has_second):
        raise table.make_error(
            f"several columns have answers: {', '.join(filled)}", f"--map chosen={filled[0]} or another of them"
        )
    chosen = [i for i, row in enumerate(table.rows) if row.get("AssignmentStatus") != "Rejected"]
    if dropped := len(table.rows) - len(chosen):
        material.left_out["Rejected assignments, left out: {}."] += dropped
    if "WorkTimeInSeconds" in table.columns:
        material.notes.append("Mechanical Turk times whole assignments, so there are no times of answers.")
    inputs = {simplify_name(c.removeprefix("Input.")) for c in table.columns if c.startswith("Input.")}

    def rename(name: str) -> str:
        """Return the name of a column without its prefix; the column of the choices is `choice`."""
        bare = name.removeprefix("Input.").removeprefix("Answer.")
        if (
            name == (filled or answers)[0]
            and len(filled) <= 1
            and simplify_name(bare) not in {n for r in ("chosen", "correct") for t in ROLES[r] for n in t}
        ):
            return "choice"
        return (
            bare
            if name.startswith("Input.") or (name.startswith("Answer.") and simplify_name(bare) not in inputs)
            else name
        )

    return _select_rows(table, chosen, rename)


_PACKED = "Answer.taskAnswers"


def _unpack_answers(table: Table) -> Table:
    """Return a table with the fields of crowd-form elements (one JSON text per row) as columns."""
    if _PACKED not in table.columns:
        return table
    rows = []
    for row, line in zip(table.rows, table.lines, strict=True):
        try:
            parts = json.loads(row.get(_PACKED) or "[{}]")
            fields = {k: v for part in (parts if isinstance(parts, list) else [parts]) for k, v in part.items()}
        except (ValueError, AttributeError):
            raise table.make_error(f"{_PACKED!r} is not a JSON object", "name the batch's results", line) from None
        unpacked: dict[str, Any] = {}
        for name, value in fields.items():
            is_classified = isinstance(value, dict) and set(value) == {"label"}
            for option, cell in value.items() if isinstance(value, dict) and not is_classified else [("", value)]:
                text = cell["label"] if isinstance(cell, dict) and set(cell) == {"label"} else cell
                unpacked[f"Answer.{name}" + (f".{option}" if option else "")] = text
        rows.append({**{k: v for k, v in row.items() if k != _PACKED}, **unpacked})
    return Table.of(table.source, rows, table.lines)


def _join_options(table: Table) -> Table:
    """Return a table with the chosen option in one column, from a column of true and false per option."""
    groups: dict[str, dict[str, str]] = {}
    for column in table.columns:
        group, dot, option = column.removeprefix("Answer.").partition(".")
        is_truth = all(_is_nothing(cell) or _is_tick(cell) for cell in table.column(column))
        if column.startswith("Answer.") and dot and is_truth:
            groups.setdefault(group, {})[column] = option
    options = {c for columns in groups.values() for c in columns if len(columns) > 1}
    if not options:
        return table
    rows = []
    for row, line in zip(table.rows, table.lines, strict=True):
        joined = {k: v for k, v in row.items() if k not in options}
        for group, columns in groups.items():
            ticked = [
                option for column, option in columns.items() if _parse_truth(row.get(column)) or row.get(column) == "on"
            ]
            if len(ticked) > 1:
                raise table.make_error(
                    f"several options of {group!r} are ticked ({', '.join(ticked)})",
                    "add a column with right or wrong: --map correct=COLUMN",
                    line,
                )
            joined[f"Answer.{group}"] = ticked[0] if ticked else None
        rows.append(joined)
    return Table.of(table.source, rows, table.lines)


def _is_tick(cell: Any) -> bool:
    return isinstance(cell, bool) or str(cell).strip().lower() in ("true", "false", "on")


_NUMBERED = re.compile(r"(?P<field>(?:Input|Answer)\.\w*?[a-zA-Z])_?(?P<number>\d+)")
# Loops of Qualtrics write 1_choice, blocks of questions choice_1.
_LOOPED = re.compile(r"(?P<number>\d+)_(?P<field>[a-zA-Z]\w*)")
_SUFFIXED = re.compile(r"(?P<field>[a-zA-Z]\w*?)_(?P<number>\d+)")


def _lengthen_numbered(table: Table, pattern: re.Pattern[str], is_item: Callable[[set[str]], bool]) -> Table:
    """Return a table with a row per item from rows that have several items in numbered columns."""
    numbered: dict[str, dict[str, str]] = {}
    for column in table.columns:
        if match := pattern.fullmatch(column):
            numbered.setdefault(match["number"], {})[column] = match["field"]
    numbers = {number: columns for number, columns in numbered.items() if is_item(set(columns.values()))}
    if len(numbers) < 2:
        return table
    fields = {simplify_name(name.removeprefix("Input.")) for columns in numbers.values() for name in columns.values()}
    return table.lengthen(numbers, None if fields & set(ROLES["trial"][0]) else "item")


def _are_shown_and_answered(fields: set[str]) -> bool:
    return {name.partition(".")[0] for name in fields} == {"Input", "Answer"}


def _has_judgement(fields: set[str]) -> bool:
    """Return whether fields state what was right, or what was chosen and what was the target."""
    simple = {simplify_name(field) for field in fields}
    has_chosen, has_target = (any(simple & set(tier) for tier in ROLES[role]) for role in ("chosen", "target"))
    return bool(simple & set(ROLES["correct"][0])) or (has_chosen and has_target)


_MTURK = (
    *("HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments"),
    *("AssignmentId", "Approve", "Reject", "RequesterAnnotation", "RequesterFeedback", "AssignmentStatus"),
    *("AcceptTime", "SubmitTime", "Expiration", "WorkTimeInSeconds"),
)


def _select_magpie(table: Table, material: NativeData, has_key: bool) -> Table:
    return _select_rows(table, range(len(table.rows)))


def _is_empirica(table: Table) -> bool:
    """Return whether a table is an export of Empirica."""
    columns = set(table.columns)
    return ({"_id", "gameId"} <= columns and any(c.startswith("data.") for c in columns)) or any(
        c.endswith("LastChangedAt") for c in columns
    )


def _select_empirica(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return the experimenter's values under their own names; `join_empirica` joins them with the rounds."""
    selected = _select_rows(table, range(len(table.rows)), lambda c: c.removeprefix("data."))
    columns = {simplify_name(c) for c in selected.columns}
    if not columns & {n for tier in (*ROLES["correct"], *ROLES["target"]) for n in tier}:
        raise table.make_error(
            "this table alone does not have the correct answers",
            "name the folder or zip of the export: player-rounds and rounds belong together",
        )
    # Players who let the time pass have a choice "false", which is marked as incorrect.
    choices = [c for c in selected.columns if simplify_name(c) in (*ROLES["chosen"][0], *ROLES["chosen"][1])]
    verdicts = [c for c in selected.columns if simplify_name(c) in ROLES["correct"][0]]
    rows: list[Mapping[str, Any]] = [
        {**row, **dict.fromkeys([*choices, *verdicts])} if any(_is_false(row.get(c)) for c in choices) else row
        for row in selected.rows
    ]
    if not columns & {n for role in ("trial", "scene") for n in ROLES[role][0]}:
        # A round is one description, which all its listeners read.
        rows = [{"item": row.get("roundId", row.get("roundID")), **row} for row in rows]
    return Table.of(selected.source, rows, selected.lines)


def _is_false(cell: Any) -> bool:
    return str(cell).strip().lower() == "false"


def join_empirica(tables: Mapping[str, Table]) -> Table:
    """Return one table of players' rounds with the values of their rounds, from the files of an export.

    Raises:
        InputError: if the export lacks one of the two.
    """
    by_name = {simplify_name(Path(name).stem): table for name, table in tables.items()}
    for answers, context, keys in (
        ("playerrounds", "rounds", ("roundId", "roundID")),
        ("playerstages", "stages", ("stageId", "stageID")),
    ):
        table, rounds = by_name.get(answers), by_name.get(context)
        if table is None:
            continue
        if rounds is None:
            raise table.make_error(f"the export has {answers} but no {context}", "export both, or all tables")
        key = next((k for k in (*keys, *(f"data.{k}" for k in keys)) if k in table.columns), None)
        if key is None:
            raise table.make_error(f"no column of {answers} names its {context[:-1]}", f"export {keys[0]}")
        rounds_by_id = {format_id(row.get("_id") or row.get("id")): row for row in rounds.rows}
        rows = []
        for row, line in zip(table.rows, table.lines, strict=True):
            other = rounds_by_id.get(format_id(row.get(key)))
            if other is None:
                raise table.make_error(
                    f"{context[:-1]} {row.get(key)!r} is not in the export", "export all tables", line
                )
            context_values = {
                k: v for k, v in other.items() if k not in ("_id", "id", "gameId", "batchId", "createdAt", "index")
            }
            player = format_id(row.get("playerId") or row.get("playerID"))
            # A player's own values go before those of the round.
            rows.append(
                {
                    **_select_player_values(context_values, player or ""),
                    **{k: v for k, v in row.items() if not is_missing(v) or k not in context_values},
                }
            )
        lines = list(table.lines)
        speaks = [i for i, row in enumerate(rows) if _is_speaker(row)]
        joined = Table.of(table.source, rows, lines)
        return _select_rows(joined, [i for i in range(len(rows)) if i not in set(speaks)]) if speaks else joined
    raise InputError(
        "the export has neither player-rounds nor player-stages", remedy="name the whole export of Empirica"
    )


# Experiments store players' answers in the round as well: player_5J7qybS6Kinu3Cgrf_response.
_OF_PLAYER = re.compile(r"(?:data\.)?(?:player)?[_.-]?(?P<player>[A-Za-z0-9]{15,})[_.-](?P<field>\w+)")


def _select_player_values(values: Mapping[str, Any], player: str) -> dict[str, Any]:
    """Return a round's values for one player: those in columns with the id of a player only for that player."""
    own: dict[str, Any] = {}
    for name, value in values.items():
        match = _OF_PLAYER.fullmatch(name)
        if match is None:
            own[name] = value
        elif match["player"] == player:
            own[match["field"]] = value
    return own


def _is_speaker(row: Mapping[str, Any]) -> bool:
    """Return whether a row of Empirica is that of the player who described."""
    player = format_id(row.get("playerId") or row.get("playerID"))
    speakers = {format_id(v) for k, v in row.items() if simplify_name(k) in (*ROLES["speaker"][0], "speakerplayerid")}
    own_role = {(format_id(v) or "").lower() for k, v in row.items() if simplify_name(k) in ("role", "playerrole")}
    return player in speakers or bool(own_role & {"speaker", "director"})


_PSYCHOPY = re.compile(r"(?P<component>.+)\.(?P<field>corr|keys|rt|clicked_name|response)")


def _is_psychopy(table: Table) -> bool:
    """Return whether a table is a file of PsychoPy or Pavlovia."""
    return "psychopyVersion" in table.columns or {"expName", "frameRate"} <= set(table.columns)


def _select_psychopy(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return the rows of the one PsychoPy component with a verdict (``key_resp.corr``)."""
    components: dict[str, dict[str, str]] = {}
    for column in table.columns:
        if match := _PSYCHOPY.fullmatch(column):
            components.setdefault(match["component"], {})[column] = match["field"]
    judged = [
        columns
        for name, columns in components.items()
        if "corr" in columns.values() and not re.search("practi|train", name.lower())
    ]
    if len(judged) != 1:
        return table
    names = {"corr": "correct", "keys": "chosen", "clicked_name": "chosen", "response": "chosen", "rt": "rt"}
    rename = {column: names[field] for column, field in judged[0].items()}
    verdict = next(column for column, field in judged[0].items() if field == "corr")
    answers = [i for i, row in enumerate(table.rows) if not _is_nothing(row.get(verdict))]
    selected = _select_rows(table, answers, lambda c: rename.get(c, c))
    rows = []
    for row in selected.rows:
        seconds = parse_number(row.get("rt"))
        is_silent = "chosen" in row and _is_nothing(row["chosen"])
        times = {} if seconds is None else {"rt": 1000 * seconds}
        rows.append({**row, **times, **({"correct": None} if is_silent else {})})
    return Table.of(selected.source, rows, selected.lines)


_OTREE = re.compile(r"(?P<app>\w+)\.(?P<round>\d+)\.(?P<of>player|group|subsession)\.(?P<field>\w+)")
_OTREE_OWN = ("id_in_group", "role", "payoff", "id_in_subsession", "round_number", "id")


def _is_otree(table: Table) -> bool:
    """Return whether a table is an export of oTree."""
    return "participant.code" in table.columns and (
        any(_OTREE.fullmatch(c) for c in table.columns) or "subsession.round_number" in table.columns
    )


def _select_otree(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return a row per player and round of an oTree export, without bots."""
    human = [i for i, row in enumerate(table.rows) if _parse_truth(row.get("participant._is_bot")) is not True]
    if dropped := len(table.rows) - len(human):
        material.left_out["Rows of bots, left out: {}."] += dropped
    if "subsession.round_number" in table.columns:
        players = {c.removeprefix("player.") for c in table.columns}

        def rename(column: str) -> str:
            """Return the name of a column of the app without the prefix of its level."""
            of, _, field = column.partition(".")
            is_free = of in ("group", "subsession") and field not in players and field not in _OTREE_OWN
            return field if of == "player" or is_free else column

        return _select_rows(table, human, rename)
    rows, lines = [], []
    for i in human:
        rounds: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for column, value in table.rows[i].items():
            match = _OTREE.fullmatch(column)
            if match and match["field"] not in _OTREE_OWN:
                fields = rounds.setdefault(
                    (match["app"], match["round"]), {"subsession": {}, "group": {}, "player": {}}
                )
                fields[match["of"]][match["field"]] = value
        for (app, number), fields in rounds.items():
            if any(not is_missing(v) for v in fields["player"].values()):
                values = fields["subsession"] | fields["group"] | fields["player"]
                rows.append(
                    {"participant.code": table.rows[i]["participant.code"], "app": app, "round": number, **values}
                )
                lines.append(table.lines[i])
    return Table.of(table.source, rows, lines)


def _is_qualtrics(table: Table) -> bool:
    """Return whether a table is an export of Qualtrics."""
    if len(table.rows) < 2:
        return False
    cells = [cell for cell in table.rows[1].values() if cell is not None]
    return bool(cells) and all("ImportId" in str(cell) for cell in cells)


def _select_qualtrics(table: Table, material: NativeData, has_key: bool) -> Table:
    """Return people's responses from Qualtrics, without the two further header rows, previews and spam."""
    rows = range(2, len(table.rows))
    people = [i for i in rows if str(table.rows[i].get("Status") or "IP Address") in ("IP Address", "0")]
    if dropped := len(rows) - len(people):
        material.left_out["Previews and spam responses, left out: {}."] += dropped
    selected = _select_rows(table, people)
    if not has_key and not _has_items(selected):
        for pattern in (_LOOPED, _SUFFIXED):
            selected = _lengthen_numbered(selected, pattern, _has_judgement)
    if not has_key and not _has_items(selected):
        questions = [c for c in table.columns if c not in _QUALTRICS]
        raise table.make_error(
            f"the columns {', '.join(questions[:6])} do not say which item, system and target they are about",
            "name a table that does (columns question, item, system, target): --map questions=KEY.csv",
        )
    return selected


def _map_import_ids(table: Table) -> dict[str, str]:
    """Return the column of each of Qualtrics' fixed names, which stay when a question is renamed."""
    ids = {c: re.search(r'"ImportId":\s*"([^"]+)"', str(cell)) for c, cell in table.rows[1].items()}
    return {match[1]: column for column, match in ids.items() if match}


ANSWER = "(answer)"
_QUESTION = ("question", "questionid", "questionname", "column", "variable", "field", "qid", "importid")


def _lengthen_questions(table: Table, key: Table, aliases: Mapping[str, str]) -> Table:
    """Return a table with a row per answer, from rows per participant with a column per question; `key` describes the questions.

    Raises:
        InputError: if the key names no question, or one that the table does not have.
    """
    column = next((c for c in key.columns if simplify_name(c) in _QUESTION), None)
    if column is None:
        raise key.make_error(
            "no column names the question", "name it 'question'; the other columns are item, system and target"
        )
    names: list[tuple[str, Mapping[str, Any]]] = []
    for row, line in zip(key.rows, key.lines, strict=True):
        asked = format_id(row.get(column)) or ""
        name = asked if asked in table.columns else aliases.get(asked)
        if name is None:
            raise key.make_error(
                f"there is no column {asked!r} in {Path(table.source).name}",
                f"columns are {_list_columns(table)}",
                line,
            )
        names.append((name, {"item": asked, **{k: v for k, v in row.items() if k != column}}))
    used = {name for name, _ in names}
    rows, lines = [], []
    for row, line in zip(table.rows, table.lines, strict=True):
        rest = {k: v for k, v in row.items() if k not in used}
        for name, about in names:
            rows.append({**rest, **about, ANSWER: row.get(name)})
            lines.append(line)
    return Table.of(table.source, rows, lines)


def _has_items(table: Table) -> bool:
    """Return whether columns name the item and the correct answer."""
    simple = {simplify_name(c) for c in table.columns}
    items = simple & set(ROLES["trial"][0])
    return bool(items) and bool(simple & {n for tier in (*ROLES["correct"], *ROLES["target"]) for n in tier})


_PERSONAL = (
    "IPAddress",
    "RecipientEmail",
    "RecipientFirstName",
    "RecipientLastName",
    "ExternalReference",
    "LocationLatitude",
    "LocationLongitude",
)

_QUALTRICS = (
    *_PERSONAL,
    *("StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished", "RecordedDate", "ResponseId"),
    *("DistributionChannel", "UserLanguage"),
)

PLATFORMS = (
    Platform("qualtrics", _is_qualtrics, _select_qualtrics, {"participant": "ResponseId"}, True, _PERSONAL),
    Platform(
        "mturk", _has("HITId", "AssignmentId", "WorkerId"), _select_mturk, {"participant": "WorkerId"}, reserved=_MTURK
    ),
    Platform(
        "gorilla",
        lambda table: (
            {"Event Index", "Participant Private ID"} <= set(table.columns)
            and bool({"Zone Type", "Object Name", "Question Key", "Response Type"} & set(table.columns))
        ),
        _select_gorilla,
        {"participant": "Participant Private ID", "chosen": "Response", "correct": "Correct", "time": "Reaction Time"},
        is_tried=True,
        reserved=_GORILLA,
    ),
    Platform(
        "jspsych",
        _has("trial_type", "trial_index", "time_elapsed"),
        _select_jspsych,
        {"chosen": "response", "time": "rt"},
        is_tried=True,
        reserved=_JSPSYCH,
    ),
    Platform(
        "empirica",
        _is_empirica,
        _select_empirica,
        {"participant": "playerId"},
        is_tried=True,
        reserved=("_id", "id", "batchId", "roundId", "stageId", "gameId", "index"),
    ),
    Platform(
        "psychopy",
        _is_psychopy,
        _select_psychopy,
        {"correct": "correct", "chosen": "chosen", "time": "rt", "participant": "participant"},
        reserved=("session", "date", "expName", "psychopyVersion", "frameRate", "OS", "expStart"),
    ),
    Platform(
        "magpie",
        lambda table: (
            "submission_id" in table.columns
            and bool({"experiment_start_time", "experiment_duration"} & set(table.columns))
        ),
        _select_magpie,
        {"participant": "submission_id", "chosen": "response", "time": "responseTime"},
        is_tried=True,
        reserved=(
            "trial_nr",
            "trial_number",
            "prolific_pid",
            "prolific_session_id",
            "prolific_study_id",
            "experiment_duration",
        ),
    ),
    Platform(
        "otree",
        _is_otree,
        _select_otree,
        {"participant": "participant.code"},
        is_tried=True,
        reserved=("participant.label", "participant.mturk_worker_id"),
    ),
)
