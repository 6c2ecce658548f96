"""The tables of benchmarks/README.md from the result of `outflank bench --peers --json`.

outflank bench --peers --json > benchmarks/core.json
python -m benchmarks.core_report                # writes the tables anew
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

README = Path(__file__).parent / "README.md"
RESULT = Path(__file__).parent / "core.json"
TABLES = re.compile(r"(<!-- core.json -->\n).*?(<!-- end -->\n)", re.DOTALL)


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


def _digits(rate: float) -> int:
    return 0 if rate >= 10 else 2


def written(readme: str, result: dict[str, Any]) -> str:
    return TABLES.sub(lambda found: found[1] + tables(result) + found[2], readme)


if __name__ == "__main__":
    README.write_text(written(README.read_text(), json.loads(RESULT.read_bytes())))
