"""English: words for the attributes of TUNA and of other scenes of simple objects, written for this project."""

from __future__ import annotations

import re

from referee.realisation.language import AFTER, BEFORE, Clauses, Grades, Language, Noun, Phrase
from referee.records import Property

# fmt: off
_COLUMNS = {
    "1": "on the far left", "2": "on the left", "3": "in the middle", "4": "on the right", "5": "on the far right",
}
_ROWS = {"1": "top", "2": "middle", "3": "bottom"}
_FEATURES = {"hasBeard": "a beard", "hasGlasses": "glasses", "hasHair": "hair"}
_CLOTHES = {"hasShirt": "a shirt", "hasTie": "a tie", "hasSuit": "a suit"}
_SHADES = {"light": "light", "dark": "dark"}
_PLACES = {
    "left": "on the left", "right": "on the right", "centre": "in the middle", "center": "in the middle", "middle": "in the middle",
    "front": "at the front", "back": "at the back", "top": "at the top", "bottom": "at the bottom",
}
_FACING = {"front": "facing forward", "back": "facing away", "left": "facing left", "right": "facing right"}


_OPENERS = frozenset({
    "with", "without", "wearing", "facing", "who", "that", "which", "in", "on", "at", "to", "towards", "of", "from", "has", "is", "looking", "shown", "seen",
    "turned", "next", "above", "below", "near", "by", "he", "it", "not",
})
_PLACES_OPEN = frozenset({"in", "on", "at", "to", "from", "with", "of"})
_PREPOSITIONS = _PLACES_OPEN | {"without", "wearing", "facing", "towards", "who", "that", "which", "is", "has", "looking"}
_THINGS = frozenset({
    "hair", "beard", "beards", "moustache", "mustache", "goatee", "glasses", "spectacles", "specs", "eyeglasses", "tie", "shirt", "suit", "jacket", "head",
})
_GENERIC_NOUNS = frozenset({"one", "person", "thing", "object", "item", "picture", "photo", "image", "figure", "guy", "man", "male", "men"})
PARTS = _THINGS | frozenset({
    "lid", "handle", "stripe", "stripes", "spot", "spots", "dot", "dots", "wheel", "wheels", "hat", "cap", "scarf", "belt", "button", "buttons", "collar",
    "pocket", "eyes", "lips", "shoes", "boots", "gloves", "socks", "trousers", "pockets", "sleeve", "sleeves", "leg", "legs", "arm", "arms", "wing", "wings",
    "tail", "ear", "ears", "horn", "horns", "fringe", "ponytail", "earring", "earrings", "necklace", "label", "logo", "door", "doors", "window", "windows",
    "drawer", "drawers", "shelf", "shelves", "mirror", "cushion", "cushions", "back", "backrest", "armrest", "armrests", "light", "lights", "roof", "chimney",
    "antenna", "screen", "keyboard", "cable", "string", "strap", "zip", "border", "pattern", "hole", "holes", "crack", "cracks", "scratch", "scratches",
    "leaf", "leaves", "stem", "flower", "flowers", "smile", "crown", "umbrella", "bag", "basket", "bell", "flag", "bed", "shed", "weed", "seed", "ring",
    "spring", "lining", "topping", "filling", "coating", "icing", "painting", "railing", "building", "clothing", "piercing", "marking", "engraving",
    "heating", "wiring", "steering", "landing", "ceiling", "dressing", "stuffing", "rating", "setting", "parking", "seating", "bedding", "packaging",
    "housing", "binding", "lettering", "lighting", "flooring", "frosting", "seasoning", "cladding", "balcony", "nose", "hands", "family", "assembly",
    "butterfly", "dragonfly", "mouth", "chin", "bow", "apron", "helmet", "elephant", "pendant", "hydrant", "accent", "dent", "vent", "tent", "plant",
    "restaurant", "assistant", "infant", "pedal", "petal", "medal", "signal", "crystal", "canal", "animal", "hospital", "journal", "terminal", "manual",
    "festival", "cereal", "sandal", "mineral", "portal", "coral", "table", "vegetable", "stable", "bible", "fish", "dish", "radish", "varnish", "blemish",
    "drive", "archive", "hive", "olive", "fabric", "attic", "mic", "bracelet", "watch", "veil", "mask", "moustache", "sideburns", "freckle", "freckles",
    "dimple", "dimples", "scar", "tattoo", "tattoos", "wrinkles", "interior", "exterior", "padding", "spacing", "siding", "awning", "warning", "swing",
    "cheeks", "knees", "wrists", "paws", "feet", "shade", "nest", "candle", "room", "seat", "item", "bird", "bracket", "badge", "sticker", "stamp", "ribbon",
    "plug", "socket", "switch", "writing", "wrapping", "battery", "batteries", "charger", "lamp", "pillow", "blanket", "curtain", "curtains", "spout", "rim",
})
# Attributes that are adjectives and have no ending that shows it.
_STATES = frozenset({
    "open", "closed", "shut", "full", "empty", "wet", "dry", "hot", "cold", "warm", "cool", "clean", "dirty", "dusty", "shiny", "dull", "ripe", "raw",
    "fresh", "stale", "rotten", "broken", "whole", "new", "old", "young", "large", "big", "small", "tall", "short", "long", "wide", "narrow", "thick", "thin",
    "round", "square", "flat", "curved", "straight", "sharp", "blunt", "soft", "hard", "smooth", "rough", "heavy", "light", "dark", "bright", "loud", "quiet",
    "fast", "slow", "happy", "sad", "angry", "tired", "sleepy", "alive", "dead", "awake", "asleep", "male", "female", "single", "double", "lit", "unlit",
    "on", "off", "visible", "hidden", "free", "busy", "safe", "clear", "opaque", "transparent", "wooden", "golden", "silver", "woollen", "solid", "hollow",
    "liquid", "upright", "upside down", "horizontal", "vertical", "main", "digital", "manual", "automatic", "mechanical", "metal", "plastic",
    "glass", "leather", "tidy", "messy", "rusty", "muddy", "furry", "hairy", "curly", "bald", "fat", "slim", "rich", "poor", "cheap", "dear", "expensive",
    "rare", "common", "vegan", "vegetarian", "sweet", "sour", "bitter", "salty", "spicy", "available", "present", "absent", "complete", "worn", "torn",
    "bent", "spilt", "burnt", "frozen", "shorn", "drawn", "written", "woven", "sunken", "fallen", "swollen", "stolen", "cut", "read", "online", "offline",
    "active", "indoor", "outdoor", "wild", "tame", "native", "foreign", "local", "final", "first", "last", "left", "right", "upper", "lower", "front", "rear",
    "inner", "outer", "human", "urgent", "important", "current", "recent", "private", "public", "secret", "modern", "ancient", "real", "fake", "true",
    "valid", "portable", "noisy", "sunny", "cloudy", "rainy", "windy", "foggy", "snowy", "icy", "steep", "deep", "shallow", "loose", "tight", "edible",
    "poisonous", "deciduous", "evergreen", "hostile", "bold", "italic", "migratory", "predatory", "obligatory", "introductory", "sanitary", "planetary",
    "legendary", "voluntary", "binary", "customary", "honorary", "sedentary", "hereditary", "extraordinary", "preliminary", "elementary", "auditory",
    "decorative", "substitute", "reserve", "novice", "guest", "resident", "volunteer", "original", "duplicate", "default", "draft", "bestseller", "classic",
    "replica", "prototype", "vip", "twin", "mammal", "vertebrate", "carnivore", "herbivore", "unread", "retro", "vintage", "trendy", "cosy", "corrupt",
    "infected", "immune", "illegal", "legal", "lying", "dying", "tying", "mother", "father", "student", "teacher", "doctor", "tourist", "only", "larva",
    "juvenile", "baby", "pregnant", "favourite", "favorite", "alone", "adult", "member", "beginner", "expert", "veteran", "junior", "senior", "captain",
    "genuine", "authentic", "obsolete", "remote", "mobile", "fragile", "sterile", "fertile", "hygienic", "unique", "antique", "opposite", "separate",
    "intact", "perfect", "correct", "incorrect", "exact", "strict", "adjacent", "circular", "regular", "popular", "modular", "spare", "bare", "pure",
    "mature", "secure", "obscure", "entire", "complex", "simple", "stackable", "ample", "gentle", "brittle", "idle", "agile", "humble", "fluffy", "blurry",
    "fuzzy", "crispy", "crunchy", "creamy", "juicy", "greasy", "sticky", "slippery", "smelly", "leaky", "creaky",
    "stormy", "mossy", "rocky", "sandy", "grassy", "leafy",
    "thorny", "prickly", "spiky", "bumpy", "lumpy", "wavy", "hungry", "thirsty", "lucky", "guilty", "healthy", "wealthy", "busty", "bulky", "chunky",
    "skinny", "scary", "grumpy", "crazy", "lazy", "bossy", "easy", "early", "daily", "weekly", "monthly", "yearly", "likely", "elderly", "deadly", "holy",
    "primary", "secondary", "temporary", "stationary", "necessary", "imaginary", "ordinary", "military", "solitary", "mandatory", "compulsory", "on time",
    "ill", "sick", "well", "fit", "pale", "blind", "deaf", "mute", "lame", "drunk", "sober", "naked", "nude", "barefoot", "gay", "royal", "noble", "famous",
    "brave", "calm", "wise", "clever", "smart", "stupid", "silly", "funny", "strange", "odd", "weird", "shy", "proud", "rude", "polite", "kind", "cruel",
    "mean", "evil", "good", "bad", "nice", "fine", "great", "late", "ready", "open source", "part time", "full time",
    "high", "low", "near", "far", "close", "crisp", "firm", "dense",
    "sparse", "solar", "polar", "lunar", "linear", "mint", "neat", "plain", "matt", "matte", "glossy", "faint", "vivid", "pastel", "neon", "multicoloured",
    "multicolored", "toxic", "extinct", "aquatic", "domestic", "exotic", "tropical", "nocturnal", "amphibious", "venomous", "endemic", "halal", "kosher",
    "organic", "homemade", "handmade", "home made", "hand made", "second hand", "brand new", "gluten free", "sugar free", "fat free", "wireless",
    "waterproof", "built in", "stainless", "electric", "offshore", "inshore", "overweight", "underweight", "overdue", "due", "void", "null", "superior",
    "inferior", "anterior", "major", "minor", "prime", "odd numbered", "even", "uneven", "negative", "positive", "friendly", "lonely", "ugly", "pretty",
    "elegant", "brown", "red", "blue", "green", "white", "black", "pink", "grey", "yellow",
})
_SHAPES = (
    "star", "heart", "house", "ring", "cross", "circle", "triangle", "arrow", "diamond", "moon", "crescent", "leaf", "flower", "cone", "cylinder", "pyramid",
    "drop", "egg", "pear", "bell", "wedge", "rectangle",
)
_EMOTIONS = {"anger": "angry", "joy": "happy", "happiness": "happy", "sadness": "sad", "fear": "frightened", "surprise": "surprised", "disgust": "disgusted"}
_ANTONYMS = {"open": "closed", "enabled": "disabled", "lit": "unlit", "disabled": "enabled", "read": "unread", "active": "inactive", "locked": "unlocked",
              "checked": "unchecked", "sealed": "unsealed",
              "clean": "dirty", "dead": "living", "smiling": "unsmiling", "evergreen": "deciduous", "awake": "sleeping",
              **{word: f"un{word}" for word in ("married", "occupied", "inhabited", "ripe", "peeled", "signed", "opened", "used", "finished", "painted",
    "labelled", "wrapped", "selected", "armed", "tuned", "cooked", "seasoned", "sliced", "paved", "furnished", "tidy", "healthy", "stable", "even")}}
_UNCOUNTED = frozenset({
    "sand", "cream", "bread", "rice", "soup", "cheese", "butter", "meat", "coffee", "tea", "juice", "wine", "beer", "oil", "salt", "flour", "honey",
    "chocolate", "jam", "dust", "dirt", "mud", "rust", "smoke", "fire", "wood", "metal", "glass", "paper", "plastic", "gold", "money", "luggage", "furniture",
    "damage", "fuel", "vegetation", "bark", "armour", "armor", "equipment", "weather", "stubble", "acne", "mould", "noise", "gas", "petrol", "diesel",
    "steam", "fog", "rain", "lava", "blood", "ketchup", "mustard", "mayonnaise", "visibility", "parking", "wifi", "internet", "insurance", "air conditioning",
    "storage", "access", "seating", "packaging", "bedding", "lighting", "flooring", "cladding", "insulation", "footwear", "headwear", "eyewear", "outerwear",
    "underwear", "headgear", "literature", "progress", "experience", "sunlight", "ventilation", "plumbing", "security", "upholstery", "foliage", "moisture",
    "oxygen", "air", "transit", "makeup", "paint", "pollen", "nectar", "cargo", "sun", "gum", "health", "hygiene", "humidity", "growth", "plumage", "chrome",
    "cutlery", "crockery", "sap", "ink", "power", "frosting", "foil", "software", "hardware", "scenery", "sawdust", "wallpaper", "varnish", "glitter", "lace",
    "pepper", "garlic", "parsley", "mist", "heat", "energy", "research", "knowledge", "evidence", "faith", "courage", "tinsel", "yarn", "thread",
    "string cheese", "slime", "ash", "tar", "wax", "steel", "iron", "brass", "copper", "bronze", "aluminium", "rubber", "leather", "cotton", "wool", "silk",
    "clay", "concrete", "cardboard", "marble", "porcelain", "bamboo", "velvet", "linen", "denim", "granite", "seaweed", "pasta", "lettuce", "corn", "wheat",
    "hay", "popcorn", "toast", "mail", "clothing", "music", "traffic", "electricity", "heating", "wiring", "icing", "graffiti", "moss", "ivy", "soil",
    "gravel", "food", "garbage", "lipstick", "writing", "content", "wrapping", "make up", "cocoa",
    "hair", "skin", "focus", "fruit", "water", "milk", "sugar", "snow", "grass", "facial hair", "jewellery", "make-up", "fur", "foam", "ice"})
_QUALITIES = frozenset({
    "colour", "color", "hue", "shade", "shape", "state", "status", "condition", "age", "pattern", "texture", "finish", "quality", "temperature", "mood",
    "emotion", "nationality", "brand", "make", "material", "made", "size", "height", "width", "length", "depth", "weight", "speed", "price", "brightness",
    "gender", "sex", "race", "species", "breed", "orientation", "location", "place", "position", "taste", "flavour", "gloss", "fill", "kind", "category",
    "basic", "superordinate", "class", "style", "surface", "rarity", "ripeness", "freshness", "doneness", "wetness", "difficulty", "level", "rank", "role",
    "job", "profession", "language", "genre", "app", "model", "preparation",
})
_PARTICIPLES = frozenset({
    "built", "made", "born", "sold", "bought", "grown", "drawn", "written", "worn", "torn", "broken", "eaten", "driven", "taken", "given", "hidden", "frozen",
    "stolen", "woven", "thrown", "hung", "bent", "cut", "shut", "set", "lit", "led", "held", "spent", "won", "sent", "paid", "read", "shot", "spun", "struck",
    "sunk", "kept", "bred", "fed", "shorn", "carven", "spread", "sewn", "knit", "caught", "fought", "taught", "brought", "ridden", "bitten", "shown", "seen",
})
_AMOUNTS_OF_STATE = frozenset({
    "half", "well", "wide", "quarter", "nearly", "almost", "partly", "partially", "fully", "completely", "entirely", "mostly", "slightly", "barely", "hardly",
    "never", "always", "often", "rarely", "seldom", "sometimes", "recently", "freshly", "newly", "badly", "poorly", "heavily", "lightly", "very", "quite",
    "totally", "frequently", "occasionally", "regularly", "deeply", "thinly", "thickly", "loosely", "tightly", "halfway", "once", "twice",
})
_ACTIONS = frozenset({"activity", "action", "posture", "pose", "stance", "behaviour", "behavior", "movement", "motion", "task", "occupation"})
_IDIOMS = frozenset({
    "weight", "piece", "machine", "stage", "deck", "camera", "transit", "duty", "sale", "stock", "time", "foot", "bed", "flight", "use", "motion", "bloom",
    "blossom",
    "flower", "season", "love", "pain", "danger", "land", "board", "top", "hold", "construction", "repair", "maintenance", "pressure", "display", "loan",
    "offer", "line", "shore", "site", "target", "strike", "leave", "holiday", "call", "guard", "view", "sight", "place", "print", "uniform", "costume",
    "profile", "shape", "order", "service", "charge", "control", "school", "work", "home", "sea", "war", "rest", "risk", "fire", "hand", "front", "back",
})
_ORIGINS = ("made", "origin", "country", "country of origin", "countryOfOrigin", "country_of_origin", "hometown", "birthplace", "home", "region", "city")
_VERBS = ("holds", "wears", "carries", "expires", "faces", "eats", "drinks", "rides", "drives", "plays", "costs", "weighs", "speaks", "reads", "likes", "lives",
    "sells", "shows", "needs", "contains", "includes", "accepts", "requires", "allows", "serves", "offers", "uses", "makes", "points", "looks", "swims",
    "glows", "floats", "barks", "blinks", "rotates", "moves", "sleeps", "jumps", "sings", "works", "shines", "hold", "carry", "wear", "depicts", "portrays",
    "represents", "pulls", "pushes", "chases", "follows", "emits", "produces", "throws", "teaches", "sits", "departs", "arrives", "opens",
          "closes", "protects", "connects", "grows", "talks", "walks", "purrs", "snores", "beeps", "leaks", "squeaks", "vibrates", "growls", "hisses",
    "crawls", "climbs", "dances", "laughs", "cries", "rattles", "bounces", "hums", "whistles", "stings", "spins", "wobbles", "roars", "flashes")
_PAIRS = frozenset({"spectacles", "specs", "eyeglasses", "trousers", "tongs", "pliers", "jeans", "shorts", "tweezers", "binoculars", "headphones",
                    "goggles", "sunglasses", "tights", "leggings", "shears", "pyjamas", "dungarees"})
_KIN = ("father", "mother", "parent", "child", "son", "daughter", "brother", "sister", "sibling", "friend", "wife", "husband", "owner", "boss", "teacher",
        "twin", "colleague", "neighbour", "leader", "captain", "member", "author", "enemy", "partner", "doctor")
_INFINITIVES = ("hold", "carry", "wear", "contain", "follow", "eat", "chase", "hug", "surround", "overlap", "own", "point at", "look at", "talk to", "protect")
# Endings with the plural's; vowels before -y keep it (toys).
_PLURALS = {
    "": "s", "s": "ses", "x": "xes", "z": "zes", "ch": "ches", "sh": "shes", "y": "ies", "ay": "ays", "ey": "eys", "oy": "oys",
    "person": "people", "man": "men", "human": "humans", "child": "children", "mouse": "mice", "knife": "knives", "shelf": "shelves",
    "glasses": "glasses", "sheep": "sheep", "fish": "fish", "scissors": "scissors", "leaf": "leaves", "wolf": "wolves", "loaf": "loaves",
    "wife": "wives", "scarf": "scarves", "hoof": "hooves", "thief": "thieves", "bus": "buses", "cactus": "cacti", "antenna": "antennae", "fungus": "fungi",
    "aircraft": "aircraft",
    "life": "lives", "half": "halves", "calf": "calves", "foot": "feet", "tooth": "teeth", "goose": "geese", "ox": "oxen", "box": "boxes",
    "potato": "potatoes", "pair of scissors": "pairs of scissors", "pair of glasses": "pairs of glasses", "pair of trousers": "pairs of trousers",
    "tomato": "tomatoes", "woman": "women", "deer": "deer", "uy": "uys", "die": "dice", "roof": "roofs", "furniture": "pieces of furniture",
}
def _make_grades(more: str, most: str, less: str, least: str, dimension: str = "") -> Grades:
    """Return the comparatives and superlatives of an adjective and its opposite."""
    # "Lighter grey" would be a shade, so that what weighs less is "less heavy".
    less, least = less.replace("_", " "), least.replace("_", " ")
    return Grades(more, most, less, least, f"{{}} {most}", f"{{}} {least}", dimension)


_NUMBERS = dict(enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2))
_ORDINALS = dict(enumerate(("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 2))
_ACROSS = Grades("right", "rightmost", "left", "leftmost", "{} from the right", "{} from the left", at="in column {}")
_DOWN = Grades("lower", "bottom", "upper", "top", "{} from the bottom", "{} from the top", at="in row {}")
_AMOUNTS = {
    "size": "larger largest smaller smallest", "area": "larger largest smaller smallest", "volume": "larger largest smaller smallest",
    "diameter": "larger largest smaller smallest wide", "height": "taller tallest shorter shortest tall", "length": "longer longest shorter shortest long",
    "width": "wider widest narrower narrowest wide", "depth": "deeper deepest shallower shallowest deep",
    "thickness": "thicker thickest thinner thinnest thick",
    "weight": "heavier heaviest less_heavy least_heavy", "age": "older oldest younger youngest old", "speed": "faster fastest slower slowest",
    "price": "dearer dearest cheaper cheapest", "cost": "dearer dearest cheaper cheapest", "temperature": "hotter hottest colder coldest",
    "brightness": "brighter brightest darker darkest", "distance": "farther farthest nearer nearest away",
}
_GRADES = {
    **{name: _make_grades(*words.split()) for name, words in _AMOUNTS.items()},
    **dict.fromkeys(("x", "x-dimension", "x-position", "column", "col"), _ACROSS), **dict.fromkeys(("y", "y-dimension", "y-position", "row"), _DOWN),
}
# fmt: on

# Ranks: before the noun size, age, baldness, hair, colour; after it orientation, hair, features, missing features,
# clothes, position.
_SIZE, _AGE, _BALD, _HAIRED, _COLOUR = range(5)
_QUALITY, _SHAPE, _MATERIAL = -1, 1, 60
_FACE, _HAIR, _FEATURE, _MISSING, _WORN, _NOT_WORN, _PLACE = range(10, 17)


def _drop_article(name: str) -> str:
    return name.removeprefix("a ")


def _make_phrases() -> dict[frozenset[Property], tuple[Phrase, ...]]:
    """Return the phrases of TUNA's properties."""
    table: dict[frozenset[Property], tuple[Phrase, ...]] = {}

    def put(phrases: list[tuple[int, int, str]], **properties: str) -> None:
        key = frozenset(Property(name.replace("_", "-"), value) for name, value in properties.items())
        table[key] = tuple(Phrase(*p) for p in phrases)

    # fmt: off
    for size in (
    "large", "small", "big", "little", "tiny", "huge", "medium", "tall", "short", "long", "wide", "narrow",
    ):
        put([(BEFORE, _SIZE, size)], size=size)
    # fmt: on
    for age in ("old", "young"):
        put([(BEFORE, _AGE, age)], age=age)
    # fmt: off
    for colour in (
    "red", "blue", "green", "grey", "white", "black", "yellow", "orange", "purple", "pink", "brown", "gray",
    ):
        put([(BEFORE, _COLOUR, colour)], colour=colour)
    # fmt: on
    for noun, adjective in (("girl", "female"), ("woman", "female"), ("boy", "male"), ("man", "male")):
        put([(BEFORE, _QUALITY, adjective)], gender=noun)
        put([(BEFORE, _QUALITY, adjective)], sex=noun)
    for emotion, adjective in _EMOTIONS.items():
        put([(BEFORE, _QUALITY, adjective)], emotion=emotion)
    put([(BEFORE, _MATERIAL, "wooden")], material="wood")
    put([(BEFORE, _BALD, "bald")], hair="bald")
    for shape in _SHAPES:
        put([(BEFORE, _SHAPE, f"{shape}-shaped")], shape=shape)
    # Adjectives that only follow a verb have another one that goes before a noun.
    for answers, living, sleeping in ((("1", "yes"), "living", "sleeping"), (("0", "no"), "dead", "waking")):
        for answer in answers:
            put([(BEFORE, _QUALITY, living)], alive=answer)
            put([(BEFORE, _QUALITY, sleeping)], asleep=answer)
    for value, words in _FACING.items():
        put([(AFTER, _FACE, words)], orientation=value)
    for name, thing in _FEATURES.items():
        put([(AFTER, _FEATURE, f"with {thing}")], **{name: "1"})
        put([(AFTER, _MISSING, f"with no {_drop_article(thing)}")], **{name: "0"})
    for name, thing in _CLOTHES.items():
        put([(AFTER, _WORN, f"wearing {thing}")], **{name: "1"})
        put([(AFTER, _NOT_WORN, f"wearing no {_drop_article(thing)}")], **{name: "0"})
    # In place of "with no hair" from above.
    put([(BEFORE, _BALD, "bald")], hasHair="0")
    for value, shade in _SHADES.items():
        put([(BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value)
        put([(AFTER, _HAIR, f"with {shade} hair")], hairColour=value, hasHair="1")
        # Baldness excludes dark hair; in TUNA the colour is then that of the beard, or of the remaining hair.
        put([(BEFORE, _BALD, "balding"), (BEFORE, _HAIRED, f"{shade}-haired")], hairColour=value, hasHair="0")
        put(
            [(BEFORE, _BALD, "bald"), (AFTER, _FEATURE, f"with a {shade} beard")],
            hairColour=value,
            hasHair="0",
            hasBeard="1",
        )
    # GRE3D's places, and those of a picture.
    for place, words in {"right-hand": "right-hand", "left-hand": "left-hand"}.items():
        put([(BEFORE, _SIZE - 1, words)], location=place)
    for name in ("location", "place", "position"):
        for place, words in _PLACES.items():
            put([(AFTER, _PLACE, words)], **{name: place})
    for place, words in {"left": "on the left", "right": "on the right", "centre": "in the middle"}.items():
        put([(AFTER, _PLACE, words)], hpos=place)
    for place, words in {"top": "at the top", "bottom": "at the bottom", "centre": "in the middle"}.items():
        put([(AFTER, _PLACE, words)], vpos=place)
    for turned, words in {"up": "facing up", "down": "facing down"}.items():
        put([(AFTER, _FACE, words)], orientation=turned)
    for y, row in _ROWS.items():
        put([(AFTER, _PLACE, f"in the {row} row")], y_dimension=y)
    for x, column in _COLUMNS.items():
        put([(AFTER, _PLACE, column)], x_dimension=x)
        for y, row in _ROWS.items():
            put([(AFTER, _PLACE, f"{column} of the {row} row")], x_dimension=x, y_dimension=y)
    return table


def _make_present_participle(words: str) -> str:
    """Return a verb in the third person as it follows a noun ("holds": "holding"); other words unchanged."""
    verb, blank, rest = words.partition(" ")
    if not verb.endswith("s") or verb.endswith("ss") or len(verb) < 4:
        return words
    base = verb.removesuffix("s")
    if base.endswith("ie"):
        base = base.removesuffix("ie") + "y"
    elif base.endswith(("she", "che", "sse", "xe", "oe")):
        base = base.removesuffix("e")
    if base.endswith("e") and not base.endswith("ee"):
        base = base.removesuffix("e")
    elif re.fullmatch(r"(?:over)?[^aeiou]*[aeiou][bdgmnprt]", base):
        base += base[-1]
    return f"{base}ing{blank}{rest}"


# fmt: off
ENGLISH = Language(
    code="en",
    articles={"": "the"},
    default=Noun("one"),
    nouns={Property("type", value): Noun(value) for value in ("chair", "sofa", "desk", "fan", "person")},
    phrases=_make_phrases(),
    relations={
        "left": "to the left of", "left-of": "to the left of", "right": "to the right of", "right-of": "to the right of", "above": "above",
        "on-top-of": "on top of", "on": "on", "below": "below", "under": "under", "near": "near", "next-to": "next to", "in-front-of": "in front of",
        "behind": "behind", "in": "in", "between": "between", "left-to": "to the left of", "part-of": "belonging to", "inside-of": "inside",
        "outside-of": "outside",
        **{w: f"{w} to" for w in ("adjacent", "close", "attached", "connected", "parallel", "similar", "identical", "tied", "married", "related")},
        **{f"on{the}-{side}-of": f"to the {side} of" for side in ("left", "right") for the in ("", "-the")},
        **{f"{at}-{side}-of": f"{at} and to the {side} of" for side in ("left", "right") for at in ("above", "below")},
        **{f"{noun}-of": f"being the {noun} of" for noun in _KIN}, **{verb: _make_present_participle(f"{verb}s") for verb in _INFINITIVES},
        **{f"same-{place}-as": f"in the same {place} as" for place in ("row", "column", "line", "room", "group", "team", "place")},
        "right-to": "to the right of", "next": "next to",
        "straight": "straight ahead of", "slightlyleft": "slightly to the left of", "slightlyright": "slightly to the right of",
        "leftaround": "around to the left of", "rightaround": "around to the right of", "have": "with", "has": "with", "contains": "with",
        "inside": "inside", "over": "over", "beside": "beside", "at": "at", "north": "north of", "south": "south of", "east": "east of",
        "west": "west of", "northeast": "northeast of", "northwest": "northwest of", "southeast": "southeast of", "southwest": "southwest of",
    },
    merging=("with", "wearing"),
    conjunction="and",
    having="with",
    lacking="without",
    openers=_OPENERS,
    determiners=frozenset({"the", "a", "an"}),
    prepositions=_PREPOSITIONS,
    places_open=_PLACES_OPEN,
    partitive="of",
    inside=("in", "the"),
    regions=frozenset({"row", "column", "corner", "line"}),
    resumptive=frozenset({"he", "it"}),
    copula="is",
    things=_THINGS,
    generic_nouns=_GENERIC_NOUNS,
    before_vowels={"a": "an"},
    negation="non-",
    plurals=_PLURALS | {f"{word}": f"pairs of {word}" for word in _PAIRS},
    numbers=_NUMBERS,
    numbers_alone=True,
    singular_numeral="one",
    ordinals=_ORDINALS,
    grades=_GRADES,
    clauses=Clauses(
    "that",
        ("is", "are"),
        ("has", "have"),
    "not", "or",
        lack=("does not have", "do not have"),
        inverse="with {thing} {relation} {it}",
        inverse_verb="that {thing} {be} {relation}",
        it=("it", "them"),
        it_of=(
            *((noun, "him") for noun in ("man", "boy", "king", "father", "guy")),
            *((noun, "her") for noun in ("woman", "girl", "lady", "queen", "mother")),
            *((noun, "them") for noun in ("person", "child", "player", "student", "doctor")),
        ),
    ),
    qualities=_QUALITIES,
    patterns={
        **dict.fromkeys(("owner", "ownedBy", "owned_by"), "owned by {}"), **dict.fromkeys(("contents", "content", "filling"), "containing {}"),
        **dict.fromkeys(("text", "alt", "alt_text", "altText", "content_description"), 'with the text "{}"'),
        **{n: f'with the {n} "{{}}"' for n in ("caption", "title", "subtitle", "placeholder", "tooltip", "message", "slogan", "inscription", "hint")},
        **dict.fromkeys(("artist", "author", "painter", "maker"), "by {}"),
        "destination": "to {}", "recipient": "to {}", "sender": "from {}", "label": "labelled {}", "called": "called {}", **dict.fromkeys(_ORIGINS, "from {}"),
        **dict.fromkeys(("year", "model year", "production year", "year of manufacture", "year of publication"), "from {}"), "century": "from the {} century",
        "decade": "from the {}", "season": "in {}", "nickname": "nicknamed {}", **{n: f"in the {{}} {n}" for n in ("team", "group", "department")},
    },
    covers={
        "on the left": ("on the far left",), "on the right": ("on the far right",), "with hair": ("light-haired", "dark-haired"),
    },
    than="than",
    extremes={
        "least": "with the lowest {}", "most": "with the highest {}", "least of several": "with the fewest {}",
        "most of several": "with the most {}", "nth least": "with the {1} lowest {0}", "nth most": "with the {1} highest {0}",
        "nth least of several": "with the {1} fewest {0}", "nth most of several": "with the {1} most {0}", "least year": "from the earliest year",
        "most year": "from the latest year", "<": "a {0} below {1}", ">": "a {0} above {1}", "< of several": "fewer than {1} {0}",
        "> of several": "more than {1} {0}", "< x": "to the left of column {}", "> x": "to the right of column {}", "< y": "above row {}",
        "> y": "below row {}",
    },
    states=_STATES,
    participles=_PARTICIPLES,
    amounts_of_state=_AMOUNTS_OF_STATE,
    actions=_ACTIONS,
    idioms=_IDIOMS,
    slots=frozenset({"weapon", "tool", "headwear", "headgear", "accessory", "clothing", "clothes", "garment", "footwear", "prop", "pet", "facial hair",
                     "instrument", "jewellery", "outfit"}),
    ability="can",
    statives={f"{verb}ing": f"{verb}s" for verb in ("see", "own", "belong", "contain", "know", "like", "need", "want", "hear")}
    | {"being": "is", "resembling": "resembles", "loving": "loves", "liking": "likes"},
    origins=frozenset(_ORIGINS),
    antonyms=_ANTONYMS,
    aliases={
        "color": "colour", "smiles": "smiling", "on": "switched on", "off": "switched off",
        **dict.fromkeys(("job", "profession", "occupation"), "working as"), "winner": "winning", "hurry": "in a hurry",
        **{f"{axis}{_}pos": f"{axis} position" for axis in "xy" for _ in ("", "_", " ")}, **{
            noun: f"{noun.removesuffix('er')}ing"
            for noun in ("smoker", "drinker", "leader", "loser", "worker", "runner")
        },
        **{verb: _make_present_participle(verb if verb.endswith("s") else f"{verb}s") for verb in _VERBS},
    },
    numbered={
        **{n: f"in {n}" for n in ("row", "column", "position", "seat", "room", "slot", "bay", "lane")},
        **{n: f"in {n}" for n in ("aisle", "zone", "team", "group", "class", "ward", "block", "box")}, **{
            n: f"on {n}"
            for n in ("platform", "page", "track", "channel", "floor", "deck", "line", "route", "shelf", "storey")
        },
        **{n: f"with {n}" for n in ("number", "model", "version", "id", "code", "jersey")},
        "col": "in column", "gate": "at gate", "corner": "in corner", "side": "on side", "edge": "at edge", "grid row": "in row", "grid column": "in column",
    },
    anything="anything",
    something="something",
    verb_forms=_make_present_participle,
    verbs={"containing": ("contains", "contain")},
    indefinite="a",
    parts=PARTS,
    uncounted=_UNCOUNTED,
    plural_only=_PAIRS | {"glasses", "scissors"},
    ranks={
        **dict.fromkeys(("state", "status", "condition", "mood", "emotion", "temperature", "texture"), _QUALITY),
        **dict.fromkeys(("brand", "make", "manufacturer", "species", "breed", "nationality"), _MATERIAL + 1), "model": _MATERIAL + 2,
        **dict.fromkeys(("age_group", "age group", "ageGroup"), _AGE), "shape": _SHAPE, "shade": _HAIRED, "material": _MATERIAL, "pattern": _MATERIAL,
        "made": _MATERIAL, "finish": _QUALITY, "quality": _QUALITY,
    },
)
# fmt: on
