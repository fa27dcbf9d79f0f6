"""Words as numbers: texts are split once and every word becomes an id, so that all string measures share one encoding.

The default splitting follows the NIST script mteval (v11b and 13a agree here) as sacrebleu reads it (Post 2018, "A call
for clarity in reporting BLEU scores"). Languages that are written without blanks have tokenisers of their own, which
are the default for trials in such a language (`choose_tokeniser`): ``zh`` as in sacrebleu, ``ja`` and ``ko`` by sacrebleu with
MeCab (extra languages).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch
from referee.errors import InputError, MissingExtra, UnknownName, naming_extra

Result = TypeVar("Result")
Ids = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]

# Below this many texts, outputs and references, the compiled kernels save less than it costs to load them (about a second, once per process).
WORTH_COMPILING = 8_000
CASES = ("lower", "keep")
_PLAIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n"
# ROUGE-1.5.5 takes every byte but these for a blank, each byte of a longer UTF-8 character too.
_AS_ROUGE = bytes(code if code in _PLAIN else ord(" ") for code in range(256))
# Blank characters of Unicode that the kernels, which read bytes, do not handle; str.split does.
_WIDE_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# All marks of ASCII but the apostrophe, which mteval leaves inside words.
_MARKS = np.isin(np.arange(256), [ord(c) for c in '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'])
_NO_MARKS = bytes(np.flatnonzero(~_MARKS).tolist())


@dataclass(frozen=True, slots=True)
class Encoding:
    """The words of a batch as ids: text t is ``ids[starts[t]:starts[t + 1]]``.

    The first `items` texts are the outputs, the others the references in order; reference r belongs to item ``owner[r]``, and the references of item i are
    the texts ``first[i]`` to ``first[i + 1]``. `measurable` is false where the output has no text or no reference has any.
    """

    items: int
    ids: Ids
    starts: Places
    first: Places
    owner: Places
    measurable: npt.NDArray[np.bool_]
    words: list[str]

    @property
    def texts(self) -> int:
        """Outputs and references together."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Places:
        """Tokens of every text."""
        return np.diff(self.starts)

    @property
    def output_lengths(self) -> Places:
        """Tokens of every output."""
        return self.lengths[: self.items]

    @property
    def reference_lengths(self) -> Places:
        """Tokens of every reference."""
        return self.lengths[self.items :]

    def text(self, number: int) -> list[int]:
        """Return the ids of one text."""
        ids: list[int] = self.ids[self.starts[number] : self.starts[number + 1]].tolist()
        return ids


def check_choice(kind: str, value: str, allowed: Iterable[str]) -> str:
    """Return an option of a measure. Raises InputError, with the allowed values, for another one."""
    allowed = list(allowed)
    if value not in allowed:
        raise UnknownName(kind, value, allowed, hint=f"choose one of {', '.join(allowed)}")
    return value


def check_order(order: int) -> int:
    """Return the order of n-grams; raise InputError above 30, which the bit masks of matches cannot hold."""
    if not 1 <= order <= 30:
        raise InputError(f"n-grams of order {order} cannot be counted", remedy="choose an order from 1 to 30")
    return order


def cache_in_batch(batch: Batch, key: Hashable, build: Callable[[], Result]) -> Result:
    """Return the value cached under this key for a batch, building it on first use."""
    if key not in batch.cache:
        batch.cache[key] = build()
    built: Result = batch.cache[key]
    return built


def load_kernels(texts: int) -> ModuleType | None:
    """Return the compiled kernels if a batch has enough texts and numba is installed, else None."""
    if texts < WORTH_COMPILING or find_spec("numba") is None:
        return None
    from referee.metrics import string_kernels

    return string_kernels


def split_words(text: str, case: str = "lower", tokens: str = "mteval", language: str = "en") -> list[str]:
    """Return the words of one text."""
    return split_texts([text], case, choose_tokeniser(tokens, language)).split()


UNSPACED = {
    **dict.fromkeys(("zh", "yue", "cmn", "zho", "chi", "chinese", "mandarin", "cantonese", "中文"), "zh"),
    **dict.fromkeys(("ja", "jpn", "japanese", "日本語"), "ja"),
    **dict.fromkeys(("ko", "kor", "korean", "한국어"), "ko"),
}
"""Languages whose texts need a tokeniser of their own, and its name."""
# The defaults of other languages: mteval separates marks, ROUGE-1.5.5 handles English letters only.
_ELSEWHERE = {"mteval": "mteval", "rouge-1.5.5": "rouge-unicode"}


def choose_tokeniser(tokens: str, language: str) -> str:
    """Return the name of the tokeniser for a language; one that was chosen explicitly stays.

    >>> choose_tokeniser("mteval", "zh"), choose_tokeniser("mteval", "de"), choose_tokeniser("rouge-1.5.5", "de"), choose_tokeniser("13a", "zh")
    ('zh', 'mteval', 'rouge-unicode', '13a')
    """
    if tokens not in _ELSEWHERE or language == "en":
        return tokens
    code = language.lower().replace("_", "-").split("-")[0]
    return UNSPACED.get(code) or (tokens if code in ("en", "eng", "english") else _ELSEWHERE[tokens])


def split_texts(texts: Sequence[str], case: str, tokens: str) -> str:
    """Return the texts, one per line, with words separated by spaces."""
    split = _SPLITTERS[check_choice("way to split words", tokens, _SPLITTERS)]
    page = "\n".join(texts)
    # Joining adds one line break fewer than texts; more of them come from inside a text and would shift later lines.
    if page.count("\n") >= len(texts):
        page = "\n".join([_join_lines(text, tokens) for text in texts])
    if tokens in ("rouge-1.5.5", "rouge-ascii"):
        # before the case is folded: the Kelvin sign, for one, would become an ASCII k, which the script never sees
        page = _split_as_rouge(page)
    if check_choice("case", case, CASES) == "lower":
        page = page.lower()
    if not page.isascii():
        for blank in _WIDE_BLANKS:
            page = page.replace(blank, " ")
    return split(page)


def _join_lines(text: str, tokens: str) -> str:
    """Return a text without line breaks; mteval joins a word that was hyphenated over one."""
    return (text.rstrip().replace("-\n", "") if tokens in ("mteval", "13a") else text).replace("\n", " ")


def _split_mteval(page: str) -> str:
    """Return a page split by mteval.

    Only lines with marks go through the (slow) patterns, all at once, separated by padding.
    """
    letters = page.encode("utf-8", "surrogatepass")
    if not letters.translate(None, _NO_MARKS):
        return page
    codes = np.frombuffer(letters, dtype=np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    # Marks are ASCII, and no byte of a longer UTF-8 character looks like one: bytes may be searched instead of characters.
    numbers = np.unique(np.searchsorted(ends, np.flatnonzero(_MARKS[codes]))).tolist()
    lines = page.split("\n")
    split = _apply_mteval_patterns(" \n ".join([lines[i] for i in numbers]))
    for i, line in zip(numbers, split.split("\n"), strict=True):
        lines[i] = line
    return "\n".join(lines)


def _apply_mteval_patterns(page: str) -> str:
    """Separate marks as words; point and comma stay between digits, and a dash leaves the digit before it."""
    page = f" {page} ".replace("<skipped>", "")
    # In the order of the script, which reads "&amp;lt;" as "<".
    for entity, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        page = page.replace(entity, sign)
    page = re.sub(r"[!-&(-+/:-@\[-`{-~]", r" \g<0> ", page)
    # The order of these four and their overlaps are mteval's: "1,2." and "a.5" come out as they do there, not as one would design it.
    page = re.sub(r"([^0-9])([.,])", r"\1 \2 ", page)
    page = re.sub(r"([.,])([^0-9])", r" \1 \2", page)
    return re.sub(r"([0-9])-", r"\1 - ", page)


class _SpacedMarks(dict[int, str]):
    """Character to text for `str.translate`, learnt as characters turn up: punctuation and symbols get blanks around them."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        apart = unicodedata.category(character)[0] in "PS" and character not in "'’.,"
        self[code] = f" {character} " if apart else character
        return self[code]


_spaced_marks = _SpacedMarks()


def _split_unicode(page: str) -> str:
    """Separate words of any script; apostrophes stay inside words, point and comma inside numbers."""
    page = unicodedata.normalize("NFC", page).translate(_spaced_marks)
    return re.sub(r"(?<!\w)['’]|['’](?!\w)|(?<!\d)[.,]|[.,](?!\d)", r" \g<0> ", page)


def _split_as_rouge(page: str) -> str:
    """Return the words of ROUGE-1.5.5: runs of ASCII letters and digits.

    Hyphens and all other marks separate words.
    """
    return page.encode("utf-8", "surrogatepass").translate(_AS_ROUGE).decode("ascii")


def _split_as_unicode_rouge(page: str) -> str:
    """Separate words as ROUGE-1.5.5 does, with the letters and digits of all scripts."""
    return re.sub(r"[^\w\n]|_", " ", unicodedata.normalize("NFC", page))


# The characters that sacrebleu's tokeniser "zh" sets apart (tokenizer_zh.py); it writes two ranges beyond the basic plane with five digits, which Python
# reads as U+2001 to U+2A6D and U+2F81 to U+2FA1.
_CHINESE = re.compile(
    "[\u2001-\u2a6d\u2f81-\u2fa1\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef\u2e80-\u2eff\u3000-\u303f"
    "\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u3200-\u33ff]"
)


def _split_chinese(page: str) -> str:
    """Make every Chinese character a word and split the rest as mteval does (sacrebleu's "zh")."""
    return "\n".join([_split_chinese_line(line) for line in page.split("\n")])


def _split_chinese_line(line: str) -> str:
    """Return a line split as in sacrebleu's Chinese tokeniser."""
    line = _CHINESE.sub(r" \g<0> ", line.strip())
    line = re.sub(r"[{-~\[-` -&(-+:-@/]", r" \g<0> ", line)
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)
    return re.sub(r"([0-9])-", r"\1 - ", line)


def _split_characters(page: str) -> str:
    """Make every character a word."""
    return "\n".join([" ".join(line) for line in page.split("\n")])


_CONTRACTED = re.compile(
    r"(?<=\w)(?=(?:n't|'(?:s|m|re|ve|ll|d))\b)|(?<=\bcan)(?=not\b)|(?<=\b[gw][oa]n)(?=na\b)|(?<=\bgot)(?=ta\b)"
    r"|(?<=\b[gl][ie]m)(?=me\b)",
    re.IGNORECASE,
)
_PTB_WORD = re.compile(
    r"n't\b|'(?:s|m|re|ve|ll|d|em|\d\ds)\b|<[a-z]+>|[#@][a-z]\w*|(?:mrs?|ms|dr|st|[js]r|vs|etc)\.|(?:[a-z]\.)+(?!\w)"
    r"|\d+(?:[.,:]\d+)+|\w+(?:[-./]\w+|'[a-z]+)*|[?!]{2,}|[^\w\s.,:;?!'\"`“”‘…–—-]",
    re.IGNORECASE,
)
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_PTB_SIGNS = str.maketrans({"’": "'", "£": "#", "€": "$", "½": "1/2"})


def _split_ptb(page: str) -> str:
    """Split words as the Penn Treebank does, without points, commas and quotation marks (pycocoevalcap's PTBTokenizer)."""
    lines = _CONTRACTED.sub(" ", page.translate(_PTB_SIGNS)).split("\n")
    return "\n".join([" ".join(_BRACKETS.get(word, word) for word in _PTB_WORD.findall(line)) for line in lines])


def _split_by_sacrebleu(module: str, name: str) -> Callable[[str], str]:
    """Return a function that splits with a tokeniser of sacrebleu."""

    def split(page: str) -> str:
        tokeniser = _load_sacrebleu_tokeniser(module, name)
        return "\n".join([tokeniser(line) for line in page.split("\n")])

    return split


@lru_cache(maxsize=4)
def _load_sacrebleu_tokeniser(module: str, name: str) -> Callable[[str], str]:
    """Return a tokeniser of sacrebleu, loaded once."""
    with naming_extra():
        import sacrebleu  # noqa: F401 (named where it is missing)
    try:
        tokeniser: Callable[[str], str] = getattr(import_module(f"sacrebleu.tokenizers.{module}"), name)()
    except RuntimeError:
        raise MissingExtra("sacrebleu") from None
    return tokeniser


_SPLITTERS: dict[str, Callable[[str], str]] = {
    "mteval": _split_mteval,
    "13a": _split_mteval,
    "words": str,
    "unicode": _split_unicode,
    "rouge-1.5.5": str,
    "rouge-ascii": str,
    "rouge-unicode": _split_as_unicode_rouge,
    "zh": _split_chinese,
    "ja": _split_by_sacrebleu("tokenizer_ja_mecab", "TokenizerJaMecab"),
    "ko": _split_by_sacrebleu("tokenizer_ko_mecab", "TokenizerKoMecab"),
    "char": _split_characters,
    "ptb": _split_ptb,
}
_PLAINLY = "words"
# These may split words of letters and digits, too.
_WITHIN_WORDS = frozenset({"char", "ja", "ko"})


def encode(batch: Batch, case: str, tokens: str) -> Encoding:
    """Return the encoding of a batch, built once for each tokeniser.

    Texts of ASCII letters, digits and spaces are the same for all of them.
    """
    check_choice("way to split words", tokens, _SPLITTERS)
    kernels = load_kernels(len(batch.outputs) + sum(map(len, batch.references)))
    languages = cache_in_batch(batch, "languages", lambda: {trial.language for trial in batch.trials})
    ways = {choose_tokeniser(tokens, language) for language in languages} or {tokens}
    if len(ways) == 1:
        (tokens,) = ways
    else:
        by_item = [choose_tokeniser(tokens, trial.language) for trial in batch.trials]
        mixed: Encoding = cache_in_batch(
            batch,
            ("words", case, tokens, "mixed"),
            lambda: encode_texts(batch, lambda texts: _number_mixed(texts, batch, case, by_item, kernels)),
        )
        return mixed

    def number(texts: list[str]) -> tuple[Ids, Places, list[str]]:
        batch.cache["plain words"] = _are_plain(texts)
        return _number_texts(texts, case, tokens, kernels)

    is_split_within = tokens in _WITHIN_WORDS
    if batch.cache.get("plain words") and not is_split_within:
        tokens = _PLAINLY
    encoding = cache_in_batch(batch, ("words", case, tokens), lambda: encode_texts(batch, number))
    if batch.cache["plain words"] and not is_split_within:
        batch.cache.setdefault(("words", case, _PLAINLY), encoding)
    return encoding


def _are_plain(texts: list[str]) -> bool:
    """Return whether texts have only ASCII letters, digits and spaces, on one line each."""
    page = "\n".join(texts)
    return page.isascii() and page.count("\n") < max(1, len(texts)) and not page.encode().translate(None, _PLAIN)


def encode_texts(batch: Batch, number: Callable[[list[str]], tuple[Ids, Places, list[str]]]) -> Encoding:
    """Encode outputs and references as one list of texts, numbered by `number`."""
    output_texts = [None if output is None else output.text for output in batch.outputs]
    # Flat lists, never one per item: many small containers would set the cyclic garbage collector going.
    expected = [reference.text for references in batch.references for reference in references]
    per_item = np.fromiter(map(len, batch.references), dtype=np.int64, count=len(output_texts))
    owner = np.repeat(np.arange(len(output_texts)), per_item)
    if None in expected:
        owner = owner[[text is not None for text in expected]]
        per_item = np.bincount(owner, minlength=len(output_texts))
    has_text = np.array([text is not None for text in output_texts], dtype=bool)
    # A missing output holds its place as an empty text and is left out later by `measurable`: places then need no second numbering.
    texts = [text or "" for text in output_texts]
    texts += [text for text in expected if text is not None]
    ids, starts, words = number(texts)
    first = np.concatenate([[0], np.cumsum(per_item)]) + len(output_texts)
    return Encoding(len(output_texts), ids, starts, first, owner, has_text & (per_item > 0), words)


def _number_mixed(
    texts: list[str], batch: Batch, case: str, ways: list[str], kernels: ModuleType | None
) -> tuple[Ids, Places, list[str]]:
    """Number the words of texts in several languages, each split by the tokeniser of its trial."""
    owners = [i for i, references in enumerate(batch.references) for r in references if r.text is not None]
    chosen = [*ways, *(ways[i] for i in owners)]
    lines = [""] * len(texts)
    for tokens in dict.fromkeys(chosen):
        places = [i for i, way in enumerate(chosen) if way == tokens]
        for i, line in zip(places, split_texts([texts[i] for i in places], case, tokens).split("\n"), strict=True):
            lines[i] = line
    return _number_page("\n".join(lines), texts, kernels)


def _number_texts(
    texts: list[str], case: str, tokens: str, kernels: ModuleType | None
) -> tuple[Ids, Places, list[str]]:
    """Return the word ids of texts, the start of each text, and the vocabulary."""
    return _number_page(split_texts(texts, case, tokens), texts, kernels)


def _number_page(page: str, texts: list[str], kernels: ModuleType | None) -> tuple[Ids, Places, list[str]]:
    """Return word ids, starts and the vocabulary of a page, compiled if possible."""
    if kernels is None or not texts:
        return _number_plainly(page.split("\n") if texts else [])
    letters = f"{page}\n".encode("utf-8", "surrogatepass")
    ids, starts, begins, ends = kernels.number_words(np.frombuffer(letters, dtype=np.uint8), len(texts))
    spans = zip(begins.tolist(), ends.tolist(), strict=True)
    return ids, starts, [letters[a:b].decode("utf-8", "surrogatepass") for a, b in spans]


def _number_plainly(lines: list[str]) -> tuple[Ids, Places, list[str]]:
    """Return word ids, starts and the vocabulary of lines."""
    positions: dict[str, int] = {}
    ids: list[int] = []
    starts = [0]
    for line in lines:
        ids += [positions.setdefault(word, len(positions)) for word in line.split()]
        starts.append(len(ids))
    return np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64), list(positions)
