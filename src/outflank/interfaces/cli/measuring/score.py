"""`outflank score` and `outflank match`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import (
    PLAYER_HELP,
    Cluster,
    Json,
    Seed,
    Starts,
    Threads,
    complete_players,
    workers_of,
)
from outflank.interfaces.cli.progress import ended_like_interrupted, meter, note, note_all, print_json

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.cluster_games import Workers
    from outflank.games.match import Match
    from outflank.interfaces.cli.measuring.match_report import MatchProgress
    from outflank.players.engines.process import EngineStartError
    from outflank.players.greedy import Player


def add_to(app: typer.Typer) -> None:
    app.command()(score)
    app.command()(match)


def score(
    players: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER...", help=PLAYER_HELP, autocompletion=complete_players),
    ],
    double_games: Annotated[int, typer.Option(help="Pairs of games with colours swapped.")] = 50_000,
    epsilon: Annotated[str, typer.Option(help="Probability of a forced random move.")] = "0.1",
    opponent: Annotated[
        str, typer.Option(help="The opponent.", autocompletion=complete_players)
    ] = "standard-heuristic",
    seed: Seed = 1,
    threads: Threads = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Measure the Othello League score of players, with its 95 % interval."""
    forced = _epsilon(epsilon)
    with workers_of(cluster, threads) as workers:
        matches = [
            _match(player, opponent, double_games, forced, seed, threads, workers=workers)
            for player in players
        ]
        _report(matches, as_json)


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=PLAYER_HELP, autocompletion=complete_players)],
    second: Annotated[str, typer.Argument(metavar="B", autocompletion=complete_players)],
    double_games: Annotated[
        int | None, typer.Option(help="Default: 1,000, or one for each start position.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="E for both or E,E for each. Default: 0.1, or 0 with --starts.")
    ] = None,
    starts: Starts = None,
    seed: Seed = 1,
    threads: Threads = None,
    cluster: Cluster = None,
    record: Annotated[Path | None, typer.Option(help="Write every game to this file, as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Play a match between two players; the score is A's."""
    from outflank.games.positions import read_start_positions

    boards = read_start_positions(starts) if starts else None
    games = double_games or (len(boards) if boards else 1000)
    forced = _epsilon(epsilon or ("0" if boards else "0.1"))
    with workers_of(cluster, threads) as workers:
        _report([_match(first, second, games, forced, seed, threads, boards, workers)], as_json, record)


def _match(
    first: str,
    second: str,
    double_games: int,
    epsilon: tuple[float, float],
    seed: int,
    threads: int | None,
    starts: tuple[Board, ...] | None = None,
    workers: Workers | None = None,
) -> Match:
    from outflank.board import Board
    from outflank.games.match import Match
    from outflank.games.positions import OPENING_PLIES, openings_for
    from outflank.players.names import named_player

    players = [named_player(name) for name in (first, second)]
    for player in players:
        note_all(player)
    if starts is None and epsilon == (0.0, 0.0) and double_games > 1:
        starts = openings_for(double_games)
        note(f"no move is forced to be random, so games start from {len(starts):,} openings of "
             f"{OPENING_PLIES} random moves; --starts names others")  # fmt: skip
    return Match(
        *players,
        double_games=double_games,
        epsilon=epsilon,
        starts=starts or (Board(),),
        seed=seed,
        threads=threads,
        workers=workers,
    )


def _epsilon(text: str) -> tuple[float, float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"epsilon must be a number within 0..1, got {text!r}") from None
    if len(numbers) > 2:
        raise ValueError(f"epsilon is one number, or two for the two players; got {text!r}")
    return numbers[0], numbers[-1]


def check_engines(players: Iterable[Player]) -> None:
    """Fails before hours of games, not after them, if an engine cannot be started."""
    from outflank.players.engines.player import ExternalPlayer

    for player in {player.name: player for player in players if isinstance(player, ExternalPlayer)}.values():
        player.start().close()


def _report(matches: list[Match], as_json: bool, record: Path | None = None) -> None:
    """Plays the matches and prints their results; one that is cut short gives a partial result."""
    from outflank.interfaces.cli.measuring.match_report import as_report, print_reports

    if len(matches) > 1:
        check_engines(player for games in matches for player in (games.first, games.second))
    reports: list[dict[str, Any]] = []
    ended_by: BaseException | None = None
    for games in matches:
        progress, rate, ended_by = _played(games, record)
        if progress.tally.games:
            reports.append(as_report(games, progress, rate, ended_by))
        if ended_by is not None:
            break
    if reports and as_json:
        print_json(reports[0] if len(matches) == 1 else reports)
    elif reports:
        print_reports(reports, record)
    if ended_by is not None:
        raise ended_by


def _played(
    games: Match, record: Path | None
) -> tuple[MatchProgress, float, KeyboardInterrupt | EngineStartError | None]:
    """The games played, games per second, and what cut the match short."""
    from outflank.interfaces.cli.measuring.match_report import MatchProgress, write_records
    from outflank.players.engines.process import EngineStartError
    from outflank.players.names import short_name

    so_far = MatchProgress()
    ended_by: KeyboardInterrupt | EngineStartError | None = None
    names = f"{short_name(games.first.name)} - {short_name(games.second.name)}"
    file = record.open("xb") if record else None
    try:
        with ended_like_interrupted(), meter(names, 2 * games.double_games, "games") as progress:
            try:
                for batch in games.batches(record=file is not None):
                    end = 0 if file is None else write_records(games, batch, file)
                    # One assignment: an interrupt leaves a batch counted and recorded, or neither.
                    so_far = so_far.with_batch(batch, end)
                    progress.advance(len(batch.disc_differences), f"score {so_far.tally.score:.4f}")
            except (KeyboardInterrupt, EngineStartError) as error:
                ended_by = error
            rate = progress.rate
    finally:
        if file is not None and record is not None:
            file.truncate(so_far.end_of_records)
            file.close()
            if so_far.end_of_records == 0:  # nothing was played: leave the name free for another try
                record.unlink()
    is_whole = so_far.tally.games == 2 * games.double_games
    return so_far, rate, None if is_whole else ended_by
