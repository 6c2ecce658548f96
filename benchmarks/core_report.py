"""The tables of benchmarks/README.md and docs/strength.md from the results of `outflank bench --peers`,
of other benchmarks and of matches.

outflank bench --peers --json > benchmarks/core.json
python -m benchmarks.before_and_after PYTHON --json benchmarks/before_and_after.json
python -m benchmarks.wheel_cores WHEEL --json benchmarks/wheel_cores.json
python -m benchmarks.core_report                # writes the tables anew
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

README = Path(__file__).parent / "README.md"
STRENGTH = README.parent.parent / "docs" / "strength.md"


def tables(result: dict[str, Any]) -> str:
    """Markdown: what was timed, then the ratios."""
    lines = [
        f"{result['machine']}; the core built for {result['built_for']}:",
        "",
        "| what | threads | per second |",
        "|---|---|---|",
    ]
    for timing in result["timings"]:
        rate = timing["per_second"]
        lines.append(
            f"| {timing['name']} | {timing['threads']} | {rate:,.{_digits(rate)}f} {timing['unit']} |"
        )
    lines += ["", "| ratio | this run | at least | |", "|---|---|---|---|"]
    for target in result["targets"]:
        verdict = "met" if target["is_met"] else "missed"
        lines.append(f"| {target['name']} | {target['ratio']:.2f} | {target['at_least']:g} | {verdict} |")
    return "\n".join(lines) + "\n"


def before_and_after(result: dict[str, Any]) -> str:
    """Markdown: both builds' speeds and their ratio."""
    lines = [
        f"{result['machine']}; best of {result['rounds']} rounds in turns, by CPU time:",
        "",
        "| what | before | now | ratio | at least | |",
        "|---|---|---|---|---|---|",
    ]
    for row in result["kernels"]:
        before, now = (f"{row[when]:,.{_digits(row[when])}f}" for when in ("before", "now"))
        verdict = "met" if row["is_met"] else "missed"
        lines.append(
            f"| {row['name']} | {before} {row['unit']} | {now} {row['unit']} | {row['ratio']:.2f} "
            f"| {row['at_least']:.3g} | {verdict} |"
        )
    return "\n".join(lines) + "\n"


def wheel_cores(result: dict[str, Any]) -> str:
    """Markdown: seconds to install a wheel, and each of its cores beside a build from source."""
    source, *cores = result["timings"]
    lines = [
        f"{result['machine']}; installed with its dependencies in {result['install_seconds']:.0f} s "
        f"({result['install_cpu_seconds']:.0f} s of CPU time) at load {result['load']:.0f}; "
        "all-2 against the heuristic on one thread, by CPU time:",
        "",
        "| core | games/s | over the source build | at least | |",
        "|---|---|---|---|---|",
        f"| {source['name']} | {source['per_second']:,.0f} | 1 | | |",
    ]
    for core, target in zip(cores, result["targets"], strict=True):
        verdict = "met" if target["is_met"] else "missed"
        lines.append(
            f"| {core['name']} | {core['per_second']:,.0f} | {target['ratio']:.2f} "
            f"| {target['at_least']:g} | {verdict} |"
        )
    return "\n".join(lines) + "\n"


def equal_time(result: dict[str, Any]) -> str:
    """Markdown: matches against an engine's levels by the time that both take."""
    lines = [
        f"| `all-rounder` at | seconds | {result['engine']} | seconds, median | score "
        "| wins, draws, losses |",
        "|---|---|---|---|---|---|",
    ]
    for row in result["matches"]:
        low, high = row["ci95"]
        lines.append(
            f"| time {row['time']:g} | {row['seconds']:.3f} | level {row['level']} "
            f"| {row['engine_seconds']:.3f}, {row['engine_median']:.3f} "
            f"| {row['score']:.3f} ({low:.3f} to {high:.3f}) "
            f"| {row['wins']}, {row['draws']}, {row['losses']} |"
        )
    return "\n".join(lines) + "\n"


def static_error(result: dict[str, Any]) -> str:
    """Markdown: static values beside exact scores, by empty squares."""
    lines = [
        "| empty squares | exact scores | positions | error | slope | correlation |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['empties']} | {row['scores']} | {row['positions']:,} | {row['mean_error']:.2f} "
        f"| {row['slope']:.3f} | {row['correlation']:.3f} |"
        for row in result["rows"]
    ]
    return "\n".join(lines) + "\n"


def _digits(rate: float) -> int:
    return 0 if rate >= 10 else 2


REPORTS = {
    "core.json": tables,
    "before_and_after.json": before_and_after,
    "wheel_cores.json": wheel_cores,
    "equal_time.json": equal_time,
    "static_error.json": static_error,
}
MARKED = re.compile(r"(<!-- (\w+\.json) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def written(page: str) -> str:
    """With the tables of each result file between its marks."""

    def filled(found: re.Match[str]) -> str:
        result = json.loads((README.parent / found[2]).read_bytes())
        return found[1] + REPORTS[found[2]](result) + found[3]

    return MARKED.sub(filled, page)


if __name__ == "__main__":
    for page in (README, STRENGTH):
        page.write_text(written(page.read_text()))
