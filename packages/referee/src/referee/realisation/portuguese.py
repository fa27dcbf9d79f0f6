"""Portuguese: words for the faces of b5-ref, the objects of Stars and Stars2, and TUNA's attributes, written for this project.

Adjectives follow the noun and agree with it; de and em melt with the article (da, no). Pereira & Paraboni (2008) put TUNA into Portuguese
the same way, from hand-made lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

from referee.realisation.language import AFTER, Clauses, Grades, Language, Noun, Phrase
from referee.realisation.lexicon import Lexicon
from referee.records import Property

# fmt: off
_NOUNS = {
    "type:car": "carro m", "type:cup": "xícara f", "type:man": "homem m", "type:woman": "mulher f", "type:house": "casa f", "type:tree": "árvore f",
    "type:dog": "cachorro m", "type:cat": "gato m", "type:book": "livro m", "type:plate": "prato m", "type:hat": "chapéu m",
    "type:chair": "cadeira f", "type:sofa": "sofá m", "type:desk": "escrivaninha f", "type:fan": "ventilador m", "type:person": "pessoa f",
    "type:star": "estrela f", "type:box": "quadrado m", "type:circle": "círculo m", "type:cube": "cubo m", "type:sphere": "esfera f",
    "type:cone": "cone m", "type:street": "rua f", "type:position": "posição f", "type:restaurant": "restaurante m", "type:drugstore": "farmácia f",
    "type:church": "igreja f", "type:theater": "teatro m", "type:cafe": "café m", "type:monument": "monumento m", "type:subway": "metrô m",
    "type:bank": "banco m", "type:pub": "bar m", "type:park": "parque m", "type:building": "edifício m", "type:neighborhood": "bairro m",
    "type:sidewalk": "calçada f", "type:cemetery": "cemitério m", "type:zone": "zona f",
     "type:ball": "bola f", "type:button": "botão m", "type:table": "mesa f", "gender:female": "mulher f",
    "gender:male": "homem m",
}

# In the order they are said behind the noun.
_PHRASES = {
    "size:large": "grande", "size:small": "pequen{m:o|f:a}", "colour:red": "vermelh{m:o|f:a}", "colour:blue": "azul", "colour:green": "verde",
    "colour:grey": "cinza", "colour:white": "branc{m:o|f:a}", "colour:black": "pret{m:o|f:a}", "colour:yellow": "amarel{m:o|f:a}",
    "colour:brown": "marrom", "colour:orange": "laranja", "colour:pink": "rosa", "colour:purple": "rox{m:o|f:a}", "shade:light": "clar{m:o|f:a}",
    "shade:dark": "escur{m:o|f:a}", "size:regular": "de tamanho médio", "isyoung:yes": "jovem", "isyoung:no": "mais velh{m:o|f:a}",
    "age:young": "jovem", "age:old": "idos{m:o|f:a}", "race:asian": "oriental", "race:black": "negr{m:o|f:a}", "race:caucasian": "branc{m:o|f:a}",
    "skin:dark": "de pele escura", "skin:fair": "de pele clara", "hasHair:0": "careca", "unkempt:yes": "despentead{m:o|f:a}",
    "unkempt:no": "pentead{m:o|f:a}", "orientation:front": "voltad{m:o|f:a} para a frente", "orientation:back": "voltad{m:o|f:a} para trás",
    "orientation:left": "voltad{m:o|f:a} para a esquerda", "orientation:right": "voltad{m:o|f:a} para a direita", "smile:yes": "sorrindo",
    "hairColour:light": "de cabelo claro", "hairColour:dark": "de cabelo escuro", "hasHair:1": "com cabelo", "ponytail:yes": "com rabo de cavalo",
    "fringe:yes": "com franja", "eye.colour:light": "com olhos claros", "eye.colour:dark": "com olhos escuros",
    "narrow.eyed:yes": "com olhos puxados", "facial.hair:yes": "com barba", "hasBeard:1": "com barba", "spots:yes": "com pintas",
    "glasses:yes": "com óculos", "hasGlasses:1": "com óculos", "earring:yes": "com brinco", "mouth:open": "com boca aberta",
    "mouth:shut": "com boca fechada", "emotion:positive": "com expressão alegre", "emotion:neutral": "com expressão neutra",
    "emotion:negative": "com expressão séria", "ponytail:no": "sem rabo de cavalo", "fringe:no": "sem franja", "facial.hair:no": "sem barba",
    "hasBeard:0": "sem barba", "spots:no": "sem pintas", "glasses:no": "sem óculos", "hasGlasses:0": "sem óculos", "earring:no": "sem brinco",
    "narrow.eyed:no": "sem olhos puxados", "hasShirt:1": "de camisa", "hasTie:1": "de gravata", "hasSuit:1": "de terno", "hasShirt:0": "sem camisa",
    "hasTie:0": "sem gravata", "hasSuit:0": "sem terno", "smile:no": "sem sorriso", "hpos:left": "à esquerda", "hpos:right": "à direita",
    "location:left-hand": "à esquerda", "location:right-hand": "à direita", "location:centre": "no centro",
    "hpos:centre": "no centro", "vpos:top": "em cima", "vpos:centre": "no meio", "vpos:bottom": "embaixo", "y-dimension:1": "na fileira de cima",
    "y-dimension:2": "na fileira do meio", "y-dimension:3": "na fileira de baixo", "x-dimension:1": "na extrema esquerda",
    "x-dimension:2": "à esquerda", "x-dimension:3": "no centro", "x-dimension:4": "à direita", "x-dimension:5": "na extrema direita",
}
_HAIR = {
    "hair.length": {"short": "curto", "long": "comprido"}, "hair.style": {"curly": "encaracolado", "straight": "liso"},
    "hair.colour": {"blonde": "claro", "dark": "escuro"},
}


def _parse_property(written: str) -> Property:
    return Property(*written.split(":"))


def _make_phrases() -> dict[frozenset[Property], tuple[Phrase, ...]]:
    """Return the phrases of TUNA's properties."""
    ranks = {written: rank for rank, written in enumerate(_PHRASES)}
    table: dict[frozenset[Property], tuple[Phrase, ...]] = {
        frozenset([_parse_property(w)]): (Phrase(AFTER, ranks[w], text),) for w, text in _PHRASES.items()
    }
    hair = {group: (Phrase(AFTER, ranks["hasHair:1"], text),) for group, text in _make_hair_phrases().items()}
    balding = frozenset([Property("hasHair", 0)])
    # As in English: no one is bald and dark-haired at once, so the colour is that of the hair left.
    for shade in ("light", "dark"):
        colour = Property("hairColour", shade)
        table[balding | {colour}] = (
            Phrase(AFTER, ranks["hasHair:0"], "meio careca"),
            *table[frozenset([colour])],
        )
        # The colour's phrase names the hair already.
        table[frozenset([colour, Property("hasHair", 1)])] = table[frozenset([colour])]
    return table | hair


def _make_hair_phrases() -> Mapping[frozenset[Property], str]:
    """Return the phrases for the hair, with all its attributes in one: com cabelo curto, liso e escuro."""
    phrases = {}
    for size in range(1, len(_HAIR) + 1):
        for names in combinations(_HAIR, size):
            for values in product(*(_HAIR[name] for name in names)):
                words = [_HAIR[name][value] for name, value in zip(names, values, strict=True)]
                text = words[0] if size == 1 else f"{', '.join(words[:-1])} e {words[-1]}"
                phrases[frozenset(map(Property, names, values))] = f"com cabelo {text}"
    return phrases


def _make_grades(high: str, low: str, called: str) -> Grades:
    return Grades(f"mais {high}", f"mais {high}", f"mais {low}", f"mais {low}", called=called)


_ACROSS = Grades(
    "à direita", "mais à direita", "à esquerda", "mais à esquerda", "na {}a posição a partir da direita", "na {}a posição a partir da esquerda",
    at="na coluna {}",
)
_DOWN = Grades(
    "embaixo", "mais embaixo", "em cima", "mais em cima", "na {}a posição de baixo para cima", "na {}a posição de cima para baixo",
    at="na linha {}",
)

_AMOUNTS = {
    "size tamanho": Grades("maior", "maior", "menor", "menor", called="tamanho"),
    "age idade": _make_grades("velh{m:o|f:a}", "nov{m:o|f:a}", "idade"),
    "height altura": _make_grades("alt{m:o|f:a}", "baix{m:o|f:a}", "altura"),
    "width largura": _make_grades("larg{m:o|f:a}", "estreit{m:o|f:a}", "largura"),
    "length comprimento": _make_grades("comprid{m:o|f:a}", "curt{m:o|f:a}", "comprimento"),
    "weight peso": _make_grades("pesad{m:o|f:a}", "leve", "peso"),
    "price preço": _make_grades("car{m:o|f:a}", "barat{m:o|f:a}", "preço"),
    "speed velocidade": _make_grades("rápid{m:o|f:a}", "lent{m:o|f:a}", "velocidade"),
    "temperature temperatura": _make_grades("quente", "fri{m:o|f:a}", "temperatura"),
}
_LEXICON = Lexicon.read("portuguese")

PORTUGUESE = Language(
    code="pt",
    articles={"m": "o", "f": "a", "mp": "os", "fp": "as"},
    default=Noun("objeto", "m"),
    nouns={
        **{_parse_property(written): Noun(*noun.split()) for written, noun in _NOUNS.items()},
        **{Property("type", word): Noun(word, gender) for word, gender in map(str.split, sorted(_LEXICON.declined))},
    },
    phrases=_make_phrases(),
    relations={
        "near": "perto de", "left": "à esquerda de", "right": "à direita de", "in-front-of": "na frente de", "behind": "atrás de",
        "below": "abaixo de", "above": "acima de", "left-to": "à esquerda de", "left-of": "à esquerda de", "right-to": "à direita de",
        "right-of": "à direita de", "next-to": "ao lado de", "next": "ao lado de", "beside": "ao lado de", "on": "sobre", "over": "sobre",
        "inside": "dentro de", "at": "em", "on-top-of": "em cima de", "under": "embaixo de", "in": "em", "have": "com", "between": "entre",
        "northwest": "a noroeste de", "northeast": "a nordeste de", "southwest": "a sudoeste de", "southeast": "a sudeste de",
    },
    merging=("com", "sem"),
    conjunction="e",
    having="com",
    lacking="sem",
    negation="não ",
    places_open=frozenset({"em", "à", "ao", "no", "na", "embaixo", "abaixo", "acima", "dentro", "fora", "perto", "longe", "atrás"}),
    openers=frozenset(
        {"com", "sem", "de", "em", "no", "na", "à", "ao", "que", "voltado", "voltada", "para", "do", "da"}
    ),
    determiners=frozenset({"o", "a", "um", "uma"}),
    contractions={(full, a): short + a for full, short in (("de", "d"), ("em", "n")) for a in ("o", "a", "os", "as")},
    adjectives=AFTER,
    degrees=frozenset({"mais", "não"}),
    invariable=frozenset({"embaixo", "sorrindo"}),
    plurals={
        "": "s", "m": "ns", "r": "res", "l": "is", "ão": "ões", "z": "zes", "il": "is", "el": "éis", "ol": "óis", "vel": "veis", "us": "us", "is": "is",
        "ês": "eses", "x": "x",
        **{f" {word}ão": f" {word}ães" for word in ("p", "c", "capit", "alem", "catal", "escriv", "charlat")},
        **{f" {word}ão": f" {word}ãos" for word in ("m", "irm", "cidad", "crist", "ch", "gr", "v", "órg", "órf", "sót", "corrim")},
        **{f" {one}": f" {many}" for one, many in (("túnel", "túneis"), ("réptil", "répteis"), ("fóssil", "fósseis"), ("país", "países"), ("gás", "gases"),
                                                   ("tênis", "tênis"), ("lápis", "lápis"), ("mal", "males"), ("bênção", "bênçãos"))},
    },
    numbers={
        2: "{mp:dois|fp:duas}", **dict(enumerate(("três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"), 3)),
    },
    ordinals=dict(enumerate(("segund", "terceir", "quart", "quint", "sext"), 2)),
    grades={
        **{name: grades for names, grades in _AMOUNTS.items() for name in names.split()},
        **dict.fromkeys(("x", "x-dimension", "x-position", "column", "col"), _ACROSS),
        **dict.fromkeys(("y", "y-dimension", "y-position", "row"), _DOWN),
    },
    clauses=Clauses(
        "que",
        ("é", "são"),
        ("tem", "têm"),
        "não", "ou",
        lack=("não tem", "não têm"),
        inverse="{relation} {which} {be} {thing}",
        which="{m:o qual|f:a qual|mp:os quais|fp:as quais}",
        located=("está", "estão"),
    ),
    covers={"à esquerda": ("na extrema esquerda",), "à direita": ("na extrema direita",)},
    than="do que",
    patterns={
        "called": "chamad{m:o|f:a} {}", **dict.fromkeys(("material", "origem", "dono", "país"), "de {}"), "marca": "da marca {}",
        **dict.fromkeys(("conteúdo", "conteudo"), "com {}"),
    },
    something="algo",
    attribution="com “{}: {}”",
    naming="do tipo “{}”",
    prefixes="has|is|tem|é|está|esta",
    participle=r"[a-zà-ú]{2,}(?:[ai]d|os|iv)[oa]s?|[a-zà-ú]{3,}[áí]ve(?:l|is)|[a-zà-ú]{2,}(?:[ae]nd|rrind)o",
    partitive="de",
    lexicon=_LEXICON,
    extremes={
        "least": "com o menor valor de “{}”", "most": "com o maior valor de “{}”", "nth least": "com o {1}o menor valor de “{0}”",
        "nth most": "com o {1}o maior valor de “{0}”", "<": "um valor de “{0}” abaixo de {1}", ">": "um valor de “{0}” acima de {1}",
    },
    answers=("sim", "não"),
    aliases={"cor": "colour", "tamanho": "size", "idade": "age", "posição": "position"},
    genders={"a": "f", "ção": "f", "são": "f", "dade": "f", "gem": "f", "ema": "m", "oma": "m", "o": "m"},
    inflections={"o": "{m:o|f:a}", "a": "{m:o|f:a}", "ando": "ando", "endo": "endo", "indo": "indo",
        **{word: word for word in ("cinza", "rosa", "laranja", "careca")},
    },
    plural_endings={"": "s", "m": "ns", "l": "is", "r": "res", "s": "s"},
    plural_of={"m": "mp", "f": "fp"},
)
# fmt: on
# fmt: on
