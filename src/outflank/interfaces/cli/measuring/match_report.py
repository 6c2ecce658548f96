"""Reports of a match: JSON, a table, recorded games as JSON lines, and forfeits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from outflank.games.batch import Batch, BothTimes, Forfeit, MoveTimes
from outflank.games.statistics import FinishedGames, Tally, score_text
from outflank.interfaces.cli.progress import new_table, out, say, tell
from outflank.players.names import short_name

if TYPE_CHECKING:
    from outflank.games.match import Match

SHOWN_FORFEITS = 5  # games of each reason
SHOWN_REASONS = 10


@dataclass(frozen=True)
class MatchProgress:
    """The result of the games played so far, and where their records end in the file."""

    tally: Tally = field(default_factory=Tally)
    finished: FinishedGames = field(default_factory=FinishedGames)
    forfeits: tuple[Forfeit, ...] = ()
    times: BothTimes | None = (MoveTimes(), MoveTimes())  # None if they were not measured
    end_of_records: int = 0

    def with_batch(self, batch: Batch, end_of_records: int) -> MatchProgress:
        times = None
        if self.times is not None and batch.times is not None:
            times = (self.times[0] + batch.times[0], self.times[1] + batch.times[1])
        return MatchProgress(
            self.tally + batch.tally,
            self.finished + batch.finished,
            self.forfeits + batch.forfeits,
            times,
            end_of_records,
        )


def as_report(
    games: Match, progress: MatchProgress, rate: float, ended_by: BaseException | None = None
) -> dict[str, Any]:
    """A match as JSON. `ended_by` is what cut it short."""
    tally = progress.tally
    same = games.epsilon[0] == games.epsilon[1]
    return {
        "player": games.first.name,
        "opponent": games.second.name,
        "double_games": tally.games // 2,
        "epsilon": games.epsilon[0] if same else list(games.epsilon),
        "score": tally.score,
        "ci95": list(tally.ci95),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "games_per_second": round(rate, 1),
        "threads": games.threads,
        "seed": games.seed,
        "partial": tally.games < 2 * games.double_games,
        "error": str(ended_by) if isinstance(ended_by, OSError) else None,
        "forfeits": [
            {
                "game": forfeit.game,
                "player": forfeit.player,
                "side": "player" if forfeit.by_first else "opponent",
                "reason": forfeit.reason,
            }
            for forfeit in progress.forfeits
        ],
        "forfeited": {side: _forfeited(progress.forfeits, is_first) for side, is_first in _SIDES.items()},
        "without_forfeits": _without_forfeits(progress.finished),
        "seconds_per_move": {
            side: None if progress.times is None else _seconds(progress.times[0 if is_first else 1])
            for side, is_first in _SIDES.items()
        },
        "distinct_double_games": tally.distinct,
    }


_SIDES = {"player": True, "opponent": False}


def _forfeited(forfeits: Sequence[Forfeit], by_first: bool) -> dict[str, Any]:
    reasons = Counter(forfeit.reason for forfeit in forfeits if forfeit.by_first == by_first)
    return {"games": reasons.total(), "reasons": dict(reasons.most_common())}


def _without_forfeits(finished: FinishedGames) -> dict[str, Any]:
    return {
        "games": finished.games,
        "wins": finished.wins,
        "draws": finished.draws,
        "losses": finished.losses,
        "score": finished.score if finished.games else None,
        "ci95": list(finished.ci95) if finished.games else None,
    }


def _seconds(times: MoveTimes) -> dict[str, Any]:
    return {
        "moves": times.moves,
        "mean": _rounded(times.mean),
        "largest": _rounded(times.longest),
        "total": _rounded(times.seconds),
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def write_records(games: Match, batch: Batch, file: IO[bytes]) -> int:
    """One line per game: who was Black, the start, the moves, Black's disc difference along the game, and
    thinking times where games were played one at a time. Returns the position in the file."""
    from outflank import _core
    from outflank.board import Square

    assert batch.moves is not None
    trajectories = games.disc_differences(batch)
    forfeits = {forfeit.game: forfeit for forfeit in batch.forfeits}
    for i, moves in enumerate(batch.moves):
        number = batch.first_game + i
        squares = [Square(int(move)) for move in moves if move != _core.NO_MOVE]
        first_is_black = number % 2 == 0
        players = (games.first, games.second) if first_is_black else (games.second, games.first)
        line: dict[str, Any] = {
            "game": number,
            "black": players[0].name,
            "white": players[1].name,
            "start": games.starts[number // 2 % len(games.starts)].text,
            "moves": "".join(map(str, squares)),
            "disc_differences": trajectories[i, : len(squares) + 1].tolist(),
        }
        if (forfeit := forfeits.get(number)) is not None:
            colour = "black" if forfeit.by_first == first_is_black else "white"
            line["forfeit"] = {"player": forfeit.player, "colour": colour, "reason": forfeit.reason}
        if batch.game_times is not None:
            times = batch.game_times[i] if first_is_black else batch.game_times[i][::-1]
            line["seconds_per_move"] = {"black": _seconds(times[0]), "white": _seconds(times[1])}
        file.write(json.dumps(line).encode() + b"\n")
    file.flush()
    return file.tell()


def print_reports(reports: list[dict[str, Any]], record: Path | None) -> None:
    """Matches against one opponent as a table; then times and forfeits."""
    _print_table(reports)
    report = reports[-1]
    epsilon = report["epsilon"]
    shown = f"{epsilon:g}" if isinstance(epsilon, float) else " and ".join(f"{e:g}" for e in epsilon)
    plural = "s" if report["threads"] > 1 else ""
    out.print(
        f"against {_shown(report['opponent'])}: {report['double_games']:,} double games,"
        f" epsilon {shown}, seed {report['seed']}, {report['threads']} thread{plural}"
    )
    for report in reports:
        _print_repeats(report)
        _print_times(report)
        print_forfeits([(f["player"], f["reason"], f["game"]) for f in report["forfeits"]])
        _print_without_forfeits(report)
    if any(report["partial"] for report in reports):
        why = "Ended early" if reports[-1]["error"] else "Interrupted"
        out.print(f"{why}: the last row is a partial result.")
    if record is not None:
        say(f"Every game with its moves: {record}")


def _print_table(reports: list[dict[str, Any]]) -> None:
    columns = ("player", "score, 95 % interval", "wins", "draws", "losses", "games/s")
    table = new_table(columns, left=("player",))
    for report in reports:
        table.add_row(
            _shown(report["player"]) + (" (partial)" if report["partial"] else ""),
            f"[bold]{score_text(report['score'], report['ci95'])}[/bold]",
            *(f"{report[key]:,.0f}" for key in ("wins", "draws", "losses", "games_per_second")),
        )
    out.print(table)


def _shown(name: str) -> str:
    from rich.markup import escape

    return escape(short_name(name))


def _print_repeats(report: dict[str, Any]) -> None:
    played, distinct = report["double_games"], report["distinct_double_games"]
    if distinct < played:
        out.print(
            f"Only {distinct:,} of {_shown(report['player'])}'s {played:,} double games are distinct; the "
            "others repeat them move for move or in a mirror. The interval rests on the distinct ones."
        )


def _print_times(report: dict[str, Any]) -> None:
    for side in _SIDES:
        if not (times := report["seconds_per_move"][side]) or not times["moves"]:
            continue
        largest = "" if times["largest"] is None else f", largest {times['largest']:.3g}"
        seconds = f"{times['mean']:.3g} seconds per move{largest}"
        out.print(f"{_shown(report[side])}: {seconds}, {times['moves']:,} moves")


def print_forfeits(forfeits: Sequence[tuple[str, str, int]]) -> None:
    """Forfeits as (player, reason, game), grouped by player and reason."""
    games: dict[tuple[str, str], list[int]] = {}
    for player, reason, game in forfeits:
        games.setdefault((player, reason), []).append(game)
    for (player, reason), numbers in list(games.items())[:SHOWN_REASONS]:
        more = " ..." if len(numbers) > SHOWN_FORFEITS else ""
        shown = ", ".join(map(str, numbers[:SHOWN_FORFEITS])) + more
        tell(f"Forfeited by {player} (it {reason}): {len(numbers)}, game {shown}")
    if (hidden := len(games) - SHOWN_REASONS) > 0:
        out.print(f"... and for {hidden} more reasons, see --json")


def _print_without_forfeits(report: dict[str, Any]) -> None:
    if not report["forfeits"]:
        return
    counts = [f"{report['forfeited'][side]['games']:,} by {_shown(report[side])}" for side in _SIDES]
    left = report["without_forfeits"]
    score = (
        f"score without them {score_text(left['score'], left['ci95'])} in {left['games']:,} games"
        if left["games"]
        else "no game was played to its end"
    )
    out.print(f"Forfeits: {', '.join(counts)}; {score}")
