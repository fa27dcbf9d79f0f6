"""Which column of a table plays which role: inferred from usual names, refused where two columns could."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from referee.corpora.natives.material import Declared, format_id
from referee.corpora.reading.tables import Table
from referee.errors import InputError, find_similar_names


def simplify_name(name: str) -> str:
    """Return a column name in lower case, without accents, blanks and punctuation.

    >>> simplify_name("Participant Private ID"), simplify_name("reference_1")
    ('participantprivateid', 'reference1')
    """
    plain = unicodedata.normalize("NFKD", name.lower().removeprefix("data."))
    return re.sub(r"[\W_]", "", "".join(c for c in plain if not unicodedata.combining(c)))


def _split_tiers(*tiers: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(simplify_name, tier.split())) for tier in tiers)


# Such as gt_answer, human_descriptions or reference_caption.
_GOLD_TEXTS = " ".join(
    f"{whose}{text}{plural}"
    for whose in ("gold", "gt", "groundtruth", "human", "reference", "ref", "true")
    for text in ("answer", "caption", "description", "expression", "sentence", "text", "utterance")
    for plural in ("", "s")
)
# Names of columns by role, in tiers: a name of a later tier counts only where no earlier one occurs.
ROLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "trial": _split_tiers(
        "trial trialid item itemid itemname itemno itemnr itemnumber",
        "id docid questionid sampleid exampleid instanceid segid segment segmentid stimulusid stimid uid refid sentid",
        "trialname stimulusname itemlabel customid sample example instance annid annotationid satznr satzid 编号 序号 項目 番号 항목 번호",
        "scene sceneid stimulus stim index idx rowidx rowid trialnr trialno nr no num number numero nummer key",
    ),
    "system": _split_tiers(
        "system systemname systemid sys model modelname modelid modell modele systeme modelo sistema systeem"
        " 模型 系统 系統 モデル システム 모델 시스템",
        "method algorithm generator agent run submission approach modelfullname methode metodo verfahren"
        " speakermodel speakersystem generatedby descriptionsource",
        "sheet",
    ),
    "text": _split_tiers(
        "description text output prediction hyp hypothesis utterance expression referringexpression generated generatedtext"
        " generatedre generateddescription generation completion candidate systemoutput modeloutput beschreibung systemtext"
        " ausgabe systemausgabe sortie salida saida descricao descripcion beschrijving uitvoer texto texte tekst refexp"
        " 描述 输出 輸出 预测 説明 出力 記述 표현 출력 설명",
        "response answer caption sentence message content pred predicted re modelresponse antwort reponse respuesta resposta",
    ),
    "references": _split_tiers(
        "references reference refs ref referencetext goldtext goldre golddescription humandescription humanreference humanre"
        " referenz referenzen referencia referencias referentie referenties 参考 参考描述 参照 参照文 참조",
        "expectedoutput expectedresponse expectedtext expecteddescription gold goldstandard groundtruth gt gts human humantext golden goldreference "
        + _GOLD_TEXTS,
    ),
    "target": _split_tiers(
        "target targets targetid targetids targetobject targetname referent ziel targetimage 目标 目標 목표",
        "correctanswer correctresponse correctchoice corrans answerkey expected correctitem goldid intended"
        " goldobject goldtarget correctobject correctimage trueobject truetarget referentid",
        "targetindex targetposition correctindex correctposition",
    ),
    "chosen": _split_tiers(
        "chosen choice selected selection clicked picked pick chosenid selectedid clickedid clickedobj clickedobject"
        " listenerchoice chosenobject chosenimage selectedobject guess auswahl gewahlt choix eleccion escolha keuze 选择 選択 선택",
        "response answer resp listenerresponse participantresponse antwort reponse respuesta resposta",
        "selectedindex chosenindex choiceindex clickedindex selectedposition chosenposition choiceposition",
    ),
    "correct": _split_tiers(
        "correct 正确 是否正确 正解 正誤 정답 정오 iscorrect accuracy acc right isright success hit listenercorrect iscorrectresponse richtig korrekt correcto"
        " correto juist targetchosen targetselected"
    ),
    "participant": _split_tiers(
        "participantnr subjectnr subjectno subjectnumber"
        " participant participantid subject subjectid subj subjid worker workerid prolificpid prolificid listener listenerid"
        " 被试 参与者 参加者 被験者 참가자 피험자"
        " hearer hearerid annotator annotatorid rater raterid evaluator evaluatorid player playerid participantprivateid"
        " submissionid responseid proefpersoon participante sujet",
        "email pid user userid sessionid turkid vp vpn proband probandin versuchsperson teilnehmer",
    ),
    "time": _split_tiers(
        "rt responsetime reactiontime timems rtms latency responsetimems identificationtime rz reaktionszeit antwortzeit",
        "time duration",
    ),
    "language": _split_tiers("language lang locale sprache langue idioma taal"),
    "scene": _split_tiers(
        "scene sceneid image imageid picture pictureid imgid display displayid filename imagefile imagefilename imagename"
        " bild bildid imagen imagem immagine afbeelding 图片 图像 画像 그림",
        "document documentid doc docname game gameid dialogue dialogueid context contextid",
    ),
    "speaker": _split_tiers("speaker speakerid describer director"),
    "properties": _split_tiers("properties attributes attributeset"),
    "meaning": _split_tiers("meaning"),
}
_REFERENCE = re.compile(
    r"(?:(?:gold|gt|human)?(?:reference|ref)(?:text)?|(?:gold|gt|human)(?:answer|caption|description|expression|sentence|text|re)?"
    r"|referenz|referencia|参考|参照)\d+$"
)


NESTED = "/"
_GENERIC = ("id", "name", "text", "value", "label", "content")


def get_usual_name(column: str) -> str:
    """Return the name that decides the role of a column: the last part of a nested field, or the part before a general word.

    >>> get_usual_name("meta/model_name"), get_usual_name("output/text")
    ('modelname', 'output')
    """
    *before, last = column.split(NESTED)
    return simplify_name(before[-1] if before and simplify_name(last) in _GENERIC else last)


def split_field(column: str, fields: Collection[str]) -> tuple[str, str] | None:
    """Return the field and the rest of a name such as ``choice_A`` or ``A choice``; None for a name without such a field."""
    parts = [part for part in re.split(r"[\s_.:-]+", column) if part]
    if len(parts) > 1 and simplify_name(parts[0]) in fields:
        return simplify_name(parts[0]), column[len(parts[0]) + 1 :].strip()
    if len(parts) > 1 and simplify_name(parts[-1]) in fields:
        return simplify_name(parts[-1]), column[: -len(parts[-1]) - 1].strip()
    return None


def is_usual_name(column: str) -> bool:
    """Return whether a column's whole name is a usual one of some role."""
    return any(simplify_name(column) in tier for tiers in ROLES.values() for tier in tiers)


def find_numbered_references(columns: Iterable[str]) -> list[str]:
    """Return the columns such as ref1, ref2 or reference_1, in their order; also reference beside reference2."""
    columns = list(columns)
    bases = {re.sub(r"\d+$", "", name) for name in map(simplify_name, columns) if _REFERENCE.fullmatch(name)}
    return [c for c in columns if (name := simplify_name(c)) in bases or _REFERENCE.fullmatch(name)]


def find_column(table: Table, role: str, declared: Declared, taken: Iterable[str] = (), tiers: int = 9) -> str | None:
    """Return the column with a role: the declared one, or one with a usual name; None if there is none.

    Raises:
        InputError: if the declared column does not exist, or two columns with different cells have usual names.
    """
    name = declared.column(role)
    if name is not None:
        return _get_declared(table, role, name)
    free = [column for column in table.columns if column not in set(taken)]
    for tier in ROLES[role][:tiers]:
        candidates = [column for column in free if get_usual_name(column) in tier]
        # Columns without any cell are no candidates.
        filled = [c for c in candidates if any(format_id(cell) is not None for cell in table.column(c))]
        if len(filled) > 1:
            return _choose_column(table, role, filled, tier)
        if filled:
            return filled[0]
    return None


def infer_fields(columns: Sequence[str]) -> dict[str, str]:
    """Return the output field (trial, system, text) for each column with a usual name.

    Roles with several candidates are left out.

    >>> infer_fields(["item", "model", "utterance", "rating"])
    {'item': 'trial', 'model': 'system', 'utterance': 'text'}
    """
    fields: dict[str, str] = {}
    for role in ("trial", "system", "text"):
        for tier in ROLES[role][:2]:
            candidates = [column for column in columns if simplify_name(column) in tier]
            if len(candidates) == 1 and role not in columns:
                fields[candidates[0]] = role
            if candidates:
                break
    return fields


def _get_declared(table: Table, role: str, name: str) -> str:
    """Return a declared column. Raises InputError, with a suggestion, if the table lacks it."""
    if name in table.columns:
        return name
    similar = (
        find_similar_names(name, table.columns, 1)
        or [c for c in table.columns if simplify_name(c) == simplify_name(name)][:1]
    )
    hint = f"did you mean {similar[0]!r}? " if similar else ""
    raise table.make_error(
        f"there is no column {name!r} for {role}", f"{hint}columns are {', '.join(table.columns[:20])}"
    )


def _choose_column(table: Table, role: str, columns: Sequence[str], tier: Sequence[str]) -> str:
    """Return one of several columns with equivalent contents. Raises InputError if the contents differ."""
    first = [format_id(cell) for cell in table.column(columns[0])]
    for other in columns[1:]:
        cells = [format_id(cell) for cell in table.column(other)]
        pairs = len(set(zip(first, cells, strict=True)))
        is_same = (
            pairs == len(set(first)) == len(set(cells))
            if role in ("trial", "scene", "participant", "system")
            else first == cells
        )
        if not is_same:
            shown = ", ".join(map(repr, columns))
            raise table.make_error(
                f"several columns could be the {role}: {shown}",
                "choose one: " + " or ".join(f"--map {role}={column}" for column in columns),
            )
    return min(columns, key=lambda column: tier.index(get_usual_name(column)))


def infer_roles(table: Table, roles: Sequence[str], declared: Declared) -> dict[str, str]:
    """Return the inferred column of each role; a column has at most one role."""
    unknown = [role for role in declared.columns if role not in ROLES and role not in EXTRA_ROLES]
    if unknown:
        names = ", ".join([*ROLES, *EXTRA_ROLES])
        raise InputError(f"no role is called {unknown[0]!r}", remedy=f"--map takes ROLE=COLUMN; roles are {names}")
    assigned: dict[str, str] = {}
    for role in [r for r in roles if r in declared.columns] + [r for r in roles if r not in declared.columns]:
        column = find_column(table, role, declared, assigned.values())
        if column is not None:
            assigned[role] = column
    return {role: assigned[role] for role in roles if role in assigned}


EXTRA_ROLES = (
    "gold_box",
    "sheet",
    "filter",
    "documents",
    "questions",
    "reference",
    "object",
    "box",
    "point",
    "gold",
    "size",
    "width",
    "height",
)
