"""A person at the prompt, a player on the other side: whose turn it is, and what each command does."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from outflank.board import Board, Colour, Square
from outflank.interfaces.cli.play_words import (
    reply_of,
    said_of_moves,
    said_of_reply,
    say,
    typed,
    uses_colours,
)
from outflank.interfaces.cli.progress import out
from outflank.interfaces.cli.saved_game import HUMAN, SavedGame
from outflank.interfaces.terminal_board import terminal_board

if TYPE_CHECKING:
    from outflank.games.game import Game
    from outflank.games.game_record import GameRecord
    from outflank.players.analysis import Analysis
    from outflank.players.names import NamedPlayer
    from outflank.players.search import SearchPlayer

JUDGE = "all-rounder,time=1"  # of hints and values, whoever plays
COMMANDS = {
    "hint": "all moves with their values in discs, best first",
    "values": "values on the board, on and off",
    "undo": "take back your last move and the reply",
    "redo": "play them again",
    "swap": "change sides with the player",
    "moves": "the game so far",
    "pass": "never needed: a side without a move passes by itself",
    "resign": "give the game up",
    "quit": "leave; the game can be taken up again",
    "help": "this list",
}


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
    _shown: object = None  # what the last board showed: a wrong input does not print it again

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
        """The board with whoever can move to move."""
        return self.game.final.settled()

    @property
    def record(self) -> GameRecord:
        from outflank.games.game_record import GameRecord
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
            say("You have no move and pass." if is_mine else f"{self.player.name} has no move and passes.")

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
            analysis = self._judged()
            values = {move.square: move.value_for_mover for move in analysis.moves}
        last = self.game.moves[-1] if self.game.moves else None
        colours = uses_colours()
        out.print()
        out.print(terminal_board(board, last=last, values=values, with_colours=colours))
        black, white = ("black", "white") if colours else ("black (X)", "white (O)")
        say(f"{black} {board.black.bit_count()}, {white} {board.white.bit_count()}; you are {self.colour}")
        if values is not None:
            say(said_of_moves(analysis))

    def _judged(self) -> Analysis:
        with out.status("judging the moves"):
            return self._judge.analyze(self.board, all_moves=True)

    def _reply(self) -> None:
        from rich.text import Text

        from outflank.games.standings import without_folders

        name = without_folders(self.player.name)
        with out.status(Text(f"{name} thinks")):
            reply = reply_of(self.player, self.board, self.shows_thoughts)
        self._play(reply.square)
        for line in said_of_reply(name, reply, self.shows_thoughts):
            say(line)

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
            say(f"{word[:20]!r} is not a square or a command; {advice}")
            return
        legal = self.board.legal_moves
        if square in legal:
            self._play(square)
        else:
            say(f"{square} is not a legal move; you can play {', '.join(map(str, legal))}")

    def _hint(self) -> None:
        analysis = self._judged()
        # A search that was out of time has looked further at some moves than at others.
        moves = sorted(analysis.moves, key=lambda move: -move.value_for_mover)
        for move in moves:
            mark = "*" if move.value_for_mover == moves[0].value_for_mover else " "
            value = f"{move.value_for_mover:+z.0f}" if move.exact else f"{move.value_for_mover:+z.1f}"
            line = " ".join(map(str, move.line[1:7]))
            say(f"{mark} {move.square} {value:>6}{'  then ' if line else ''}{line}")
        say(said_of_moves(analysis))

    def _values(self) -> None:
        self._shows_values = not self._shows_values

    def _undo(self) -> None:
        movers = [board.settled().mover for board in self.game.boards[:-1]]
        mine = [at for at, mover in enumerate(movers) if mover == self.colour]
        if not mine:
            say("There is no move of yours to take back.")
            return
        kept, undone = self.game.moves[: mine[-1]], self.game.moves[mine[-1] :]
        self._undone.append(undone)
        self.game = replace(self.game, moves=kept)
        self._save()

    def _redo(self) -> None:
        if not self._undone:
            say("There is nothing to play again.")
            return
        waiting = self._undone[:-1]
        self._play(*self._undone[-1])
        self._undone = waiting

    def _swap(self) -> None:
        self.colour = "white" if self.colour == "black" else "black"
        say(f"You are {self.colour} now.")
        self._save()

    def _moves(self) -> None:
        say(self.game.transcript or "No move has been played.")

    def _pass(self) -> None:
        say("You have a move, so you may not pass.")

    def _resign(self) -> None:
        self.resigned = True
        self._save()

    def _quit(self) -> None:
        self._has_left = True

    def _help(self) -> None:
        say("d3      play on a square, here d3")
        for name, meaning in COMMANDS.items():
            say(f"{name:<8}{meaning}")
