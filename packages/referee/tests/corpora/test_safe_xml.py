"""Hostile, broken and odd XML ends in a message with file, line and remedy; nothing is expanded, fetched or loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from referee.corpora.reading.safe_xml import make_natural_sort_key, parse_xml, read_documents
from referee.errors import InputError, MalformedInput


def bomb() -> bytes:
    steps = [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10)]
    return f'<!DOCTYPE a [\n<!ENTITY e0 "ha">{"".join(steps)}]>\n<a b="&e9;">&e9;</a>'.encode()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (bomb(), 2),
        (b'<!DOCTYPE a [<!ENTITY x "harmless">]><a/>', 1),
        (b'<!DOCTYPE a [\n\n<!ENTITY % x SYSTEM "more.dtd"> %x;]><a/>', 3),
        (b'<!DOCTYPE a SYSTEM "a.dtd">\n<a>\n&undeclared;</a>', 3),
        (b'<!DOCTYPE a SYSTEM "a.dtd">\n<a b="&undeclared;"/>', 2),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'.encode("utf-16"), 1),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a SYSTEM "a.dtd">\n<a>&x;</a>'.encode("utf-16"), 2),
    ],
    ids=["bomb", "unused", "parameter", "undeclared", "undeclared in an attribute", "utf-16", "utf-16 undeclared"],
)
def test_entities_are_refused_at_their_line(content: bytes, line: int) -> None:
    with pytest.raises(MalformedInput, match="entity") as caught:
        parse_xml(content, "evil.xml")
    assert (caught.value.where, caught.value.line) == ("evil.xml", line)
    assert caught.value.remedy


def test_an_external_entity_never_reveals_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the launch code")
    with pytest.raises(MalformedInput) as caught:
        parse_xml(f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a>&x;</a>'.encode(), "evil.xml")
    assert "launch" not in str(caught.value)


def test_a_dtd_that_is_only_named_is_neither_loaded_nor_obeyed(tmp_path: Path) -> None:
    dtd = tmp_path / "a.dtd"
    dtd.write_text('<!ELEMENT a EMPTY><!ATTLIST a b CDATA "from the DTD">')
    root = parse_xml(f'<!DOCTYPE a SYSTEM "{dtd.as_uri()}"><a>salt &amp; &#112;epper</a>'.encode(), "fine.xml")
    assert root.text == "salt & pepper"
    assert root.get("b") is None


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"", 1, "empty"),
        (b" \n\n", 1, "empty"),
        (b"<a>\n<b>", 2, "not XML"),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<a>\n\xff</a>', 3, "not XML"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', 1, "not XML"),
        ("<a>\né</a>".encode("latin-1"), 2, "not XML"),
        (b"<a>" * 65 + b"</a>" * 65, 1, "nested"),
        (b"<a>" * 100_000, 1, "depth"),
        (b"\0\0\0\0", 1, "not XML"),
        (b'{"trial": "s1t1"}', 1, "not XML"),
    ],
    ids=[
        "empty",
        "blank",
        "truncated",
        "not utf-8",
        "unknown encoding",
        "undeclared latin-1",
        "deep",
        "very deep",
        "nul",
        "json",
    ],
)
def test_broken_files_are_reported_with_line_and_remedy(content: bytes, line: int, says: str) -> None:
    with pytest.raises(MalformedInput, match=says) as caught:
        parse_xml(content, "broken.xml")
    assert (caught.value.where, caught.value.line) == ("broken.xml", line)
    assert caught.value.remedy


def test_elements_as_deep_as_the_limit_are_read() -> None:
    assert parse_xml(b"<a>" * 64 + b"</a>" * 64, "deep.xml").tag == "a"


def test_numbers_in_names_sort_as_numbers() -> None:
    assert sorted(["s10t1", "s2t21", "s2t3", "plain"], key=make_natural_sort_key) == ["plain", "s2t3", "s2t21", "s10t1"]


def test_a_folder_and_its_archive_give_the_same_documents_in_the_same_order(tmp_path: Path) -> None:
    folder, archive = tmp_path / "folder", tmp_path / "packed.zip"
    (folder / "deep").mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for name in ["deep/s10.xml", "deep/s9.xml", "a.dtd", ".hidden.xml"]:
            (folder / name).write_text(f"<a>{name}</a>")
            packed.write(folder / name, name)
        packed.writestr("__MACOSX/deep/._s9.xml", b"\0\5\x16\7")
    assert [root.text for _, root in read_documents(folder)] == ["deep/s9.xml", "deep/s10.xml"]
    assert [root.text for _, root in read_documents(archive)] == ["deep/s9.xml", "deep/s10.xml"]
    assert next(where for where, _ in read_documents(archive)) == f"{archive}/deep/s9.xml"


def test_a_broken_member_of_an_archive_is_named(tmp_path: Path) -> None:
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("s1t1.xml", "<a>\n")
    with pytest.raises(MalformedInput) as caught:
        list(read_documents(archive))
    assert caught.value.where == f"{archive}/s1t1.xml"
    assert caught.value.line == 2


@pytest.mark.parametrize("content", [b"", b"PK\3\4 and then nothing", b"<a/>"])
def test_what_is_not_a_zip_archive_is_reported(tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "packed.zip"
    archive.write_bytes(content)
    with pytest.raises(MalformedInput, match="zip"):
        list(read_documents(archive))


def test_a_damaged_member_is_reported_as_a_broken_archive(tmp_path: Path) -> None:
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("s1t1.xml", "<a>" + "x" * 200 + "</a>")
    content = bytearray(archive.read_bytes())
    content[40:44] = b"\xff\xff\xff\xff"
    archive.write_bytes(bytes(content))
    with pytest.raises(MalformedInput, match="zip"):
        list(read_documents(archive))


def test_a_member_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.corpora.reading.safe_xml.LARGEST", 2**20)
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("s1t1.xml", " " * (2**20 + 1))
    with pytest.raises(MalformedInput, match="more than 1 MiB"):
        list(read_documents(archive))


@pytest.mark.parametrize("name", ["missing.xml", "missing.zip", "missing"])
def test_a_missing_file_is_reported_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        list(read_documents(tmp_path / name))
    assert caught.value.where == str(tmp_path / name)


def test_a_folder_and_an_archive_without_xml_are_reported(tmp_path: Path) -> None:
    archive = tmp_path / "packed.zip"
    zipfile.ZipFile(archive, "w").close()
    for empty in (tmp_path, archive):
        with pytest.raises(MalformedInput, match="no XML files"):
            list(read_documents(empty))
