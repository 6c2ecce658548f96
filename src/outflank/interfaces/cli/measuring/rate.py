"""`outflank rate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.measuring.score import check_engines
from outflank.interfaces.cli.options import PLAYER_HELP, Cluster, Json, Threads, complete_players, workers_of
from outflank.interfaces.cli.progress import (
    ended_like_interrupted,
    meter,
    new_table,
    note,
    note_all,
    out,
    print_json,
    say,
    tell,
)

if TYPE_CHECKING:
    from outflank.games.cluster_games import Workers
    from outflank.games.ratings.ladder import Ladder
    from outflank.games.ratings.player_rating import PlayerRating

UNEVEN = 3.0  # chi squared per degree of freedom that one number does not explain


def add_to(app: typer.Typer) -> None:
    app.command()(rate)


def rate(
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PLAYER...]", help=PLAYER_HELP, autocompletion=complete_players),
    ] = None,
    within: Annotated[float, typer.Option(help="Half the width of the 95 % interval, in points.")] = 30.0,
    rung: Annotated[
        list[str] | None,
        typer.Option(help="One more rung: a player, a file or an engine (gtp:..., nboard:...); rated first."),
    ] = None,
    ladder: Annotated[
        Path | None, typer.Option(help="A ladder of your own, written by --calibrate --out.")
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Play a new ladder of the players (by default: the built-in rungs)."
        ),
    ] = False,
    double_games: Annotated[
        int | None, typer.Option(help="Of each pair of rungs, with --calibrate. Default: 200.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--out", help="A picture to draw; with --calibrate, the ladder to write.")
    ] = None,
    folder: Annotated[
        Path, typer.Option(help="Where games played are kept, so that an interrupted rating goes on.")
    ] = Path("ratings"),
    threads: Threads = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Rate players on a ladder from random moves to deep search: about as strong as which rung?

    Each player meets rungs near its level until its rating is known. Interrupted, the same command goes on.
    """
    with workers_of(cluster, threads) as workers:
        if calibrate:
            if within != 30.0 or rung or ladder:
                raise ValueError("--calibrate takes players, --double-games, --out, --threads and --cluster")
            _calibrate(players or [], double_games, target, threads, workers, as_json)
            return
        if not players:
            raise ValueError(
                "name the players to rate, such as all-2; outflank players lists the built-in ones"
            )
        if double_games is not None:
            raise ValueError("--double-games is for --calibrate; --within says when a rating is known")
        if target is not None:
            _check_picture(target)
        _rate(players, rung or [], _ladder(ladder), within, target, folder, threads, workers, as_json)


def _ladder(path: Path | None) -> Ladder:
    from outflank.games.ratings.ladder import Ladder

    ladder = Ladder.load(path) if path else Ladder.built_in()
    if changed := ladder.changed():
        note(
            f"{', '.join(changed)}: no longer the players that this ladder was played with, so ratings are "
            f"off; make it again: outflank rate --calibrate --out {path or 'my-ladder.json'}"
        )
    return ladder


def _check_picture(target: Path) -> None:
    from outflank.plots.style import FORMATS

    if target.suffix not in FORMATS:
        raise ValueError(f"a picture ends with {', '.join(FORMATS)}, got {target}")
    if not target.resolve().parent.is_dir():
        raise ValueError(f"{target.parent} is not a folder")


def _rate(
    names: list[str], rungs: list[str], ladder: Ladder, within: float, target: Path | None, folder: Path,
    threads: int | None, workers: Workers | None, as_json: bool,
) -> None:  # fmt: skip
    from outflank.players.names import named_player

    players = {name: named_player(name) for name in dict.fromkeys((*rungs, *names))}
    for player in players.values():
        note_all(player)
    check_engines(players.values())
    extra: list[PlayerRating] = []
    rated: list[PlayerRating] = []
    ended_by: BaseException | None = None
    for name, player in players.items():
        found, ended_by = _rated(player, ladder, within, extra, folder, threads, workers)
        if name in rungs and found.is_done:
            extra.append(found)
        if found.games:
            rated.append(found)
        if ended_by is not None:
            break
    if as_json:
        print_json([as_report(one) for one in rated])
    else:
        _print(rated)
    if target is not None and rated:
        from outflank.plots.ratings import draw_ratings
        from outflank.plots.style import save_figure

        save_figure(draw_ratings(rated), target)
        if not as_json:
            say(f"The ladder as a picture: {target}")
    if ended_by is not None:
        if not as_json:
            say(f"Interrupted; games so far are kept in {folder}: the same command goes on.")
        raise ended_by


def _rated(
    player: Any, ladder: Ladder, within: float, extra: list[PlayerRating], folder: Path,
    threads: int | None, workers: Workers | None,
) -> tuple[PlayerRating, BaseException | None]:  # fmt: skip
    """A player's rating, or what is known of it when it is cut short; games are saved in any case."""
    from outflank.games.ratings.player_rating import PlayerRating, rate
    from outflank.games.ratings.rating_file import RatingFile
    from outflank.players.engines.process import EngineStartError
    from outflank.players.names import short_name

    file = RatingFile(folder, player.name, ladder.seed)
    results = file.read()
    found = PlayerRating(player.name, ladder, results, tuple(extra), within)
    ended_by: BaseException | None = None
    with ended_like_interrupted(), meter(f"rating {short_name(player.name, 30)}", 0, "games") as progress:
        try:
            steps = rate(player, ladder, within=within, extra=extra, results=results, threads=threads,
                         workers=workers)  # fmt: skip
            for found in steps:
                if found.games:
                    file.write(found.results)
                known = f"{found.rating:.0f} ± {found.half_width:.0f}" if found.games else ""
                progress.reach(found.games, found.games_expected, known)
        except (KeyboardInterrupt, EngineStartError, OSError) as error:
            ended_by = error
    return found, ended_by


def as_report(found: PlayerRating) -> dict[str, Any]:
    """A rating as JSON."""
    return {
        "player": found.player,
        "rating": round(found.rating, 1),
        "ci95": [round(edge, 1) for edge in found.ci95],
        "within": round(found.half_width, 1),
        "ladder_within": round(found.ladder_half_width, 1),
        "partial": not found.is_done,
        "beyond_the_ladder": found.is_beyond,
        "sentence": found.sentence,
        "double_games": found.games // 2,
        "distinct_double_games": found.distinct,
        "unevenness": round(found.unevenness, 2),
        "rungs": [
            {
                "rung": rung.name,
                "rating": round(rung.rating, 1),
                "double_games": sum(found.results[rung.name].double_games),
                "score": found.results[rung.name].score,
                "ci95": list(found.results[rung.name].ci95),
            }
            for rung in found.rungs
            if rung.name in found.results
        ],
    }


def _print(rated: list[PlayerRating]) -> None:
    from rich.markup import escape

    from outflank.games.statistics import score_text
    from outflank.players.names import short_name

    table = new_table(("player", "rating", "games", "as strong as"), left=("player", "as strong as"))
    for found in rated:
        table.add_row(
            escape(short_name(found.player)) + ("" if found.is_done else " (partial)"),
            f"[bold]{found.rating:.0f}[/bold] ± {found.half_width:.0f}", f"{found.games:,}", found.sentence,
        )  # fmt: skip
    out.print(table)
    out.print("Elo scale: random is 0, 400 points are odds of ten to one; 95 % intervals.")
    for found in rated:
        if len(rated) == 1:
            for rung in found.rungs:
                if (tally := found.results.get(rung.name)) is not None:
                    tell(f"  {score_text(tally.score, tally.ci95, 3)} against {short_name(rung.name)} "
                         f"({rung.rating:.0f}), {tally.games:,} games")  # fmt: skip
        if found.is_beyond:
            note(f"{short_name(found.player)} is off the ladder: its rating is a bound, not a measure")
        if found.unevenness > UNEVEN:
            note(f"{short_name(found.player)} does better against some rungs than against others, more than "
                 "chance allows: one number says little of it")  # fmt: skip


def _calibrate(
    names: list[str], double_games: int | None, target: Path | None, threads: int | None,
    workers: Workers | None, as_json: bool,
) -> None:  # fmt: skip
    """Plays a ladder and writes it after every pair: interrupted, the same command goes on."""
    from outflank.games.ratings.ladder import DOUBLE_GAMES, RUNGS, Ladder, calibrate
    from outflank.players.names import named_player

    if target is None:
        raise ValueError("--calibrate needs --out: the file of the ladder to write")
    if target.suffix != ".json":
        raise ValueError(f"a ladder is a .json file, got {target}")
    rungs = tuple(names) or RUNGS
    check_engines(named_player(name) for name in rungs)
    begun = Ladder.load(target) if target.exists() else None
    with ended_like_interrupted(), meter("ladder", 0, "games") as progress:
        for step in calibrate(rungs, double_games or DOUBLE_GAMES, begun=begun, threads=threads,
                              workers=workers):  # fmt: skip
            step.ladder.save(target)
            progress.reach(step.done, step.total, f"{step.pair[0]} - {step.pair[1]}")
    ladder = Ladder.load(target)
    if as_json:
        rows = [
            {"rung": one.name, "rating": round(one.rating, 1), "ci95": [round(edge, 1) for edge in one.ci95]}
            for one in ladder.rungs
        ]
        print_json({"ladder": str(target), "rungs": rows})
        return
    table = new_table(("rung", "rating"), left=("rung",))
    for rung in reversed(ladder.rungs):
        table.add_row(rung.name, f"[bold]{rung.rating:.0f}[/bold] ± {(rung.ci95[1] - rung.ci95[0]) / 2:.0f}")
    out.print(table)
    say(f"The ladder: {target}; rate players on it: outflank rate PLAYER --ladder {target}")
