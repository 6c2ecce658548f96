"""`outflank tournament`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.measuring.score import check_engines
from outflank.interfaces.cli.options import Cluster, Json, Starts, Threads, complete_players, workers_of
from outflank.interfaces.cli.progress import (
    ended_like_interrupted,
    meter,
    new_table,
    note,
    note_all,
    out,
    print_json,
    say,
)

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.cluster_games import Workers
    from outflank.games.tournaments.folder import TournamentFolder
    from outflank.games.tournaments.standings import Standing, Standings
    from outflank.games.tournaments.tournament import Tournament, TournamentSettings
    from outflank.players.engines.process import EngineStartError

SAVE_SECONDS = 1.0  # between saves of a long pair; each pair is saved when it is done
WIDEST_MATRIX = 16
MOST_CYCLES = 10


def add_to(app: typer.Typer) -> None:
    app.command()(tournament)


def tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER...]",
            help="Two or more; none to resume the tournament in --out.",
            autocompletion=complete_players,
        ),
    ] = None,
    double_games: Annotated[
        int | None, typer.Option(help="Per pair. Default: 1,000, or one for each start position.")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Probability of a forced random move. Default: 0.1, 0 with --starts.")
    ] = None,
    starts: Starts = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same games. Default: 1.")] = None,
    threads: Threads = None,
    cluster: Cluster = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The folder; one in tournaments/ by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play every player against every other: a table, ratings, cycles, and a heat map.

    Killed or interrupted, the same command resumes it. Players can join later, with the same --out.
    """
    given = {"double_games": double_games, "epsilon": epsilon, "seed": seed}
    wanted = {key: value for key, value in given.items() if value is not None}
    place, names, settings = _agreed(players or [], wanted, starts, folder)
    with workers_of(cluster, threads) as workers:
        _run(_tournament(place, names, settings, threads, workers), place, names, as_json)


def _run(games: Tournament, place: TournamentFolder, names: list[str], as_json: bool) -> None:
    check_engines(games.players_to_play)
    with place.alone():
        place.write_settings(names, games.settings)
        ended_by = _play(games, place)
        _finish(games, place, as_json)
    if ended_by is not None:
        raise ended_by


def _agreed(
    names: list[str], wanted: dict[str, Any], starts: Path | None, path: Path | None
) -> tuple[TournamentFolder, list[str], TournamentSettings]:
    """The folder, players and settings: those of an existing tournament, or as asked for."""
    from outflank.games.positions import OPENING_PLIES, read_start_positions
    from outflank.games.tournaments.folder import TournamentFolder

    boards = read_start_positions(starts) if starts else None
    new = _new_settings(wanted, boards)
    place = TournamentFolder(path) if path else TournamentFolder.for_command(names, new)
    if place.is_new:
        if not names:
            raise ValueError(f"{path} holds no tournament to resume; name players to start one")
        place.check_free()
        if boards is None and len(new.starts) > 1:
            note(f"no move is forced to be random, so games start from {len(new.starts):,} openings of "
                 f"{OPENING_PLIES} random moves; --starts names others")  # fmt: skip
        return place, names, new
    there = place.settings()
    if boards is not None:
        wanted = wanted | {"starts": boards[: there.double_games]}
    place.check_same(names, wanted)
    known = place.players()
    return place, known + [name for name in names if name not in known], there


def _new_settings(wanted: dict[str, Any], boards: tuple[Board, ...] | None) -> TournamentSettings:
    from outflank.games.positions import openings_for
    from outflank.games.tournaments.tournament import TournamentSettings

    if boards is None:
        settings = TournamentSettings(**wanted)
        if settings.epsilon > 0 or settings.double_games < 2:
            return settings
        return TournamentSettings(**wanted, starts=openings_for(settings.double_games))
    wanted = {"double_games": len(boards), "epsilon": 0.0} | wanted
    # Double games take the starts in turn, so later ones are never used.
    return TournamentSettings(**wanted, starts=boards[: max(1, wanted["double_games"])])


def _tournament(
    place: TournamentFolder,
    names: list[str],
    settings: TournamentSettings,
    threads: int | None,
    workers: Workers | None,
) -> Tournament:
    from outflank.games.tournaments.tournament import Tournament, check_names
    from outflank.players.names import named_player

    check_names(names)
    players = [named_player(name) for name in names]
    for player in players:
        note_all(player)
    saved = () if place.is_new else place.results()
    return Tournament(players, settings, threads=threads, results=saved, workers=workers)


def _play(games: Tournament, place: TournamentFolder) -> KeyboardInterrupt | EngineStartError | None:
    """Play and save to the end. Returns what cut it short; finished batches are saved in any case."""
    from outflank.players.engines.process import EngineStartError
    from outflank.players.names import short_name

    result, saved_at = None, time.perf_counter()
    ended_by: KeyboardInterrupt | EngineStartError | None = None
    with ended_like_interrupted(), meter("tournament", games.games_left, "games") as progress:
        left = games.games_left
        try:
            for result in games.steps():
                is_done = result.tally.games == 2 * games.settings.double_games
                if is_done or time.perf_counter() > saved_at + SAVE_SECONDS:
                    place.save(result)
                    saved_at = time.perf_counter()
                pair = f"{short_name(result.first)} - {short_name(result.second)}"
                progress.advance(left - games.games_left, pair)
                left = games.games_left
        except (KeyboardInterrupt, EngineStartError) as error:
            ended_by = error
            if result is not None:
                place.save(games.results[result.pair])
    return ended_by if games.games_left else None


def _finish(games: Tournament, place: TournamentFolder, as_json: bool) -> None:
    """Write and print the standings as they are."""
    from outflank.games.tournaments.folder import HEAT_MAP
    from outflank.plots.style import save_figure
    from outflank.plots.tournaments import draw_tournament

    if not any(result.tally.games for result in games.results.values()):
        _print_end(games, place)
        return
    standings = games.standings()
    report = _report(games, standings)
    place.write_standings(standings, report)
    if not as_json:
        _print_table(standings)
        _print_matrix(standings)
        _print_cycles(standings)
    save_figure(draw_tournament(standings, _title(games)), place.path / HEAT_MAP)
    if as_json:
        print_json({"folder": str(place.path)} | report)
    else:
        _print_end(games, place)


def _print_end(games: Tournament, place: TournamentFolder) -> None:
    """What was made, and what to do next."""
    if games.games_left:
        lines = [
            f"Ended with {games.games_left:,} games to play; nothing is lost. "
            f"Resume it: outflank tournament --out {place.path}"
        ]
    else:
        lines = [
            f"{_title(games)}, seed {games.settings.seed}",
            f"Results, tables and a heat map: {place.path}",
            f"Let more players join: name these and the new ones with --out {place.path}",
        ]
    for line in lines:
        say(line)


def _report(games: Tournament, standings: Standings) -> dict[str, Any]:
    settings = games.settings
    return {
        "double_games": settings.double_games,
        "epsilon": settings.epsilon,
        "starts": len(settings.starts),
        "seed": settings.seed,
        "partial": games.games_left > 0,
    } | standings.report()


def _title(games: Tournament) -> str:
    s = games.settings
    partial = f", {games.games_left:,} games still to play" if games.games_left else ""
    starts = f" from {len(s.starts):,} starts" if len(s.starts) > 1 else ""
    return (
        f"{len(games.players)} players: {s.double_games:,} double games per pair{starts}, "
        f"epsilon {s.epsilon:g}{partial}"
    )


def _print_table(standings: Standings) -> None:
    from rich.markup import escape

    from outflank.games.statistics import score_text
    from outflank.players.names import short_name

    has_forfeits = any(row.forfeits for row in standings.rows)
    columns = ("", "player", "wins", "draws", "losses", "score", "rating")
    table = new_table((*columns, *(("forfeits", "score without") if has_forfeits else ())), left=("player",))
    for row in standings.rows:
        rating_low, rating_high = row.rating_ci95
        table.add_row(
            str(row.rank), escape(short_name(row.player)),
            f"{row.tally.wins:,}", f"{row.tally.draws:,}", f"{row.tally.losses:,}",
            f"[bold]{score_text(row.score, row.ci95, 3)}[/bold]",
            f"[bold]{row.rating:+.0f}[/bold] ± {(rating_high - rating_low) / 2:.0f}",
            *([f"{row.forfeits:,}", _score_without(row)] if has_forfeits else []),
        )  # fmt: skip
    out.print(table)
    out.print("Score and rating (Elo scale, mean 0) with 95 % intervals.")
    played = sum(sum(row.tally.double_games) for row in standings.rows) // 2  # each pair is in two rows
    distinct = sum(row.tally.distinct for row in standings.rows) // 2
    if distinct < played:
        out.print(f"Only {distinct:,} of {played:,} double games are distinct; the others repeat them move "
                  "for move. Intervals and ratings rest on the distinct ones.")  # fmt: skip
    if has_forfeits:
        from outflank.interfaces.cli.measuring.match_report import print_forfeits

        out.print("Forfeited games are losses in both; the last column is the score without them.")
        print_forfeits([(f["player"], f["reason"], f["game"]) for f in standings.report()["forfeits"]])
    if standings.ratings.has_prior:
        note(
            "some players took no point from the others, so the results alone give no finite ratings; "
            "each player was given one drawn double game against an imaginary player"
        )


def _score_without(row: Standing) -> str:
    return f"{row.finished.score:.3f}" if row.finished.games else "-"


def _print_matrix(standings: Standings) -> None:
    """Who scored what against whom, where it fits a terminal."""
    from rich.table import Table

    if not 2 < len(standings.rows) <= WIDEST_MATRIX:
        return
    from rich.markup import escape

    from outflank.players.names import short_name

    longest = min(40, max(12, out.width - 4 - 4 * len(standings.rows)))
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for row in standings.rows:
        table.add_column(str(row.rank), justify="right", no_wrap=True)
    for row, scores in zip(standings.rows, standings.matrix.tolist(), strict=True):
        cells = ["-" if score != score else f"{score:.2f}".removeprefix("0")[:3] for score in scores]
        table.add_row(f"{row.rank:2} {escape(short_name(row.player, longest))}", *cells)
    out.print("\nThe row's score against the column:")
    out.print(table)


def _print_cycles(standings: Standings) -> None:
    from outflank.players.names import short_name

    significant = sum(cycle.is_significant for cycle in standings.cycles)
    if standings.cycles:
        nominal = len(standings.cycles) - significant
        out.print(f"\nThree-cycles: {significant} with every leg significant at 95 %, {nominal} nominal")
    names = {row.player: f"{row.rank} {short_name(row.player, 20)}" for row in standings.rows}
    for cycle in standings.cycles[:MOST_CYCLES]:
        a, b, c = (names[player] for player in cycle.players)
        x, y, z = cycle.scores
        kind = "significant" if cycle.is_significant else "nominal"
        say(f"  {kind}: {a} beats ({x:.3f}) {b} beats ({y:.3f}) {c} beats ({z:.3f}) {a}")
    if len(standings.cycles) > MOST_CYCLES:
        out.print(f"  ... and {len(standings.cycles) - MOST_CYCLES} more, see results.json")
    out.print()
