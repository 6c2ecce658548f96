"""Settings models: values are checked here when settings are made, and errors become one sentence each.

>>> class Example(SettingsModel):
...     games: Whole = setting(10, "Games to play.", ge=1)
>>> Example(games=1e6).games
1000000
>>> Example(games=0)
Traceback (most recent call last):
ValueError: games must be at least 1, got 0
"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from outflank.suggestions import shown, unknown


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _names(value: Any) -> Any:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(value) if isinstance(value, list) else value


Whole = Annotated[int, BeforeValidator(_whole)]  # may be written as 5_000 or 1e6
PlayerNames = Annotated[tuple[str, ...], BeforeValidator(_names)]  # one name, or a list


def setting(default: Any, meaning: str, **bounds: Any) -> Any:
    """A field with its description, which `outflank learn --describe` prints."""
    return Field(default, description=meaning, **bounds)


class SettingsModel(BaseModel):
    """Immutable settings.

    Players, books and evaluators are settings by name, as a run's file holds them. They become objects once,
    when a learner (td.py) or a run (runs/initialisation.py) is made from the settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            # Misspelt names first: they are why others seem to be missing.
            errors = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
            raise ValueError(_sentence(type(self), errors[0])) from None

    def defaults(self) -> dict[str, Any]:
        """The settings that apply, with their defaults; None where there is none."""
        fields = type(self).model_fields
        return {key: None if field.is_required() else field.default for key, field in fields.items()}


def _sentence(model: type[BaseModel], error: ErrorDetails) -> str:
    """What is wrong with one value, in our words instead of pydantic's."""
    key, got = str(error["loc"][0]) if error["loc"] else "", error["input"]
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "extra_forbidden":
            return unknown(key, tuple(model.model_fields), "a setting")
        case "missing":
            return f"{key} is missing"
        case "literal_error":
            return _unknown_choice(key, got, model.model_fields[key].annotation)
        case "bool_type":
            return f"{key} must be true or false, got {shown(got)}"
        case "finite_number":
            return f"{key} must be a finite number, got {got}"
        case kind if kind == "tuple_type" or len(error["loc"]) > 1:
            return f"{key} must be a list of players"
        case _ if isinstance(got, bool):
            return f"{key} must not be a boolean"
        case "int_type" | "int_from_float":
            return f"{key} must be a whole number, got {shown(got)}"
        case "float_type":
            return f"{key} must be a number, got {shown(got)}"
        case "dict_type":
            return f"{key} must be a table of options, as {{ rate = 0.1 }}, got {shown(got)}"
        case "string_type":
            return f"{key} must be text, got {shown(got)}"
        case _:
            return f"{key} must be {_range(model.model_fields[key].metadata)}, got {got}"


def _unknown_choice(key: str, got: object, annotation: Any) -> str:
    """A Literal, or a Literal that may be left out."""
    choices = get_args(annotation)
    if not all(isinstance(choice, str) for choice in choices):
        choices = get_args(choices[0])
    if len(choices) > 2:
        return unknown(str(got), choices, f"an {key}" if key[0] in "aeiou" else f"a {key}")
    return f"{key} must be {' or '.join(choices)}, got {shown(got)}"


def _range(metadata: list[Any]) -> str:
    low = next((one.ge for one in metadata if isinstance(one, Ge)), None)
    high = next((one.le for one in metadata if isinstance(one, Le)), None)
    if high is not None:
        return f"within {low}..{high}"
    if any(isinstance(one, Gt) for one in metadata):
        return "above zero"
    return f"at least {low}" if low else "zero or more"
