"""The grammar of player names."""

from __future__ import annotations

from pathlib import Path

import pytest

from outflank import (
    GreedyPlayer,
    NTupleNetwork,
    PieceCounter,
    RandomPlayer,
    StoredPlayer,
    named_player,
    save_player,
)
from outflank.players.names import split_name


def test_built_in_players() -> None:
    heuristic, all_2 = named_player("standard-heuristic"), named_player("all-2")
    assert isinstance(heuristic, GreedyPlayer)
    assert isinstance(all_2, GreedyPlayer)
    assert isinstance(heuristic.evaluator, PieceCounter)
    assert isinstance(all_2.evaluator, NTupleNetwork)
    assert (heuristic.view, all_2.view) == ("negation", "inversion")
    assert all_2.evaluator.weights.size == 288
    assert heuristic.notes == all_2.notes == ()
    assert isinstance(named_player("random"), RandomPlayer)


def test_a_text_file_without_view_plays_by_negation_and_says_so(tmp_path: Path) -> None:
    save_player(StoredPlayer(PieceCounter(range(64))), tmp_path / "my.player")
    player = named_player(f"{tmp_path}/my.player")
    assert isinstance(player, GreedyPlayer)
    assert player.view == "negation"
    assert "plays by negation" in player.notes[0]
    other = named_player(f"{tmp_path}/my.player,view=inversion")
    assert isinstance(other, GreedyPlayer)
    assert (other.view, other.notes) == ("inversion", ())


def test_our_own_file_knows_its_view(tmp_path: Path) -> None:
    save_player(StoredPlayer(PieceCounter(range(64)), "inversion"), tmp_path / "my.safetensors")
    player = named_player(f"{tmp_path}/my.safetensors")
    assert isinstance(player, GreedyPlayer)
    assert (player.view, player.notes) == ("inversion", ())


def test_commas_in_file_names(tmp_path: Path) -> None:
    save_player(StoredPlayer(PieceCounter(range(64))), tmp_path / "a,b.player")
    assert named_player(f"{tmp_path}/a,b.player,view=negation").name.endswith("view=negation")
    assert split_name("a,b.player,view=negation") == ("a,b.player", {"view": "negation"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "standard-heuristc",
            "'standard-heuristc' is not a player or a file; did you mean standard-heuristic?",
        ),
        (
            "nothing-like-it-at-all-here",
            "known: standard-heuristic, disc-difference, positional, iago, all-2, all-2-evolved, league",
        ),
        ("all-2,vieww=negation", "'vieww' is not an option of a player; did you mean view?"),
        ("all-2,view=inverson", "'inverson' is not a view; did you mean inversion?"),
        ("all-2,view=negation,view=negation", "view is given twice"),
        ("all-2,view=doubled", "doubled needs two evaluators"),
        ("random,view=negation", "takes no view"),
        ("", "names no player"),
        (",view=negation", "names no player"),
        ("/tmp", "is a folder"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        named_player(name)
