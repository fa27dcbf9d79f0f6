"""Dependency trees of descriptions: a small parser for noun phrases, by classes of words.

Descriptions are noun phrases: articles and adjectives depend on the noun after them, a preposition or participle on the
noun that it modifies, and its object on the preposition. A word is a noun if people used it for the type, or if it ends
an otherwise unexplained phrase ("in the top left *corner*").
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.realisation.language import Language

ROOT = -1


def find_heads(words: Sequence[str], nouns: frozenset[str], language: Language) -> list[int]:
    """Return, for every word, the index of its head; -1 for the head of the whole description."""
    chunks = _split_into_chunks(words, language)
    tops = [_find_head(words, chunk, nouns, language) for chunk in chunks]
    # The head of the description: the first phrase with a noun that does not depend on a preposition.
    bare = [i for i, chunk in enumerate(chunks) if not _is_opening_word(words[chunk[0]], language)]
    named = [i for i in bare if any(words[w] in nouns for w in chunks[i])]
    main = (named or bare or [0])[0] if chunks else 0
    heads = [ROOT] * len(words)
    for i, chunk in enumerate(chunks):
        top = tops[i]
        for place in chunk:
            if place != top:
                heads[place] = top
        opening = chunk[0]
        if _is_opening_word(words[opening], language):
            # The opening word governs the rest of its phrase, and depends on the noun before ("the corner of the
            # picture") or on the main one.
            for place in chunk[1:]:
                heads[place] = opening if place == top else heads[place]
            before = tops[i - 1] if words[opening] == language.partitive and i else tops[main]
            heads[opening] = ROOT if opening == tops[main] else before
        elif i != main:
            heads[top] = tops[main]
    return heads


def _is_opening_word(word: str, language: Language) -> bool:
    return word in language.openers or word == language.conjunction


def _split_into_chunks(words: Sequence[str], language: Language) -> list[list[int]]:
    """Return stretches of words, each with at most one opening word at its beginning.

    A noun phrase begins anew with an article.
    """
    groups: list[list[int]] = []
    for place, word in enumerate(words):
        anew = word in language.determiners and place and words[place - 1] not in language.determiners
        inside = groups and len(groups[-1]) == 1 and _is_opening_word(words[groups[-1][0]], language)
        if not groups or _is_opening_word(word, language) or (anew and not inside):
            groups.append([place])
        else:
            groups[-1].append(place)
    return groups


def _find_head(words: Sequence[str], chunk: Sequence[int], nouns: frozenset[str], language: Language) -> int:
    """Return the head of a phrase: its last noun, or else its last word."""
    named = [place for place in chunk if words[place] in nouns]
    return (named or [place for place in chunk if words[place] not in language.determiners] or list(chunk))[-1]
