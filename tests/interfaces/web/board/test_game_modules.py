"""The board's own rules, trees, files and names, against outflank's."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from outflank import Board
from outflank.games.formats.any_format import write_games
from outflank.games.game import Game, GameRecord
from tests.interfaces.web.board.conftest import Call, random_game

REPLAYED = """
(module, moves) => {
  let position = module.START;
  return moves.map((move) => {
    position = position.play(move).settled();
    const { text, mover, legalMoves, isOver, difference, result } = position;
    return [text, mover, legalMoves.join(' '), isOver, difference, result];
  });
}"""
OPENED = """
(module, [bytes, name]) => module.readGames(new Uint8Array(bytes), name).map(({ title, open }) => {
  try {
    const tree = open();
    return [title, tree.mainLine.slice(1).map((node) => node.move).join(''), tree.start.text];
  } catch (error) {
    return [title, error.message, ''];
  }
})"""


def test_games_are_replayed_by_the_rules(script: Call) -> None:
    for seed in range(40):
        moves = random_game(seed)
        board, expected = Board(), []
        for move in moves:
            board = board.settled().play(move)
            turn = board.settled()
            empty = 64 - board.discs
            result = board.disc_difference + empty * (
                (board.disc_difference > 0) - (board.disc_difference < 0)
            )
            expected.append(
                [board.text[:64], turn.mover, " ".join(map(str, turn.legal_moves)), board.is_over,
                 board.disc_difference, result]
            )  # fmt: skip
        found = script("game/rules.js", REPLAYED, moves)
        assert [row for row in found if not row[3]] == [row for row in expected if not row[3]]
        assert [(row[0], *row[3:]) for row in found] == [(row[0], *row[3:]) for row in expected]


def test_a_tree_keeps_every_branch(script: Call) -> None:
    """Written and read again, whatever was played: random walks that go back and branch off."""
    grown = """
    async ({ GameTree }, seeds) => {
      const { treeText, treeFromText } = await import('/static/board/game/notation.js');
      const count = (node) => 1 + node.children.reduce((sum, child) => sum + count(child), 0);
      return seeds.map((seed) => {
        let state = seed;
        const chance = (most) => {
          state = (Math.imul(state, 1103515245) + 12345) >>> 0;
          return Math.floor(state / 2 ** 32 * most);
        };
        const tree = new GameTree(), seen = new Set();
        for (let i = 0; i < 120; i += 1) {
          const { position } = tree.current;
          if (position.isOver || chance(6) === 0) {
            for (let up = chance(9); up > 0 && tree.current.parent; up -= 1) tree.goTo(tree.current.parent);
            continue;
          }
          const { legalMoves } = position;
          tree.play(legalMoves[chance(legalMoves.length)]);
          seen.add(tree.current.moves.join(''));
        }
        const text = treeText(tree), again = treeFromText(text);
        return [seen.size, count(tree.root) - 1, treeText(again) === text, count(again.root) - 1];
      });
    }"""
    for played, kept, is_same, read in script("game/game_tree.js", grown, list(range(1, 40))):
        assert played == kept == read
        assert is_same


def test_forward_returns_to_the_line_one_came_from(script: Call) -> None:
    walked = """
    ({ GameTree }) => {
      const tree = new GameTree();
      for (const move of ['f5', 'd6', 'c3']) tree.play(move);
      tree.goTo(tree.root.children[0]);
      for (const move of ['f4', 'e3']) tree.play(move);
      tree.goTo(tree.root);
      const line = tree.line.slice(1).map((node) => node.move).join('');
      tree.promote(tree.line.at(-1));
      return [line, tree.mainLine.slice(1).map((node) => node.move).join('')];
    }"""
    assert script("game/game_tree.js", walked) == ["f5f4e3", "f5f4e3"]


def records() -> list[GameRecord]:
    games = [Game.from_transcript("".join(random_game(seed))) for seed in range(12)]
    start = Game.from_transcript("".join(random_game(7, 20))).final.settled()
    chance, board, moves = random.Random(3), start, []
    for _ in range(20):
        if board.is_over:
            break
        board = board.settled()
        moves.append(chance.choice(board.legal_moves))
        board = board.play(moves[-1])
    return [GameRecord(game, black="Ada", white="Bob") for game in [*games, Game(tuple(moves), start)]]


@pytest.mark.parametrize("ending", ["ggf", "sgf", "txt", "wtb"])
def test_files_are_read_as_written(script: Call, ending: str, tmp_path: Path) -> None:
    has_starts, has_names = ending in ("ggf", "sgf"), ending in ("ggf", "sgf")
    games = records() if has_starts else records()[:-1]
    write_games(games, path := tmp_path / f"games.{ending}")
    found = script("game/game_files.js", OPENED, [list(path.read_bytes()), path.name])
    assert [row[1] for row in found] == [record.game.transcript for record in games]
    if has_names:
        assert all("Ada \u2013 Bob" in row[0] for row in found)
    if has_starts:
        assert found[-1][2] == games[-1].game.start.text[:64]


def test_variations_of_sgf_files_are_kept(script: Call) -> None:
    text = "(;GM[2]FF[4]PB[a]PW[b];B[f5];W[d6](;B[c3];W[d3])(;B[c4];W[d3](;B[c3])(;B[c5])))"
    opened = """
    async (module, text) => {
      const { treeText } = await import('/static/board/game/notation.js');
      return treeText(module.readText(text)[0].open());
    }"""
    assert script("game/game_files.js", opened, text) == "f5d6c3(c4d3c3(c5))d3"


def test_a_printed_board_is_read(script: Call) -> None:
    """As the terminal prints it: its column letters are no discs."""
    board = Board.from_transcript("".join(random_game(6, 30))).settled()
    found = script("game/game_files.js", OPENED, [list(str(board).encode()), "board.txt"])
    assert [row[2] for row in found] == [board.text[:64]]


@pytest.mark.parametrize(
    "text",
    [
        "Moves: f5d6c3",
        "Black: Ada\nWhite: Bob\nGame: f5 d6 c3",
        "% a comment\nf5d6c3",
        "1. f5 1... d6 2. c3",
        "f5d6psc3",  # passes are implied; written ones are skipped, glued or not
        "F5D6PASSC3",
        "\uff46\uff15\uff44\uff16\uff43\uff13",  # full width
        "(;GM[Othello]XX[(]PB[a\\]b]C[B\\[a1\\]]B[f5//2.1]W[D6/0.5]B[c3];)",
        '[Event "?"]\n[Site "PlayOK"]\n[Black "Ada"]\n\n1. f5 d6! 2.\nc3 {d3} (2. d3 (2. e3)) 38-26',
        '[Black "Ada"]\n[Result "*"]\n\n1. f5 d6 2. c3 *\n\n\n[Black "Bob"]\n\n1. d3 1-0',
        "(;GM[2]AB[d5][e4]AW[d4][e5][]PL[B];B[f5];W[d6];B[c3])",
    ],
)
def test_what_people_paste_is_read(script: Call, text: str) -> None:
    line = "module.readText(text)[0].open().mainLine.slice(1)"
    read = f"(module, text) => {line}.map((node) => node.move).join('')"
    assert script("game/game_files.js", read, text) == "f5d6c3"


def test_starts_of_pgn_are_read(script: Call) -> None:
    text = '[Black "a"]\n[White "b"]\n[FEN "8/8/8/3pP3/3Pp3/8/8/3p4 w - - 0 1"]\n\n1. c5 *'
    found = script("game/game_files.js", OPENED, [list(text.encode()), "g.pgn"])
    assert found[0][1:] == ["c5", f"---X{Board().text[4:64]}"]
    assert found[0][0].startswith("1. a \u2013 b")


def test_names_in_files_are_shown_as_meant(script: Call) -> None:
    title = "(module, text) => module.readText(text)[0].title"
    assert script("game/game_files.js", title, "(;GM[Othello]PB[a\\]b]PW[c]B[f5];)") == "1. a]b \u2013 c"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("f5d6a1", "move 3 (a1) is not legal for black"),
        ("f5 d6 c", "is not a list of moves"),
        ("f5x9", "is not a square"),
        ("(;GM[Othello]PB[a]B[f5//1]W[a1];)", "move 2 (a1) is not legal for white"),
        ("(;GM[1];B[aa])", "not a game of Othello"),
        ("(;GM[2];B[f5", "cut off"),
        ('[Event "x"]\n\n1. e4 e5 2. Nf3 1-0', "move"),
        ('[FEN "rnbqkbnr/8/8/8/8/8/8/8 w"]\n\n1. f5 *', "is not a board of p (black) and P (white)"),
        ("", "nothing to read"),
        ("<script>alert(1)</script>", "is not a square"),
        ("X" * 10, "is not"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(script: Call, text: str, sentence: str) -> None:
    told = """
    (module, text) => {
      try { module.readText(text)[0].open(); return ''; } catch (error) { return error.message; }
    }"""
    assert sentence in script("game/game_files.js", told, text)


def test_damaged_files_do_no_harm(script: Call, tmp_path: Path) -> None:
    """Random bytes, and real files with bytes changed, give games or a sentence; nothing hangs."""
    chance = random.Random(5)
    write_games(records(), path := tmp_path / "games.ggf")
    whole = path.read_bytes()
    files = [list(chance.randbytes(300)) for _ in range(60)]
    for _ in range(60):
        changed = bytearray(whole)
        for _ in range(20):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        files.append(list(changed[: chance.randrange(len(changed))]))
    survived = """
    (module, files) => files.map((bytes) => {
      try {
        const name = bytes.length % 3 ? 'a.txt' : 'a.wtb';
        for (const { open } of module.readGames(new Uint8Array(bytes), name)) {
          try { open(); } catch (error) { if (error instanceof TypeError) return String(error); }
        }
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) return String(error);
      }
      return '';
    }).filter(Boolean)"""
    assert script("game/game_files.js", survived, files) == []


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[2]" + "A" * 3_000_000 + ";B[f5])",
        "(;GM[2]AB" + "[d4]" * 500_000 + ";B[f5])",
        "f5" + "\n" * 3_000_000 + "d6",
        "f5d6 " + ":= \t" * 900_000 + "x",
        "\n".join("".join(random_game(seed)) for seed in range(8)) * 4000,
        '[a "b"]\n' + "{(" * 1_500_000,
    ],
    ids=["letters", "squares", "lines", "scores", "games", "brackets"],
)
def test_long_texts_are_read_in_time(script: Call, text: str) -> None:
    """No text takes quadratic time; this many seconds are for a busy machine."""
    seconds = """
    (module, text) => {
      const began = performance.now();
      try { module.readText(text)[0].open(); } catch (error) {
        if (error instanceof RangeError || error instanceof TypeError) throw error;
      }
      return (performance.now() - began) / 1000;
    }"""
    assert script("game/game_files.js", seconds, text) < 20


def test_players_of_wthor_games_have_their_names(script: Call, tmp_path: Path) -> None:
    games = [Game.from_transcript("".join(random_game(seed))) for seed in range(3)]
    rows = [GameRecord(game, black="Ada L\xf6v", white=f"Bob {i}") for i, game in enumerate(games)]
    write_games(rows, path := tmp_path / "games.wtb")
    titles = """
    (module, [games, names]) => {
      const players = module.readPlayers(new Uint8Array(names));
      return module.readGames(new Uint8Array(games), 'games.wtb', players).map(({ title }) => title);
    }"""
    files = [list(path.read_bytes()), list(path.with_suffix(".jou").read_bytes())]
    found = script("game/game_files.js", titles, files)
    assert [f"{i + 1}. Ada L\xf6v \u2013 Bob {i}" in title for i, title in enumerate(found)] == [True] * 3
    refused = """
    (module, bytes) => {
      try { return module.readPlayers(new Uint8Array(bytes)); } catch (error) { return error.message; }
    }"""
    assert "not a WTHOR file of players" in script("game/game_files.js", refused, [1] * 99)


def test_a_review_compares_the_moves_of_one_search(script: Call) -> None:
    """A loss is the difference of two moves in one search; a mirror image of the best move is no mistake."""
    review = """
    async ({ reviewLine }, worth) => {
      const { treeOfMoves } = await import('/static/board/game/notation.js');
      const line = treeOfMoves(['c4', 'c3', 'd3']).mainLine;
      const judge = (position) => ({ exact: false, moves: position.legalMoves
        .map((move) => ({ move, line: [move], value: worth[64 - position.empties][move] ?? -9 }))
        .sort((a, b) => b.value - a.value) });
      const found = await reviewLine(line, judge, () => {});
      return line.map((node) => found.get(node).mistake?.words ?? null);
    }"""
    worth = {"4": {"f5": 6.0, "c4": -2.0}, "5": {"e3": 1.0, "c3": -4.5}, "6": {"d3": 3.0}, "7": {}}
    words = [None, None, "mistake: gives away 5.5 discs, e3 is better", None]
    assert script("study/review.js", review, worth) == words


def test_openings_have_their_names(script: Call) -> None:
    named = """
    async ({ openings, openingName }, moves) => {
      const { treeOfMoves, transcriptMoves } = await import('/static/board/game/notation.js');
      return moves.map((line) => openingName(treeOfMoves(transcriptMoves(line)).current.path));
    }"""
    lines = {
        "f5f6": "Diagonal", "f5d6": "Perpendicular", "f5f4": "Parallel", "f5d6c3d3c4": "Tiger",
        "f5d6c5f4e3c6d3f6e6d7": "Rose", "f5d6c5f4e3c6d3f6e6d7g3c4": "Rose-Birth", "f5f6e6f4e3": "Cow",
        "c4c3": "Diagonal", "e6f4c3c4d3": "Tiger", "d3c5f6f5e6": "Tiger",  # rotated and mirrored
        "f5d6c3d3c4b5": "Tiger", "": "",
    }  # fmt: skip
    assert dict(zip(lines, script("game/opening_names.js", named, list(lines)), strict=True)) == lines
    every: list[dict[str, Any]] = script("game/opening_names.js", "({ openings }) => openings()")
    assert len(every) > 50
    assert len({one["name"] for one in every}) == len(every)
    for one in every:
        Board.from_transcript("".join(one["moves"]))  # legal


def test_values_are_written_in_discs(script: Call) -> None:
    written = "({ discs }, values) => values.map((value) => discs(value))"
    assert script("game/notation.js", written, [3, -2, 0, 0.04, -0.04, 1.25, -12.55, 64]) == [
        "+3", "\u22122", "0", "0", "0", "+1.3", "\u221212.6", "+64",
    ]  # fmt: skip
