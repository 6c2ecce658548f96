"""Every command: its topic, its module, and the summary that `outflank --help` shows without importing it."""

from __future__ import annotations

from outflank.interfaces.cli.commands import LazyCommand


def _command(module: str, summary: str) -> LazyCommand:
    return LazyCommand(f"outflank.interfaces.cli.{module}", summary)


# A test compares each summary with the first paragraph of its command's help.
TOPICS: dict[str, dict[str, LazyCommand]] = {
    "Learn": {
        "learn": _command(
            "learning.learn", "Learn a player: by temporal differences, by evolution, or from a teacher."
        ),
        "resume": _command(
            "learning.learn",
            "Resume a run or a tournament that was interrupted or killed; it ends as if it never had been.",
        ),
        "plot": _command(
            "learning.plot",
            "Draw learning curves with their confidence bands, or games against benchmark opponents.",
        ),
        "reproduce": _command(
            "learning.reproduce",
            "Reproduce tables and figures of the papers, and compare their numbers with ours.",
        ),
    },
    "Measure": {
        "score": _command(
            "measuring.score",
            "Measure the Othello League score of players, with its 95 % interval.",
        ),
        "match": _command("measuring.score", "Play a match between two players; the score is A's."),
        "tournament": _command(
            "measuring.tournament",
            "Play every player against every other: a table, ratings, cycles, and a heat map.",
        ),
        "rate": _command(
            "measuring.rate",
            "Rate players on a ladder from random moves to deep search: about as strong as which rung?",
        ),
        "league-table": _command(
            "league.league_table",
            "The Othello League as published in 2014, with our players in it; or a league server's table.",
        ),
        "accuracy": _command(
            "measuring.accuracy",
            "Compare a player's values with exact scores, and its moves with those of experts.",
        ),
        "bench": _command(
            "measuring.bench",
            "Time the core's kernels; with --peers, beside other libraries in the same run.",
        ),
    },
    "Play and study": {
        "play": _command(
            "playing.play",
            "Play against a player in the terminal. Every move is saved; type help for the commands.",
        ),
        "page": _command(
            "playing.page",
            "Write a folder in which players can be played and analysed in any browser, without a server.",
        ),
        "analyze": _command(
            "playing.analyze",
            "Analyze a game move by move: scores, better moves, mistakes, turning points.",
        ),
        "solve": _command("playing.solve", "Solve endgame positions: exact score, best move and best play."),
        "games": _command(
            "measuring.games",
            "Read, convert and count games: WTHOR, GGF, SGF, PGN, transcripts, JSON lines; make openings.",
        ),
        "book": _command(
            "playing.book",
            "Build opening books, extend them, import games into them, look at them.",
        ),
        "engine": _command(
            "playing.engine",
            "Run a player as an engine on standard input and output, for programs that speak GTP or NBoard.",
        ),
    },
    "Players": {
        "players": _command("players", "List the players that come with outflank."),
        "show": _command("players", "Show a player's architecture and weights, and draw a picture of them."),
        "convert": _command(
            "players",
            "Convert a player between the League's text format and outflank's own.",
        ),
        "tune": _command("playing.solve", "Fit Multi-ProbCut, and values in discs, to a player's evaluator."),
        "perft": _command(
            "players",
            "Count the move sequences of a number of plies: tests the rules, and their speed.",
        ),
    },
    "League": {
        "serve": _command(
            "league.serve",
            "Serve a league on the web: its table, its players, and a board to play them. The "
            "environment variable OUTFLANK_ADMIN_TOKEN sets the admin token, which removes players and "
            "starts competitions.",
        ),
        "worker": _command(
            "league.worker",
            "Score a league's players and play its competitions, until told to stop.",
        ),
        "backup": _command(
            "league.backup",
            "Copy a league's SQLite database, at one moment, while its server and workers run.",
        ),
        "register": _command(
            "league.submit",
            "Register as an entrant of a league. Your API key is shown once: store it.",
        ),
        "submit": _command("league.submit", "Submit a player to a league, which scores and ranks it."),
    },
}
