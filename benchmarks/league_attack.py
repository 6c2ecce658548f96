"""A league under attack: `python -m benchmarks.league_attack`, from the checkout, on Linux.

One `outflank serve` with its worker and 500 players; readers who ask for the table page, the table's API and
/healthz at a fixed rate; ten visitors who hand in the worst players that the formats allow, play them and
compare them; and now and then a normal player, whose provisional score is waited for. All of it by the public
API, with the server's own limits: everybody has an address of 127.0.0.0/8 to themselves.

A request is measured from when it should have been sent, so that a stall counts for all that it holds up.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.attackers import Attack, attack
from benchmarks.league_load import fill
from benchmarks.readers import Readers
from benchmarks.watched_server import WatchedServer

PROMISED_P99 = 0.150  # seconds
PROMISED_BYTES = 1 << 30  # of the server
PROMISED_SCORE = 30.0  # seconds until a normal player's provisional score
PRIORITY = -5  # of the readers, over the rest: in reality they run on other machines


def report(server: WatchedServer, readers: Readers, attacked: dict[str, Any]) -> dict[str, Any]:
    """All measurements, and whether the promises hold."""
    read = readers.report()
    scores = [normal["provisional"] for normal in attacked["normal"]]
    statuses = {status for counts in attacked["statuses"].values() for status in counts}
    statuses |= {status for kind in read["kinds"].values() for status in kind["statuses"]}
    watched = server.report()
    promises = {
        "99 % of every kind within 150 ms": all(k["p99"] <= PROMISED_P99 for k in read["kinds"].values()),
        "no 500": not any(status.startswith("5") and status != "503" for status in statuses),
        "every reader answered": all(set(kind["statuses"]) == {"200"} for kind in read["kinds"].values()),
        "the server never ended": not watched["ended"],
        "the server under 1 GB": watched["largest_bytes"]["server"] < PROMISED_BYTES,
        "normal players scored within 30 s": all(s is not None and s <= PROMISED_SCORE for s in scores),
    }
    return {"readers": read, **attacked, "server": watched, "promises": promises}


def table(found: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        "| asked for | answers | half within | 99 % within | longest | statuses |",
        "|---|---|---|---|---|---|",
    ]
    for kind, seen in found["readers"]["kinds"].items():
        times = " | ".join(f"{1000 * seen[what]:.0f} ms" for what in ("p50", "p99", "longest"))
        lines.append(f"| {kind} | {seen['answers']:,} | {times} | {_counted(seen['statuses'])} |")
    lines += ["", "| the visitors' | statuses |", "|---|---|"]
    lines += [f"| {what} | {_counted(counts)} |" for what, counts in found["statuses"].items()]
    lines += ["", "| a normal player | handed in | provisional score |", "|---|---|---|"]
    for normal in found["normal"]:
        waits = (normal["handed_in"], normal["provisional"])
        shown = " | ".join("never" if wait is None else f"{wait:.1f} s" for wait in waits)
        lines.append(f"| {normal['name']} | {shown} |")
    lines += ["", "| the worst players | copies | what became of them |", "|---|---|---|"]
    for kind, seen in found["worst"].items():
        lines.append(f"| {kind} | {seen['copies']} | {_counted(seen['outcomes'])} |")
    server = found["server"]
    sizes = ", ".join(f"{what} {size / 2**20:,.0f} MB" for what, size in server["largest_bytes"].items())
    lines += ["", f"Largest in memory: {sizes}."]
    ended = ", ".join(f"code {one['code']} after {one['after_seconds']} s" for one in server["ended"])
    ends = f"{len(server['ended'])} times{f' ({ended})' if ended else ''}"
    lines.append(f"The server ended {ends}, its worker {server['worker_ended']} times.")
    lines.append(f"Tracebacks in the log: {server['tracebacks']}.")
    lag = found["readers"]["client_lag_p99"]
    lines.append(
        f"Cores: {found['cores']}, load {found['load']}; the readers' own delay: {1000 * lag:.0f} ms (p99)."
    )
    lines += [f"{'kept' if kept else 'BROKEN'}: {promise}" for promise, kept in found["promises"].items()]
    return "\n".join(lines)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{what}: {count:,}" for what, count in sorted(counts.items())) or "none"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--players", type=int, default=500, help="of the league, with their scores")
    parser.add_argument("--rate", type=float, default=300, help="requests per second of readers")
    parser.add_argument("--visitors", type=int, default=10)
    parser.add_argument("--worst", type=int, default=50, help="players of the visitors")
    parser.add_argument("--normal-every", type=float, default=60, help="seconds between normal players")
    parser.add_argument("--small", action="store_true", help="harmless players, to try this out")
    bound = "GB that the server and each of its children may map, for the machine's sake"
    parser.add_argument("--address-space", type=float, default=6, help=bound)
    parser.add_argument("--json", type=Path, help="a file for the report as JSON")
    parser.add_argument("--log", type=Path, help="a file for the server's log")
    return parser.parse_args()


def main() -> None:
    given = options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = f"sqlite:///{folder / 'league.db'}"
        fill(folder, database, given.players, waiting=0)
        loads = [os.getloadavg()[0]]
        with WatchedServer(folder, database, int(given.address_space * 2**30)) as server:
            spawning = multiprocessing.get_context("spawn")
            receiver, sender = spawning.Pipe(duplex=False)
            plan = Attack(
                server.port, given.seconds, given.visitors, given.worst, given.normal_every, given.small
            )
            attackers = spawning.Process(target=attack, args=(plan, sender))
            attackers.start()
            assert receiver.recv() == "ready"
            with suppress(PermissionError):
                os.nice(PRIORITY)
            readers = Readers(server.port, given.rate)
            readers.run(given.seconds)
            attacked = receiver.recv()
            attackers.join()
            loads.append(os.getloadavg()[0])
            if given.log:
                given.log.write_text(server.log.read_text())
        found = report(server, readers, attacked)
    found |= {"seconds": given.seconds, "cores": os.cpu_count(), "load": [round(load, 1) for load in loads]}
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    print(table(found))
    raise SystemExit(not all(found["promises"].values()))


if __name__ == "__main__":
    main()
