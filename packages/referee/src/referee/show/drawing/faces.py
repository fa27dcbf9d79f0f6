"""A head from the front and from the side, feature by feature; the side view looks to the left."""

from __future__ import annotations

from referee.show.drawing.colours import mix
from referee.show.drawing.ink import circle, ellipse, line, path, rect

SKIN, LINE, FOLD, ROSE = "#e3ae88", "#8f5b3d", "#9a6243", "#e58f7c"
INK, LENS = "#22262b", "#e8f4fb"
LIP = "#b3564a"


def _format_edge_style(colour: str) -> dict[str, object]:
    return {"stroke": mix(colour, "#2a1a08", 0.5), "stroke_width": 1, "stroke_linejoin": "round"}


def _draw_folds(*strokes: str) -> str:
    return "".join(path(d, stroke=FOLD, stroke_width=1.15, stroke_linecap="round") for d in strokes)


class FRONT:
    """A face that looks at the viewer."""

    opening = 50.0

    @staticmethod
    def neck() -> str:
        return rect(41, 58, 18, 26, mix(SKIN, LINE, 0.2))

    @staticmethod
    def head(old: bool) -> str:
        """Return head and ears from the front."""
        ears = "".join(ellipse(x, 44, 4.6, 7, SKIN, stroke=LINE, stroke_width=1) for x in (27.5, 72.5))
        # Curves about the axis x = 50: both halves mirror each other.
        young_jaw = "M 28 38 C 28 4 72 4 72 38 C 72 54 64 70 50 70 C 36 70 28 54 28 38 Z"
        old_jaw = "M 28 38 C 28 4 72 4 72 38 C 73 50 72 58 69 62 C 64 69 58 71.5 50 71.5 C 42 71.5 36 69 31 62 C 28 58 27 50 28 38 Z"
        return ears + path(old_jaw if old else young_jaw, SKIN, stroke=LINE, stroke_width=1.1)

    @staticmethod
    def cheeks(young: bool) -> str:
        return "".join(ellipse(x, 51, 5, 3.4, ROSE, fill_opacity=0.55) for x in (36, 64)) if young else ""

    @staticmethod
    def wrinkles() -> str:
        """Return wrinkles from the front."""
        return _draw_folds(
            "M 38 24 Q 50 21.5 62 24",
            "M 37 28 Q 50 25.5 63 28",
            "M 39 32 Q 50 30 61 32",
            "M 31 40 L 34.5 41.5",
            "M 30.5 43.5 L 34.5 43.5",
            "M 69 40 L 65.5 41.5",
            "M 69.5 43.5 L 65.5 43.5",
            "M 37.5 47 Q 41 49.5 45 47.5",
            "M 62.5 47 Q 59 49.5 55 47.5",
            "M 44.5 53 Q 39.5 56 39.5 62",
            "M 55.5 53 Q 60.5 56 60.5 62",
        )

    @staticmethod
    def features(hair: str) -> str:
        """Return eyes, brows, nose and mouth from the front."""
        eyes = "".join(ellipse(x, 43, 3.9, 2.9, "#ffffff") + circle(x, 43, 2.1, INK) for x in (41, 59))
        brows = path("M 35.5 38 Q 41 34 46.5 37.5", **_format_brow_style(hair)) + path(
            "M 53.5 37.5 Q 59 34 64.5 38", **_format_brow_style(hair)
        )
        nose = path("M 50 43 Q 46 52 47.5 53 Q 50 54.5 52.5 53", stroke=LINE, stroke_width=1.3, stroke_linecap="round")
        mouth = path(
            "M 43 60 Q 50 65 57 60 Q 50 62 43 60 Z", LIP, stroke=LIP, stroke_width=1.2, stroke_linejoin="round"
        )
        return eyes + brows + nose + mouth

    @staticmethod
    def beard(colour: str) -> str:
        """Return a beard from the front."""
        full = (
            "M 27.5 45 C 26 62 33 81 50 81 C 67 81 74 62 72.5 45 C 70 52 67 55 62 55.5 C 57 54.5 54 55.5 50 57 "
            "C 46 55.5 43 54.5 38 55.5 C 33 55 30 52 27.5 45 Z"
        )
        # The mouth is drawn later, into this gap.
        gap = ellipse(50, 61.5, 8.5, 3, SKIN)
        return path(full, colour, **_format_edge_style(colour)) + gap

    @staticmethod
    def hair(colour: str, old: bool) -> str:
        """Return hair from the front, receding if old."""
        full = (
            "M 25.5 44 C 21 20 30 4 50 4 C 70 4 79 20 74.5 44 C 73 38 71.5 32 69.5 28 C 62 29 56 26 52 21 "
            "C 46 27 38 29 30.5 28 C 28.5 32 27 38 25.5 44 Z"
        )
        receding = (
            "M 25.5 46 C 20 22 30 5 50 5 C 70 5 80 22 74.5 46 C 72 38 70.5 32 69.5 27 C 68 20 63 15.5 57 15.5 "
            "C 55 18.5 52 19.5 50 19.5 C 48 19.5 45 18.5 43 15.5 C 37 15.5 32 20 30.5 27 C 29.5 32 28 38 25.5 46 Z"
        )
        return path(receding if old else full, colour, **_format_edge_style(colour))

    @staticmethod
    def bald() -> str:
        return ellipse(42, 18, 7, 3.4, "#ffffff", fill_opacity=0.5, transform="rotate(-24 42 18)")

    @staticmethod
    def glasses() -> str:
        """Return glasses from the front."""
        rims = "".join(circle(x, 43.5, 7.6, LENS, fill_opacity=0.4, stroke=INK, stroke_width=2.2) for x in (40.5, 59.5))
        return (
            rims
            + path("M 48 42.5 Q 50 40.5 52 42.5", stroke=INK, stroke_width=2.2)
            + line(33, 42, 28, 40, INK, 2.2)
            + line(67, 42, 72, 40, INK, 2.2)
        )


def _format_brow_style(colour: str) -> dict[str, object]:
    # light brows would vanish in the skin without an edge, so they are a little darker than the hair
    return {"stroke": mix(colour, "#5a3a10", 0.25), "stroke_width": 2.6, "stroke_linecap": "round"}


class SIDE:
    """A face that looks to the left."""

    # In profile the throat, and with it the collar, is left of the middle.
    opening = 42.0

    @staticmethod
    def neck() -> str:
        return path("M 40 62 L 66 56 L 66 84 L 36 84 Z", mix(SKIN, LINE, 0.2))

    @staticmethod
    def head(old: bool) -> str:
        """Return the head from the side."""
        chin = (
            "C 29 66 28.5 69 32 71.5 C 37 74.5 45 72 50 70 L 59 64"
            if old
            else "C 29.5 66 30 68 32 69.5 C 37 72 45 68.5 51 66 L 59 62"
        )
        outline = (
            "M 53 8 C 38 8 31 18 31 30 C 31 34 30 37 29 39.5 L 22.5 49 C 21.5 51.5 24 53 28 53 L 27.2 56.5 L 29 58.5 L 27.8 61.5 "
            f"C 29 63 29.2 64.5 29 66 {chin} C 70 62 79 50 79 36 C 79 19 68 8 53 8 Z"
        )
        return path(outline, SKIN, stroke=LINE, stroke_width=1.1, stroke_linejoin="round")

    @staticmethod
    def cheeks(young: bool) -> str:
        return ellipse(42, 52, 5.5, 3.6, ROSE, fill_opacity=0.55) if young else ""

    @staticmethod
    def wrinkles() -> str:
        """Return wrinkles from the side."""
        return _draw_folds(
            "M 33 22 Q 38 20 44 22",
            "M 32.5 26 Q 38 24 45 26",
            "M 32.5 30 Q 37 28.5 43 30",
            "M 44.5 39 L 49 37.5",
            "M 44.5 41.5 L 49.5 41.5",
            "M 44.5 44 L 49 45.5",
            "M 34 45.5 Q 38 48.5 42 46.5",
            "M 30.5 53 Q 36 55 36.5 62",
            "M 46 56 Q 48 62 44 67",
        )

    @staticmethod
    def features(hair: str) -> str:
        """Return eye, brow, ear, nostril and mouth from the side."""
        eye = path("M 32.5 41.5 Q 36 37.5 41 41.5 Q 36 44.5 32.5 41.5 Z", "#ffffff") + circle(35.2, 41.3, 2.2, INK)
        brow = path("M 31 36 Q 36 32.5 43 35.5", **_format_brow_style(hair))
        ear = path("M 56 38 C 64 34 66 44 62 49 C 60 52 57 51 57 48", SKIN, stroke=LINE, stroke_width=1.2)
        nostril = path("M 26.5 50.5 Q 29.5 48.5 30 52", stroke=LINE, stroke_width=1.1, stroke_linecap="round")
        mouth = line(29, 58.5, 36, 58, LIP, 1.8)
        return eye + brow + ear + nostril + mouth

    @staticmethod
    def beard(colour: str) -> str:
        """Return a beard from the side."""
        full = (
            "M 56 45 C 55 52 50 56 42 55 C 38 54 33 52.5 29 54 L 27.6 56.8 L 36 56.6 L 36 60 L 28 61.5 C 25 68 25 76 32 80 "
            "C 44 84 58 76 62.5 60 C 63 54 62 50 60 50 Z"
        )
        return path(full, colour, **_format_edge_style(colour))

    @staticmethod
    def hair(colour: str, old: bool) -> str:
        """Return hair from the side, receding if old."""
        full = (
            "M 30 28 C 29 12 40 3 55 4 C 74 5 85 20 82 38 C 81 48 77 57 71 62 C 68 60 66 56 65 51 C 66 42 63 35 57 36 "
            "L 55 42 L 51.5 40 C 51 34 49 29 46 26 C 41 29 35 30 30 28 Z"
        )
        receding = (
            "M 41 11 C 45 5 51 4 57 4.5 C 75 6 85 20 82 38 C 81 48 77 57 71 62 C 68 60 66 56 65 51 C 66 42 63 35 57 36 "
            "L 55 43 L 51.5 41 C 52 34 52 29 51 25 C 50 19 46 14 41 11 Z"
        )
        return path(receding if old else full, colour, **_format_edge_style(colour))

    @staticmethod
    def bald() -> str:
        return ellipse(50, 15, 8, 3.6, "#ffffff", fill_opacity=0.5, transform="rotate(-18 50 15)")

    @staticmethod
    def glasses() -> str:
        rim = ellipse(35.5, 42, 6.4, 7.4, LENS, fill_opacity=0.4, stroke=INK, stroke_width=2.2)
        return rim + line(42, 41, 58, 40, INK, 2.2) + line(28.8, 41, 27.5, 41.5, INK, 2.2)
