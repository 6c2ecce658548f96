"""Help for people: what the league is, its words, and the API read from its own schema.

>>> operation = {"summary": "File", "description": "The submitted file.", "responses": {"200": {}}}
>>> Endpoint.of("/api/v1/players/{player_id}/file", "get", operation).anchor
'get-api-v1-players-player-id-file'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from outflank.interfaces.web.rendering import page
from outflank.league.league import LARGEST_FILE
from outflank.league.scoring import DOUBLE_GAMES, EPSILON

router = APIRouter(include_in_schema=False)
SHOWN = ["GET", "HEAD"]
METHODS = ("get", "post", "delete")

# In the words of docs/architecture.md, for readers of the pages.
GLOSSARY = (
    ("disc, square", "Othello is played with discs on 64 squares, a1 (upper left) to h8."),
    ("mover", "the side whose turn it is"),
    ("pass", "a side without a legal move passes; if neither side has one, the game is over"),
    ("evaluator", "a function from a position to a number: the higher, the better for Black"),
    ("view", "how one evaluator serves both colours: by inversion it sees the board as if it were Black; by "
             "negation Black maximises its value and White minimises it"),
    ("player", "an evaluator with a view. In the league's games it looks one move ahead"),
    ("n-tuple network", "an evaluator that adds up table entries, one for each of its tuples of squares"),
    ("piece counter", "an evaluator with one weight per square"),
    ("weights", "the numbers that learning changes; the table shows how many a player has"),
    ("double game", "two games from the same start with colours swapped"),
    ("match", "many double games between two players"),
    ("score", "average points of a match: win 1, draw 0.5, loss 0"),
    ("standard heuristic", "a hand-made piece counter, the league's common opponent"),
    ("epsilon, forced random move", "in the league's games each move is replaced by a random one with "
                                    "probability 10 %, so that games differ"),
    ("95 % interval", "where the true score lies with 95 % probability, judged by the games played"),
    ("provisional, final", f"a score after few games, and after all {DOUBLE_GAMES:,} double games"),
    ("rating", "strength on a common scale, from all results of a competition; 400 points are ten to one"),
    ("value in discs", "the difference of discs expected at the end of the game, for the side named"),
    ("depth, ply", "how many moves ahead a search looks; a ply is one move of one side"),
    ("book", "opening positions with values that were found by long searches"),
    ("solve", "find the best result under perfect play, to the last square"),
    ("mistake", "a move that gives away discs: ?! two or more, ? five or more, ?? ten or more"),
    ("run", "one learning process: its settings, its log, its players"),
    ("generation", "one round of evolution: all candidates play, the best have offspring"),
)  # fmt: skip


@router.api_route("/about", methods=SHOWN)
def about() -> Response:
    return page("about.html", active="/about", title="About", double_games=DOUBLE_GAMES, epsilon=EPSILON,
                glossary=GLOSSARY, largest=LARGEST_FILE // 2**20)  # fmt: skip


@router.api_route("/api", methods=SHOWN)
def api(request: Request) -> Response:
    return page("api.html", active="/about", title="API", endpoints=endpoints(request.app.openapi()))


@dataclass(frozen=True)
class Parameter:
    name: str
    place: str  # path, query or body
    kind: str
    is_required: bool
    default: str


@dataclass(frozen=True)
class Endpoint:
    """One operation of the API, as people read it."""

    method: str
    path: str
    text: str
    parameters: tuple[Parameter, ...]
    codes: tuple[str, ...]
    needs_key: bool

    @classmethod
    def of(cls, path: str, method: str, operation: Mapping[str, Any]) -> Endpoint:
        parameters = [
            Parameter(one["name"], one["in"], _kind(one["schema"]), bool(one.get("required")),
                      _default(one["schema"]))
            for one in operation.get("parameters", ())
        ]  # fmt: skip
        text = operation.get("description") or operation.get("summary", "")
        codes = tuple(code for code in operation["responses"] if code != "422")
        return cls(method.upper(), path, text, tuple(parameters), codes, _needs_key(path, method))

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{self.method} {self.path}".lower()).strip("-")


def _needs_key(path: str, method: str) -> bool:
    return method != "get" and not path.endswith("/entrants")


def endpoints(schema: Mapping[str, Any]) -> list[Endpoint]:
    return [
        Endpoint.of(path, method, operations[method])
        for path, operations in schema["paths"].items()
        for method in METHODS
        if method in operations
    ]


def _kind(schema: Mapping[str, Any]) -> str:
    """
    >>> _kind({"type": "integer", "minimum": 1, "maximum": 6})
    'integer, 1 to 6'
    >>> _kind({"anyOf": [{"type": "string"}, {"type": "null"}]})
    'string'
    """
    options = [one for one in schema.get("anyOf", (schema,)) if one.get("type") != "null"]
    one = options[0] if options else schema
    if "enum" in one:
        return " or ".join(str(value) for value in one["enum"])
    text = str(one.get("type", "value"))
    if "minimum" in one and "maximum" in one:
        return f"{text}, {one['minimum']:,} to {one['maximum']:,}"
    if "maxLength" in one:
        return f"{text}, at most {one['maxLength']} characters"
    return text


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value in (None, "") else str(value).lower() if isinstance(value, bool) else str(value)
