"""Options of a job, declared once as fields of a dataclass.

The Python function and the command use them.

@dataclass
class ScoreOptions:
    outputs: Any = option(None, "Files of outputs …", positional=True)
    metrics: str | Sequence[str] = option("default", "Names of measures …", cli=str)

@takes(ScoreOptions)
def score(options: ScoreOptions) -> Scores: ...        # referee.score(outputs, metrics=…)

@command(app, ScoreOptions)
def score_command(options: ScoreOptions) -> int: ...   # referee score OUTPUTS --metrics …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, wraps
from inspect import Parameter, cleandoc, signature
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from referee.errors import InputError, RefereeError, check_choice

if TYPE_CHECKING:
    from dataclasses import Field

    import typer

P = ParamSpec("P")
O = TypeVar("O")  # noqa: E741 (the options class of a job)
R = TypeVar("R")
KEY = "option"

# Values that options take, here because `--help` names them without importing a job.
CLUSTERINGS = ("design", "scene", "speaker", "game", "participant", "crossed", "none")
CUTS = ("challenge", "random", "speaker", "scene", "game")
FORMATS = ("table", "csv", "json", "latex", "markdown")
GROUPINGS = ("domain", "condition", "speaker", "scene", "language")
READS = ("words", "properties")
REFERENCES = ("own", "others")
SHEETS = ("furniture", "people", "shapes")
STYLES = ("tuna2008",)
TIES = ("strict", "half", "correct")
UNITS = ("game", "speaker", "scene", "object", "condition")
SHARD = 200  # items a piece: enough that handing it over costs nothing beside working on it
ITEMS = 2000


@dataclass(frozen=True)
class Option:
    """How a field of an options class is explained and written on the command line.

    Args:
        help: one sentence for `--help` and for the docstring of the Python function.
        names: on the command line; by default made from the name of the field.
        cli: type on the command line, where it is narrower than that of the field.
        minimum: smallest number that the command line accepts.
        maximum: largest number that the command line accepts.
        choices: values that are accepted, also from Python.
        show_default: whether `--help` shows the default, or the text that it shows instead.
        is_argument: whether it is a positional argument of the command.
        is_python_only: whether the command has no such option.
    """

    help: str
    names: tuple[str, ...] = ()
    cli: Any = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    show_default: bool | str = True
    is_argument: bool = False
    is_python_only: bool = False


def option(
    default: Any, help: str, *names: str, choices: Iterable[str] = (), positional: bool = False, **settings: Any
) -> Any:
    """Return a dataclass field for an option; `...` as default makes it required.

    `positional` fields may be given without their name in Python. `settings` are further fields of `Option`.
    """
    about = Option(help, names, choices=tuple(choices), **settings)
    return field(default=MISSING if default is ... else default, kw_only=not positional, metadata={KEY: about})


def _list_options(kind: Any) -> Iterator[tuple[Field[Any], Option]]:
    for declared in fields(kind):
        yield declared, declared.metadata[KEY]


def accept_options(kind: Callable[P, O]) -> Callable[[Callable[[O], R]], Callable[P, R]]:
    """Make a Python function from one that takes an options object.

    `kind` gives keywords and documentation.
    """

    def decorate(body: Callable[[O], R]) -> Callable[P, R]:
        """Return the function with the fields of the options as its arguments."""

        @wraps(body)
        def function(*arguments: P.args, **keywords: P.kwargs) -> R:
            """Make and check the options, then call the function."""
            try:
                options = kind(*arguments, **keywords)
            except TypeError as error:
                # Says `run() got …`, not `RunOptions.__init__() got …`.
                raise TypeError(str(error).replace(f"{kind.__name__}.__init__()", f"{body.__name__}()")) from None
            _check_types(options, kind)
            _check_choices(options, lambda declared, about: declared.name)
            try:
                return body(options)
            except RefereeError as error:
                _name_arguments(error, kind)
                raise

        lines = [f"    {declared.name}: {about.help}" for declared, about in _list_options(kind)]
        opening, _, rest = cleandoc(body.__doc__ or "").partition("\n\n")
        function.__doc__ = "\n\n".join([opening, "Args:\n" + "\n".join(lines), *([rest] if rest else [])])
        function.options_class = kind  # type: ignore[attr-defined]
        function.__signature__ = signature(kind).replace(return_annotation=signature(body).return_annotation)  # type: ignore[attr-defined]
        return function

    return decorate


def command(
    app: typer.Typer, kind: Callable[..., O], epilog: str = ""
) -> Callable[[Callable[[O], int]], Callable[..., int]]:
    """Register a command whose options are the fields of `kind`; its body takes the options object."""

    def decorate(body: Callable[[O], int]) -> Callable[..., int]:
        """Return the command with one command-line option per field."""
        hints = get_type_hints(kind)
        shown = [(declared, about) for declared, about in _list_options(kind) if not about.is_python_only]
        parameters = [_make_parameter(declared, about, hints[declared.name]) for declared, about in shown]

        def call(**values: Any) -> int:
            """Make the options from the given values, check them, and run the command."""
            # None stands for "not given": the default of the field may be another one in Python.
            options = kind(**{name: value for name, value in values.items() if value is not None})
            _check_choices(options, _make_option_name)
            return body(options)

        call.__name__, call.__doc__ = body.__name__, body.__doc__
        call.__signature__ = signature(call).replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        app.command(epilog=epilog)(call)
        return call

    return decorate


def apply(function: Callable[..., R], options: object) -> R:
    """Call a function that `accept_options` made with the fields of an options object, which may have further ones.

    Messages keep the names that options have on the command line.
    """
    names = signature(function).parameters
    chosen = function.options_class(**{name: getattr(options, name) for name in names})  # type: ignore[attr-defined]
    return cast(R, function.__wrapped__(chosen))  # type: ignore[attr-defined]


def _name_arguments(error: RefereeError, kind: Any) -> None:
    """Rewrite a message for a Python caller: `--option` becomes the name of the argument.

    Quoted commands stay.
    """
    names = {_make_option_name(declared, about): declared.name for declared, about in _list_options(kind)}

    def rename(text: str) -> str:
        """Return a text with command-line options replaced by names of arguments, except within code."""
        parts = re.split(r"(`[^`]*`|\breferee [a-z-]+(?: [^\s;,)]+)*)", text)
        return "".join(
            part
            if i % 2
            else re.sub(
                r"--[a-z][a-z-]*", lambda match: f"`{names[match[0]]}`" if match[0] in names else match[0], part
            )
            for i, part in enumerate(parts)
        )

    error.args = tuple(rename(part) if isinstance(part, str) else part for part in error.args)
    if isinstance(error, InputError):
        error.problem, error.remedy = rename(error.problem), rename(error.remedy)


def _make_parameter(declared: Field[Any], about: Option, hint: Any) -> Parameter:
    """Return an option as a parameter of the command."""
    import typer

    kind, default = about.cli or hint, declared.default
    is_required = default is MISSING
    if default == () or (
        not is_required
        and kind is not bool
        and default is not None
        and not isinstance(default, (str, int, float, Path))
    ):
        default = None
    settings: dict[str, Any] = {
        "help": about.help,
        "show_default": about.show_default if default is not None else False,
    }
    if about.is_argument:
        described = typer.Argument(**settings)
    else:
        names = about.names or ((f"--{declared.name.replace('_', '-')}",) if kind is bool else ())
        described = typer.Option(*names, min=about.minimum, max=about.maximum, **settings)
    if not is_required and default is None and kind is not bool:
        kind = kind | None
    return Parameter(
        declared.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if is_required else default,
        annotation=Annotated[kind, described],
    )


def _make_option_name(declared: Field[Any], about: Option) -> str:
    return about.names[0] if about.names else f"--{declared.name.replace('_', '-')}"


# Numbers of numpy are numbers, and columns of a frame are sequences.
_ACCEPTED: dict[Any, type] = {int: Integral, float: Real, Sequence: Iterable}


@cache
def _find_types(kind: Any) -> dict[str, tuple[type, ...]]:
    """Return the types that the value of each option may have; none for aliases, protocols and Any."""
    types: dict[str, tuple[type, ...]] = {}
    for name, hint in get_type_hints(kind).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        plain = tuple(get_origin(part) or part for part in parts)
        if all(
            isinstance(part, type) and part is not Any and not getattr(part, "_is_protocol", False) for part in plain
        ):
            types[name] = plain
    return types


def _check_types(options: Any, kind: Any) -> None:
    """Raise InputError for a value of another type than its option has."""
    for name, types in _find_types(kind).items():
        value = getattr(options, name)
        if not isinstance(value, tuple(_ACCEPTED.get(t, t) for t in types)):
            names = " or ".join(t.__name__.replace("NoneType", "None") for t in types)
            raise InputError(f"{name} is of type {type(value).__name__}", remedy=f"give {names}")


def _check_choices(options: Any, spelled: Callable[[Field[Any], Option], str]) -> None:
    """Raise InputError for a value that is not among the choices of its option, or for a number out of its range."""
    for declared, about in _list_options(options):
        chosen = getattr(options, declared.name)
        if isinstance(chosen, int | float) and not isinstance(chosen, bool):
            low, high = about.minimum, about.maximum
            if (low is not None and chosen < low) or (high is not None and chosen > high):
                limits = (
                    f"at least {low:g}"
                    if high is None
                    else f"at most {high:g}"
                    if low is None
                    else f"{low:g} to {high:g}"
                )
                raise InputError(f"{spelled(declared, about)} is {chosen:g}", remedy=f"give a number of {limits}")
        if not about.choices or chosen is None:
            continue
        for name in chosen if isinstance(chosen, (list, tuple)) else str(chosen).split(","):
            if name.strip():
                check_choice(spelled(declared, about), name.strip(), about.choices)
