"""`outflank analyze`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import Json, complete_players
from outflank.interfaces.cli.progress import meter, note, note_all, out, print_json, say, tell

if TYPE_CHECKING:
    from outflank.games.game import GameRecord
    from outflank.players.search import SearchPlayer
    from outflank.studies.game_analysis import GameAnalysis, JudgedGameMove, SideSummary

DEFAULT_PLAYER = "all-rounder,depth=8"  # three or four seconds for a whole game
MOST_CURVES = 50  # of games over each other in one picture


def add_to(app: typer.Typer) -> None:
    app.command()(analyze)


def analyze(
    source: Annotated[
        str, typer.Argument(metavar="TRANSCRIPT_OR_FILE", help="Moves such as f5d6c3, or a file of games.")
    ],
    game: Annotated[int | None, typer.Option(help="Which game of the file.", min=1)] = None,
    player: Annotated[
        str,
        typer.Option(
            help="Who estimates: NAME_OR_FILE[,key=value...], with depth, nodes or time.",
            autocompletion=complete_players,
        ),
    ] = DEFAULT_PLAYER,
    solve: Annotated[
        int, typer.Option(help="With this many empty squares or fewer, scores are exact.", min=0, max=60)
    ] = 20,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw scores and disc differences; for several games, disc differences alone."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Analyze a game move by move: scores, better moves, mistakes, turning points."""
    if plot is not None:
        _check_picture(plot)
    records = _records(source, game)
    if len(records) > 1:
        _overlay(source, records, plot, as_json)
        return
    (record,) = records
    if not record.game.moves:
        raise ValueError(f"{source} has no moves to analyse")
    analysis, judge = _judged(record, player, solve)
    if plot is not None and analysis.moves:
        _draw(plot, record, analysis, judge)
    if as_json:
        print_json(_report(record, analysis, judge, solve))
    else:
        _print_head(record)
        _print_moves(analysis)
        _print_sides(analysis, judge)
        _print_turns(analysis)
        _print_end(source, game, player, plot if analysis.moves else None)
    if not analysis.is_complete:
        raise KeyboardInterrupt


def _check_picture(path: Path) -> None:
    """Refuses a picture that cannot be written before the work, not after it."""
    from outflank.plots.style import FORMATS

    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"cannot draw to {path}: its name must end with one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise ValueError(f"cannot draw to {path}: there is no folder {path.parent}")


def _records(source: str, game: int | None) -> list[GameRecord]:
    """The game that is named, or all games of a file."""
    from outflank.games.formats.any_format import read_game_file
    from outflank.games.positions import is_file
    from outflank.interfaces.cli.measuring.games import record_named

    if game is None and is_file(source):
        file = read_game_file(source, skip_bad=True)
        if len(file.records) > 1:
            if file.problems:
                note(f"{len(file.problems):,} games of {source} cannot be read and are skipped")
            return file.records
    return [record_named(source, game)]


def _judged(record: GameRecord, player: str, solve: int) -> tuple[GameAnalysis, SearchPlayer]:
    """The game analyzed move by move; interrupted, as far as it got."""
    from outflank.players.solver import Solver
    from outflank.studies.game_analysis import GameAnalysis, analyst, judge_game

    threads = os.cpu_count() or 1
    judge = analyst(player, threads)
    note_all(judge)
    moves = []
    with meter("analyzing", len(record.game.moves), "moves") as progress:
        try:
            for move in judge_game(record.game, judge, Solver(threads), solve):
                moves.append(move)
                progress.advance(1, f"{move.number}. {move.square}")
        except KeyboardInterrupt:
            note(f"interrupted after {len(moves)} of {len(record.game.moves)} moves")
    return GameAnalysis(record.game, tuple(moves)), judge


def _print_head(record: GameRecord) -> None:
    final = record.game.final
    names = f"{record.black or 'black'} (X) - {record.white or 'white'} (O)"
    where = ", ".join(part for part in (record.event, record.date) if part)
    out.print(names, style="bold", markup=False)
    if where:
        tell(where)
    state = "" if final.is_over else ", unfinished"
    discs = f"black {final.black.bit_count()}, white {final.white.bit_count()}"
    out.print(f"{len(record.game.moves)} moves, {discs}{state}")


def _print_moves(analysis: GameAnalysis) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    for name in ("", "", "move", "score", "loss", "", "better"):
        table.add_column(name, justify="right" if name in ("score", "loss") else "left", no_wrap=True)
    for move in analysis.moves:
        if move.is_after_pass:
            table.add_row("", "O" if move.mover == "black" else "X", "pass", style="dim")
        loss = _number(move, move.loss).removeprefix("+")
        better = f"{move.best} {_number(move, move.best_score_for_black)}"
        if float(loss) == 0:
            loss = better = ""
        table.add_row(
            f"{move.number:2}", "X" if move.mover == "black" else "O", str(move.square),
            _number(move, move.score_for_black), loss, move.mark, better,
            style={"??": "bold red", "?": "yellow"}.get(move.mark, ""),
        )  # fmt: skip
    out.print(table)


def _number(move: JudgedGameMove, score: float) -> str:
    """Exact scores are whole numbers, estimates have decimals."""
    return f"{score:+z.0f}" if move.exact else f"{score:+z.1f}" if move.is_in_discs else f"{score:+z.3f}"


def _print_sides(analysis: GameAnalysis, judge: SearchPlayer) -> None:
    from outflank.studies.game_analysis import BLUNDER, MISTAKE, SIDES

    tell(
        f"Scores are Black's in discs at the end. {_describe_sources(analysis, judge)} "
        f"? loses {MISTAKE:.0f} discs or more, ?? {BLUNDER:.0f} or more."
    )
    for colour in SIDES:
        out.print(f"{colour.capitalize()} {_describe_side(analysis.summary(colour))}")


def _describe_sources(analysis: GameAnalysis, judge: SearchPlayer) -> str:
    """Which scores are exact, and who estimated the others."""
    exact = [move.number for move in analysis.moves if move.exact]
    in_unit = "" if all(move.is_in_discs for move in analysis.moves) else ", in its own unit"
    if len(exact) == len(analysis.moves):
        return "All are exact."
    if not exact:
        return f"All are estimates by {judge.name}{in_unit}."
    return f"Whole numbers (from move {exact[0]}) are exact, others estimates by {judge.name}{in_unit}."


def _describe_side(side: SideSummary) -> str:
    if side.average_loss is None:
        return "made no move with a value in discs"
    plural = "s" if side.moves > 1 else ""
    exact = f"; {side.exact_loss:.0f} in {side.exact_moves} solved ones" if side.exact_moves else ""
    return (
        f"lost {side.loss:.1f} discs in {side.moves} move{plural}, {side.average_loss:.2f} each{exact}: "
        f"{side.mistakes} ?, {side.blunders} ??"
    )


def _print_turns(analysis: GameAnalysis) -> None:
    for move in analysis.turning_points:
        assert move.turn is not None
        before, after = move.turn
        source = "exact" if move.exact else "by estimate"
        scores = (
            f"{_number(move, move.best_score_for_black)} to {_number(move, move.score_for_black)} for Black"
        )
        out.print(
            f"Turning point: {_label(move)} ({move.mover}) made a {before} game {after}: {scores}, {source}"
        )


def _label(move: JudgedGameMove) -> str:
    return f"{move.number}. {move.square}"


def _draw(path: Path, record: GameRecord, analysis: GameAnalysis, judge: SearchPlayer) -> None:
    from outflank.games.game import Game
    from outflank.plots.games import MarkedMove, ScoreCurve, draw_game
    from outflank.plots.style import save_figure, shortened

    marked = [MarkedMove(m.number, f"{_label(m)} {m.mark}", m.mover) for m in analysis.moves if m.mark]
    curve = ScoreCurve(analysis.scores_for_black, analysis.exact, marked)
    final = record.game.final
    black, white = (shortened(name, 30) for name in (record.black or "black", record.white or "white"))
    title = (
        f"{black} {final.black.bit_count()} - {final.white.bit_count()} {white}\n"
        f"estimates by {shortened(judge.name, 40)}"
    )
    played = Game(record.game.moves[: len(analysis.moves)], record.game.start)
    save_figure(draw_game(played, curve, title), path)


def _print_end(source: str, game: int | None, player: str, plot: Path | None) -> None:
    if plot is not None:
        say(f"Picture: {plot}")
        return
    which = [] if game is None else ["--game", str(game)]
    which += [] if player == DEFAULT_PLAYER else ["--player", player]
    source = source if Path(source).exists() else " ".join(source.split())  # of several lines, if pasted
    out.print("Draw it:")
    say(f"outflank analyze {shlex.join([source, *which, '--plot', 'game.png'])}")


def _report(record: GameRecord, analysis: GameAnalysis, judge: SearchPlayer, solve: int) -> dict[str, Any]:
    return {
        "black": record.black,
        "white": record.white,
        "player": judge.name,
        "solved_from_empties": solve,
    } | analysis.report()


def _overlay(source: str, records: list[GameRecord], plot: Path | None, as_json: bool) -> None:
    """Several games: their disc differences in one picture."""
    if plot is None:
        raise ValueError(
            f"{source} holds {len(records):,} games; choose one with --game, "
            "or draw the disc differences of all with --plot FILE.png"
        )
    from outflank.plots.games import draw_disc_differences
    from outflank.plots.style import save_figure

    games = [record.game for record in records if record.game.moves][:MOST_CURVES]
    if not games:
        raise ValueError(f"{source} has no moves to draw")
    if len(games) < len(records):
        note(f"the first {len(games)} of {len(records):,} games are drawn")
    save_figure(draw_disc_differences(games, f"{Path(source).name}: {len(games)} games"), plot)
    finals = [game.final.disc_difference for game in games]
    report = {
        "file": source,
        "games": len(games),
        "black_ahead": sum(final > 0 for final in finals),
        "equal": finals.count(0),
        "white_ahead": sum(final < 0 for final in finals),
        "mean_disc_difference": sum(finals) / len(finals),
        "plot": str(plot),
    }
    if as_json:
        print_json(report | {"disc_differences": [list(game.disc_differences) for game in games]})
        return
    out.print(
        f"{len(games)} games: Black ahead at the end of {report['black_ahead']}, White of "
        f"{report['white_ahead']}, equal {report['equal']}; mean {report['mean_disc_difference']:+.1f} discs"
    )
    say(f"Picture: {plot}")
    say(f"One of them: outflank analyze {shlex.quote(source)} --game 1")
