"""Spans written as markup come back as they were, and the words keep their blanks for any other reader."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from referee.corpora.reading.trial_elements import join_words, read_spans, write_spans
from referee.records import Property, Span

word = st.sampled_from(["the", "red", "one", "<&>", "é,"])
plain = word.map(Span)
pair = st.sampled_from([Property("colour", "red"), Property("x-dimension", "1"), Property("type", "a & <b>")])
phrase = st.lists(word, min_size=1, max_size=3).map(" ".join)
marks = st.lists(pair, min_size=1, max_size=3).map(tuple)
flat = st.tuples(phrase, marks).map(lambda span: Span(*span))


def around(inner: st.SearchStrategy[Span]) -> st.SearchStrategy[Span]:
    """A span with marked stretches inside; its words are those of the stretches."""
    content = st.tuples(plain, inner) | st.tuples(inner, plain, inner)
    made = st.tuples(content, st.just(()) | marks)
    return made.map(lambda span: Span(" ".join(s.text for s in span[0]), span[1], span[0]))


spans = st.lists(plain | st.recursive(flat, around, max_leaves=6), max_size=5).map(tuple)


@settings(max_examples=200, deadline=None)
@given(spans=spans)
def test_written_spans_come_back_as_they_were(spans: tuple[Span, ...]) -> None:
    parent = etree.Element("ANNOTATED-WORD-STRING")
    write_spans(parent, spans)
    again = etree.fromstring(etree.tostring(parent))
    assert read_spans(again, "somewhere.xml") == spans
    assert join_words(again) == " ".join(s.text for s in spans)
