"""The names of players, everywhere the same: `NAME_OR_FILE[,key=value...]`, or `module:name` of a plug-in.

>>> named_player("all-2").view, named_player("all-2,view=negation").view
('inversion', 'negation')
>>> named_player("all-rounder,depth=4,solve=12").limits
SearchLimits(depth=4, nodes=None, seconds=None)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import Evaluator
from outflank.evaluators.storage import VIEWS, StoredPlayer, View, load_player
from outflank.players.built_in import BUILT_IN, load_built_in
from outflank.players.engines.player import ExternalPlayer, external_player, is_external
from outflank.players.greedy import GreedyPlayer, Player, RandomPlayer
from outflank.players.onnx_player import PolicyPlayer, onnx_player
from outflank.players.opening_book import OpeningBook
from outflank.players.plugin_player import (
    PluginPlayer,
    names_plugin_player,
    plugin_player,
    plugin_with_weights,
)
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.players.search_tuning import SearchTuning
from outflank.plugins import registered
from outflank.suggestions import shown, unknown

NAMES = (*BUILT_IN, "random")
# view: how one evaluator serves both colours. weights: a file, for a plug-in that learned them. output and
# perspective: of an ONNX network (evaluators/onnx/network.py). depth: plies of minimax. nodes, time (seconds
# per move): a selective search. solve: empty squares from which boards are solved. book: a file, or default;
# book_best: choose at random among this many best book moves. threads: of a timed search, and of analysis.
# tuned: a file written by `outflank tune`, for an evaluator that does not come with outflank.
KEYS = (
    "view",
    "weights",
    "output",
    "perspective",
    "depth",
    "nodes",
    "time",
    "solve",
    "book",
    "book_best",
    "threads",
    "tuned",
)

NamedPlayer = GreedyPlayer | RandomPlayer | SearchPlayer | ExternalPlayer | PluginPlayer | PolicyPlayer
Number = TypeVar("Number", int, float)


def named_player(text: str) -> NamedPlayer:
    """The player that a text names: a built-in name or a file, then options; or an engine process."""
    if not isinstance(text, str):
        raise TypeError(f"a player's name is a text such as 'all-2', got {shown(text)}")
    if is_external(text):
        return external_player(text)
    source, options = split_name(text)
    inner = _one_ply(source, options, text)
    if not options:
        return inner
    if isinstance(inner, SearchPlayer | ExternalPlayer):
        raise ValueError(f"{source} searches by itself, so it takes no {next(iter(options))}")
    return _searching(inner, source, options, text)


def as_player(player: Player | str) -> Player:
    """A player, or the one that a text names; an error for anything else, where it is passed."""
    if isinstance(player, str):
        return named_player(player)
    if isinstance(player, Evaluator | DoubledFunction):
        raise TypeError(
            f"{player!r} is an evaluator, not a player; make it one: GreedyPlayer(evaluator, view)"
        )
    if isinstance(player, type) or not isinstance(player, Player):
        raise TypeError(
            f"a player has a name and chooses moves, or is a name such as all-2; got {shown(player)}"
        )
    return player


def with_one_ply_search(player: GreedyPlayer) -> SearchPlayer:
    """The same player as a search of one ply: its values are in discs where its tuning is known."""
    tuning = SearchTuning.built_in(split_name(player.name)[0])
    return SearchPlayer(player, SearchLimits(depth=1), tuning=tuning, name=player.name)


def short_name(name: str, longest: int | None = None) -> str:
    """A player's name without folders; but a learned player, whose file is best or last, with its run.
    To fit a length, it loses its file ending and then its middle.

    >>> short_name("players/my.player,book=/data/my.book"), short_name("runs/mine/best.safetensors")
    ('my.player,book=my.book', 'mine/best.safetensors')
    >>> short_name("players/JaskowskiSzubert2015CoCMAES-4.player,view=inversion", 24)
    'Jaskow...AES-4,inversion'
    >>> short_name(r"C:\\players\\my.player,depth=2")
    'my.player,depth=2'
    """
    text = re.sub(r"(?:\b[A-Za-z]:)?[^,=:\s]*[/\\](?!(?:best|last)\.safetensors)", "", name)
    if longest is None:
        return text
    text = " ".join((text or name).split())
    text = re.sub(r"\.(player|safetensors)(?=,|$)", "", text).replace(",view=", ",")
    source, comma, options = text.partition(",")
    room = longest - len(comma + options)
    if room >= longest // 2:
        return _without_middle(source, room) + comma + options
    return _without_middle(text, longest)


def _without_middle(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = (longest - 3) // 2
    return f"{text[: longest - 3 - end]}...{text[-end:]}"


def _one_ply(source: str, options: dict[str, str], text: str) -> NamedPlayer:
    """The player without its search; takes its own options out of `options`."""
    view = _view(options.pop("view", None))
    if (weights := options.pop("weights", None)) is not None:
        return plugin_with_weights(source, weights, view, text)
    if source.endswith(".onnx") and Path(source).is_file():
        return onnx_player(source, view, options, text)
    for key in ("output", "perspective"):
        if key in options:
            raise ValueError(f"{key} is for ONNX networks (files that end with .onnx), not for {source}")
    if source == "random":
        if view is not None:
            raise ValueError("random has no evaluator, so it takes no view")
        return RandomPlayer(name=text)
    if source in BUILT_IN:
        stored = load_built_in(source)
    elif Path(source).exists():
        stored = load_player(source)
    elif names_plugin_player(source):
        return plugin_player(source, view, text)
    else:
        known = (*NAMES, *registered("players"), *registered("evaluators"))
        raise ValueError(unknown(source, known, "a player or a file"))
    return _greedy(stored, view, text)


def _searching(
    inner: GreedyPlayer | RandomPlayer | PluginPlayer | PolicyPlayer,
    source: str,
    options: dict[str, str],
    text: str,
) -> SearchPlayer:
    searches = [key for key in ("depth", "nodes", "time") if key in options]
    if not isinstance(inner, GreedyPlayer) and searches:
        raise ValueError(f"{source} has no evaluator to search with, so it takes no {searches[0]}")
    if "book_best" in options and "book" not in options:
        raise ValueError(f"{text}: book_best needs a book; add book=default or book=FILE")
    if "tuned" in options and not {"nodes", "time"} & options.keys():
        raise ValueError(f"{text}: tuned is for a search by nodes or time; a fixed depth prunes nothing")

    def number(key: str, parse: Callable[[str], Number]) -> Number | None:
        return _number(key, options[key], parse) if key in options else None

    return SearchPlayer(
        inner,
        SearchLimits(number("depth", int), number("nodes", _count), number("time", float)),
        solve=number("solve", int),
        book=OpeningBook.open(options["book"]) if "book" in options else None,
        book_best=1 if (best := number("book_best", int)) is None else best,
        threads=1 if (threads := number("threads", int)) is None else threads,
        tuning=SearchTuning.load(options["tuned"]) if "tuned" in options else SearchTuning.built_in(source),
        name=text,
    )


def _number(key: str, text: str, parse: Callable[[str], Number]) -> Number:
    try:
        return parse(text)
    except ValueError:
        raise ValueError(f"{key} must be a number, got {shown(text)}") from None


def _count(text: str) -> int:
    """A whole number, also as 1e6."""
    number = float(text)
    if number != int(number):
        raise ValueError(text)
    return int(number)


def _greedy(stored: StoredPlayer, view: View | None, text: str) -> GreedyPlayer:
    chosen = view or stored.view
    notes: tuple[str, ...] = ()
    if chosen is None:
        chosen = "negation"
        notes = (f"{text} does not say its view, so it plays by negation; if it was made for board "
                 f"inversion, name it {text},view=inversion",)  # fmt: skip
    return GreedyPlayer(stored.evaluator, chosen, text, notes)


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


def _view(text: str | None) -> View | None:
    for view in VIEWS:
        if text == view:
            return view
    if text is not None:
        raise ValueError(unknown(text, VIEWS, "a view"))
    return None
