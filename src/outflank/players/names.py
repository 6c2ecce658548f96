"""Players by one grammar, everywhere a player is named: `NAME_OR_FILE[,key=value...]`.

>>> named_player("all-2").view, named_player("all-2,view=negation").view
('inversion', 'negation')
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from outflank.evaluators.storage import VIEWS, StoredPlayer, View, load_player
from outflank.players.external import ExternalPlayer, external_player, is_external
from outflank.players.greedy import GreedyPlayer, RandomPlayer


@dataclass(frozen=True)
class BuiltIn:
    """A player that comes with outflank."""

    description: str
    view: View


BUILT_IN = {
    "standard-heuristic": BuiltIn("hand-made piece counter, the League's opponent", "negation"),
    "all-2": BuiltIn("evolved network of Jaskowski 2014, Figure 7", "inversion"),
    "league-champion": BuiltIn("best response to the heuristic, by temporal differences", "inversion"),
    "all-rounder": BuiltIn("the best general player, by temporal differences", "inversion"),
}
NAMES = (*BUILT_IN, "random")
KEYS = ("view",)


def named_player(text: str) -> GreedyPlayer | RandomPlayer | ExternalPlayer:
    """The player that a text names: a built-in name or a file, then options; or an engine process."""
    if is_external(text):
        return external_player(text)
    source, options = split_name(text)
    view = _view(options.get("view"))
    if source == "random":
        if view is not None:
            raise ValueError("random has no evaluator, so it takes no view")
        return RandomPlayer(name=text)
    if source in BUILT_IN:
        stored = load_built_in(source)
    elif Path(source).exists():
        stored = load_player(source)
    else:
        raise ValueError(unknown(source, NAMES, "a player or a file"))
    return _greedy(stored, view, text)


def _greedy(stored: StoredPlayer, view: View | None, text: str) -> GreedyPlayer:
    chosen = view or stored.view
    notes: tuple[str, ...] = ()
    if chosen is None:
        chosen = "negation"
        notes = (f"{text} does not say its view, so it plays by negation; if it was made for board "
                 f"inversion, name it {text},view=inversion",)  # fmt: skip
    return GreedyPlayer(stored.evaluator, chosen, text, notes)


def load_built_in(name: str) -> StoredPlayer:
    folder = Path(str(files("outflank") / "data" / "players"))
    path = next(folder.glob(f"{name}.*"))
    stored = load_player(path)
    return StoredPlayer(stored.evaluator, BUILT_IN[name].view, stored.provenance)


def split_name(text: str) -> tuple[str, dict[str, str]]:
    """A name and its options. A comma that no `key=value` follows belongs to the name."""
    parts = text.split(",")
    options: dict[str, str] = {}
    while len(parts) > 1 and "=" in parts[-1]:
        key, _, value = parts.pop().partition("=")
        key = key.strip()
        if key not in KEYS:
            raise ValueError(f"{text}: {unknown(key, KEYS, 'an option of a player')}")
        if key in options:
            raise ValueError(f"{text}: {key} is given twice")
        options[key] = value.strip()
    if not (source := ",".join(parts).strip()):
        raise ValueError(
            f"{text!r} names no player; players are named like all-2 or my.player,view=inversion"
        )
    return source, options


def unknown(word: str, known: tuple[str, ...], kind: str) -> str:
    """A sentence that says a word is unknown and suggests the nearest known one."""
    nearest = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]}?" if nearest else f"known: {', '.join(known)}"
    return f"{word!r} is not {kind}; {hint}"


def _view(text: str | None) -> View | None:
    for view in VIEWS:
        if text == view:
            return view
    if text is not None:
        raise ValueError(unknown(text, VIEWS, "a view"))
    return None
