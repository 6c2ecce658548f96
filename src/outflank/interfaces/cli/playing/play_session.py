"""A game between a person at the prompt and a player: turns, commands, and the file it is saved to."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.board import Board, Colour, Square
from outflank.interfaces.cli.progress import note, out, say, tell
from outflank.interfaces.cli.terminal_board import terminal_board

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outflank.games.game import Game, GameRecord
    from outflank.players.analysis import Analysis
    from outflank.players.names import NamedPlayer
    from outflank.players.search import SearchPlayer

LONGEST_LINE = 8  # moves shown of the play that a player expects
JUDGE = "all-rounder,time=1"  # values moves for hints, whoever the opponent is
FOLDER = Path("games")
HUMAN = "human"  # the person's name in the file, by which a game can be resumed
FORMATS = (".ggf", ".jsonl", ".txt")
COMMANDS = {
    "hint": "all moves with their values in discs, best first",
    "values": "values on the board, on and off",
    "undo": "take back your last move and the reply",
    "redo": "play them again",
    "swap": "change sides with the player",
    "moves": "the game so far",
    "pass": "never needed: a side without a move passes by itself",
    "resign": "give the game up",
    "quit": "leave; the game can be resumed",
    "help": "this list",
}


def uses_colours() -> bool:
    """Whether discs can be told apart by colour; otherwise they are letters."""
    return out.color_system is not None and "utf" in out.encoding.lower()


def typed(prompt: str) -> str | None:
    """A line from the person, or from a file as input; None at its end."""
    try:
        text = input(prompt)
    except EOFError:
        out.print()
        return None
    if not sys.stdin.isatty():
        tell(text)  # as if it had been typed
    return text


def reply_of(player: NamedPlayer, board: Board, with_thoughts: bool) -> Analysis:
    """The player's move, with what it thinks of it; a search can be interrupted."""
    from outflank.players.analysis import Analysis, analyze

    if len(board.legal_moves) == 1 and not with_thoughts:
        return Analysis.of_choice(board.legal_moves[0])
    return analyze(player, board)


def describe_reply(name: str, reply: Analysis, with_thoughts: bool) -> Iterator[str]:
    yield f"{name} plays {reply.best}{' from its book' if reply.is_from_book else ''}"
    if not with_thoughts or reply.is_from_book or not reply.has_values:
        return
    value = reply.value_for_mover
    effort = f"{reply.nodes:,} nodes, {reply.seconds:.2f} s"
    if reply.exact:
        how = f"wins by {value:.0f}" if value > 0 else f"loses by {-value:.0f}" if value < 0 else "draws"
        yield f"  solved: it {how}; {effort}"
    else:
        unit = "discs" if reply.is_in_discs else "in its own unit"
        yield f"  it expects {value:+z.2f} {unit}; depth {reply.depth}, {effort}"
    if expected := reply.principal_variation[1:LONGEST_LINE]:
        yield f"  and then {' '.join(map(str, expected))}"


def describe_values(analysis: Analysis) -> str:
    """Where the values of moves come from."""
    if analysis.exact:
        return "solved: the disc differences at the end, for you, with best play"
    return f"estimated disc differences at the end, for you; all-rounder, depth {analysis.depth}"


@dataclass
class Session:
    """One game between a person and a player."""

    player: NamedPlayer
    game: Game
    colour: Colour  # the person's
    saved: SavedGame
    shows_thoughts: bool = False
    resigned: bool = False
    _has_left: bool = False
    _shows_values: bool = False
    _undone: list[tuple[Square, ...]] = field(default_factory=list)
    _shown: object = None  # what the last board showed: not printed again after wrong input

    def run(self) -> bool:
        """Play until the end; False if the person left before it. Every move is saved when it is made."""
        self._save()
        while not (self.game.final.is_over or self.resigned or self._has_left):
            self._announce_pass()
            if self.board.mover == self.colour:
                self._show()
                self._obey(typed(f"move {len(self.game.moves) + 1}: "))
            else:
                self._reply()
        if not self._has_left:
            self._show()
        return not self._has_left

    @property
    def board(self) -> Board:
        """The board, after a pass where one is due."""
        return self.game.final.settled()

    @property
    def record(self) -> GameRecord:
        from outflank.games.game import GameRecord
        from outflank.studies.game_analysis import final_score

        names = (HUMAN, self.player.name) if self.colour == "black" else (self.player.name, HUMAN)
        record = GameRecord(self.game, *names, date=f"{datetime.now():%Y.%m.%d}")
        if self.resigned:
            return replace(record, result=-64 if self.colour == "black" else 64, ending="resigned")
        return replace(record, result=final_score(self.game.final)) if self.game.final.is_over else record

    @cached_property
    def _judge(self) -> SearchPlayer:
        from outflank.studies.game_analysis import analyst

        return analyst(JUDGE, os.cpu_count() or 1)

    def _save(self) -> None:
        self.saved.save(self.record)

    def _announce_pass(self) -> None:
        if self.game.final.mover == self.board.mover:
            return
        if self._shown != self._view:
            is_mine = self.board.mover != self.colour
            tell("You have no move and pass." if is_mine else f"{self.player.name} has no move and passes.")

    @property
    def _view(self) -> tuple[object, ...]:
        return self.game, self.colour, self._shows_values

    def _show(self) -> None:
        if self._shown == self._view:
            return
        self._shown = self._view
        board, is_over = self.board, self.game.final.is_over or self.resigned
        values = None
        if self._shows_values and not is_over:
            analysis = self._values_of_moves()
            values = {move.square: move.value_for_mover for move in analysis.moves}
        last = self.game.moves[-1] if self.game.moves else None
        colours = uses_colours()
        out.print()
        out.print(terminal_board(board, last=last, values=values, with_colours=colours))
        black, white = ("black", "white") if colours else ("black (X)", "white (O)")
        tell(f"{black} {board.black.bit_count()}, {white} {board.white.bit_count()}; you are {self.colour}")
        if values is not None:
            tell(describe_values(analysis))

    def _values_of_moves(self) -> Analysis:
        with out.status("valuing the moves"):
            return self._judge.analyze(self.board, all_moves=True)

    def _reply(self) -> None:
        from rich.text import Text

        from outflank.players.names import short_name

        name = short_name(self.player.name)
        with out.status(Text(f"{name} is thinking")):
            reply = reply_of(self.player, self.board, self.shows_thoughts)
        self._play(reply.best)
        for line in describe_reply(name, reply, self.shows_thoughts):
            tell(line)

    def _play(self, *squares: Square) -> None:
        self.game = replace(self.game, moves=(*self.game.moves, *squares))
        self._undone = []
        self._save()

    def _obey(self, text: str | None) -> None:
        """Do what was typed; None is the end of the input."""
        if text is None:
            self._has_left = True
            return
        word = text.strip().lower()
        if word in COMMANDS:
            getattr(self, f"_{word}")()
        elif word:
            self._try_move(word)

    def _try_move(self, word: str) -> None:
        try:
            square = Square(word)
        except ValueError:
            nearest = difflib.get_close_matches(word, COMMANDS, n=1)
            advice = f"did you mean {nearest[0]}?" if nearest else "help lists what can be typed"
            tell(f"{word[:20]!r} is not a square or a command; {advice}")
            return
        legal = self.board.legal_moves
        if square in legal:
            self._play(square)
        else:
            tell(f"{square} is not a legal move; you can play {', '.join(map(str, legal))}")

    def _hint(self) -> None:
        analysis = self._values_of_moves()
        # A search that ran out of time has searched some moves deeper than others.
        moves = sorted(analysis.moves, key=lambda move: -move.value_for_mover)
        for move in moves:
            mark = "*" if move.value_for_mover == moves[0].value_for_mover else " "
            value = f"{move.value_for_mover:+z.0f}" if move.exact else f"{move.value_for_mover:+z.1f}"
            line = " ".join(map(str, move.line[1:7]))
            tell(f"{mark} {move.square} {value:>6}{'  then ' if line else ''}{line}")
        tell(describe_values(analysis))

    def _values(self) -> None:
        self._shows_values = not self._shows_values

    def _undo(self) -> None:
        movers = [board.settled().mover for board in self.game.boards[:-1]]
        mine = [at for at, mover in enumerate(movers) if mover == self.colour]
        if not mine:
            tell("There is no move of yours to take back.")
            return
        self._undone.append(self.game.moves[mine[-1] :])
        self.game = replace(self.game, moves=self.game.moves[: mine[-1]])
        self._save()

    def _redo(self) -> None:
        if not self._undone:
            tell("There is nothing to redo.")
            return
        waiting = self._undone[:-1]
        self._play(*self._undone[-1])
        self._undone = waiting

    def _swap(self) -> None:
        self.colour = "white" if self.colour == "black" else "black"
        tell(f"You are {self.colour} now.")
        self._save()

    def _moves(self) -> None:
        say(self.game.transcript or "No move has been played.")

    def _pass(self) -> None:
        tell("You have a move, so you may not pass.")

    def _resign(self) -> None:
        self.resigned = True
        self._save()

    def _quit(self) -> None:
        self._has_left = True

    def _help(self) -> None:
        tell("d3      play on a square, here d3")
        for name, meaning in COMMANDS.items():
            tell(f"{name:<8}{meaning}")


@dataclass
class SavedGame:
    """A file to which a game is saved as it goes."""

    path: Path
    is_written: bool = False
    has_failed: bool = False

    @classmethod
    def resumed(cls, path: Path, record: GameRecord) -> SavedGame | None:
        """The file that a game was read from, if `outflank play` wrote it; otherwise None."""
        is_ours = HUMAN in (record.black, record.white) and path.suffix in FORMATS
        return cls(path, is_written=True) if is_ours else None

    @classmethod
    def new(cls, path: Path | None, start: Board) -> SavedGame:
        """A new file; by default one in games/, named after the time."""
        from outflank.games.game import START

        chosen = path or _named_after_the_time()
        if chosen.suffix.lower() not in FORMATS:
            raise ValueError(f"{chosen}: a game is saved as .ggf, .jsonl or .txt (its moves alone)")
        if chosen.suffix.lower() == ".txt" and start != START:
            raise ValueError(f"{chosen}: a transcript holds no start position; save as .ggf or .jsonl")
        if chosen.exists():
            raise ValueError(f"{chosen} already exists; choose another name, or resume it: --start {chosen}")
        folder = chosen.parent if path else Path()
        if not folder.is_dir():
            raise ValueError(f"{chosen}: there is no folder {folder}")
        if not os.access(folder, os.W_OK):
            raise ValueError(f"{chosen} cannot be written; choose another place with --out")
        return cls(chosen)

    def save(self, record: GameRecord) -> None:
        """Write the game as it stands. A full disk does not end it: it is reported once and tried again."""
        from outflank.games.formats.any_format import write_games

        if not record.game.moves and not self.is_written:
            return
        try:
            if self.path.parent == FOLDER:
                FOLDER.mkdir(exist_ok=True)
            if record.game.moves or self.path.suffix.lower() != ".txt":
                write_games([record], self.path)
            else:
                self.path.unlink(missing_ok=True)  # no moves are left, and a transcript cannot hold that
        except (OSError, ValueError) as error:
            if not self.has_failed:
                note(f"the game could not be saved: {error}")
            self.has_failed = True
        else:
            self.is_written, self.has_failed = self.path.exists(), False


def _named_after_the_time() -> Path:
    stem = f"{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (FOLDER / f"{stem}{number}.ggf" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in names if not path.exists())
