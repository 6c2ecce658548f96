"""Plug-ins: code of one's own, named where outflank names players, evaluators, optimisers and the like.

`module:name` is a name in a module that Python finds, in the current folder too. An installed package may
give it a short name by an entry point; the groups are GROUPS.

>>> load("outflank.board:Board", "players").__name__
'Board'
>>> load("outflank.board:Bord", "players")
Traceback (most recent call last):
ValueError: 'Bord' is not a name in outflank.board; did you mean Board?

A plug-in is code, so only its owner names it: on a command line, or in a settings file that is being run.
Files of others, players and runs, never make outflank import anything, and a league's processes refuse all
plug-ins (see refuse).
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

from outflank.suggestions import unknown

Group = Literal["evaluators", "players", "optimisers", "fitness", "experiments"]
GROUPS: dict[Group, str] = {
    "evaluators": "outflank.evaluators",
    "players": "outflank.players",
    "optimisers": "outflank.optimisers",
    "fitness": "outflank.fitness",
    "experiments": "outflank.experiments",
}
SWITCH, REFUSED = "OUTFLANK_PLUGINS", "refuse"
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class PluginError(ValueError):
    """Code that is not outflank's went wrong; the message says where."""


def refuse() -> None:
    """No plug-in is loaded from now on, by this process or its children: a server's players are data."""
    os.environ[SWITCH] = REFUSED


def is_reference(text: str) -> bool:
    """Whether a text has the form of `module:name`; nothing is imported.

    >>> is_reference("my.module:Player"), is_reference("C:/players/my.player"), is_reference("all-2")
    (True, False, False)
    """
    return _REFERENCE.fullmatch(text) is not None


@cache
def registered(group: Group) -> dict[str, EntryPoint]:
    """The short names that installed packages have given their plug-ins."""
    return {point.name: point for point in entry_points(group=GROUPS[group])}


def is_plugin(text: str, group: Group) -> bool:
    """Whether a text names a plug-in of this group; nothing is imported."""
    return is_reference(text) or text in registered(group)


def load(text: str, group: Group, folder: Path | None = None) -> Any:
    """What a plug-in's name stands for: an object, a class or a function. `folder` is where its module may
    lie besides the places that Python knows; by default the current one."""
    if os.environ.get(SWITCH) == REFUSED:
        raise ValueError(f"{text} is a plug-in, which is code; players of a league are data: name a file")
    if not is_reference(text):
        found = registered(group).get(text)
        if found is None:
            raise ValueError(unknown(text, tuple(registered(group)), f"a plug-in of {GROUPS[group]}"))
        text = found.value.partition("[")[0].strip()
    module, _, name = text.partition(":")
    found_in = _imported(module, folder or Path.cwd())
    for part in name.split("."):
        if not hasattr(found_in, part):
            known = tuple(name for name in dir(found_in) if not name.startswith("_"))
            raise ValueError(unknown(part, known, f"a name in {module}"))
        found_in = getattr(found_in, part)
    return found_in


def made(found: Any, name: str) -> Any:
    """The object that a class or a function without arguments makes; anything else is as it was found."""
    if not inspect.isclass(found) and not inspect.isroutine(found):
        return found
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):  # written in C, its arguments unknown
        parameters = []
    any_number = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [one.name for one in parameters if one.default is one.empty and one.kind not in any_number]
    if inspect.isclass(found) and needed:
        raise ValueError(
            f"{name} needs the argument {needed[0]}; name an object, or a function that makes one"
        )
    if needed:
        return found
    with blamed(name):
        return found()


def _imported(module: str, folder: Path) -> Any:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            raise ValueError(
                f"there is no module {error.name!r} in {folder} or among the installed packages"
            ) from None
        raise PluginError(f"cannot import {module}: {described(error)}") from error
    except (Exception, SystemExit) as error:
        raise PluginError(f"cannot import {module}: {described(error)}") from error


def described(error: BaseException) -> str:
    """An error with the place in the plug-in where it happened, in one line.

    >>> described(KeyError("x"))
    "KeyError: 'x'"
    """
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, SyntaxError):  # its text has the place
        return text
    ours = str(Path(__file__).parent)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and not frame.filename.startswith(ours)
    ]
    if not frames:
        return text
    # Where its author can mend it: not within Python's library or an installed package, if there is a choice.
    own = [frame for frame in frames if not frame.filename.startswith((*_LIBRARIES, "<"))]
    place = (own or frames)[-1]
    return f"{text} ({Path(place.filename).name}, line {place.lineno})"


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Errors of the code within are those of the plug-in `name`, and become one sentence."""
    try:
        yield
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{name} failed: {described(error)}") from error


def source_digest(text: str, group: Group, folder: Path | None = None) -> str:
    """A digest of the module that a plug-in's name names and of the one that defines what it found there, so
    that results of changed code are not mixed. Other modules that these import are not part of it."""
    found = load(text, group, folder)
    reference = text if is_reference(text) else registered(group)[text].value
    defined_in = getattr(found, "__module__", None) or type(found).__module__
    return _modules_digest({reference.partition(":")[0], defined_in})


def code_digest(thing: object) -> str:
    """A digest of the module that defines a function or an object's class; empty if that is outflank's."""
    return _modules_digest({getattr(thing, "__module__", None) or type(thing).__module__})


def _modules_digest(names: set[str]) -> str:
    """Of the modules' files, without outflank's own."""
    digest, is_empty = sha256(), True
    for name in sorted(names):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and name.partition(".")[0] != __package__:
            digest.update(sha256(Path(file).read_bytes()).digest())
            is_empty = False
    return "" if is_empty else digest.hexdigest()
