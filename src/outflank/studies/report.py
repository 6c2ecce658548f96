"""Reports: a paper's numbers and ours side by side, as Markdown and HTML.

The report of a paper covers all its finished experiments, whenever they were run.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from outflank.files import write_whole
from outflank.studies.experiment import PAPERS, Experiment, Row, Scale
from outflank.studies.laboratory import Laboratory, Provenance
from outflank.studies.verdicts import (
    Claim,
    Finding,
    Measured,
    NotMeasured,
    Outcome,
    ResultTable,
    Verdict,
    check_complete,
    verdict,
)

RESULT = "result.json"


@dataclass(frozen=True)
class Result:
    """A finished experiment: what was found, and how it was made."""

    experiment: Experiment
    scale: Scale
    outcome: Outcome
    folder: Path
    made: Provenance

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict(row, self.outcome.findings[row.key]) for row in self.experiment.rows]


def reproduce(lab: Laboratory) -> Result:
    """Measure the experiment; cached parts are not measured again."""
    experiment = lab.experiment
    outcome = experiment.load_procedure()(lab)
    check_complete(experiment, outcome)
    made = lab.provenance(lab.seconds)
    record = {"experiment": experiment.name, "scale": lab.scale, "settings": lab.settings}
    record |= {**made.model_dump(), **asdict(outcome)}
    lab.folder.mkdir(parents=True, exist_ok=True)
    write_whole(lab.folder / RESULT, json.dumps(record, indent=1).encode())
    return Result(experiment, lab.scale, outcome, lab.folder, made)


def cached_result(experiment: Experiment, scale: Scale, out: Path) -> Result | None:
    """The earlier result with the present settings, if there is one."""
    folder = out / scale / experiment.name
    try:
        record = json.loads((folder / RESULT).read_bytes())
        if record["settings"] != json.loads(json.dumps(experiment.settings(scale))):
            return None
        outcome = Outcome.from_json(record)
        check_complete(experiment, outcome)
        made = Provenance.model_validate(record)
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # or damaged, or of other rows
        return None
    return Result(experiment, scale, outcome, folder, made)


SIGNS: dict[Verdict, str] = {
    "reproduced": "✓ reproduced", "better": "▲ better", "differs": "≠ differs",
    "not measured": "not measured",
}  # fmt: skip
RULE = """\
**The rule.** A number of the paper has an interval: the printed one; Wilson's 95 % interval if it is a share
of a number of games; the error of rounding or reading. Ours has its 95 % interval. *Reproduced*: the two
overlap (exact numbers: they are equal), or a claim holds by the test named beside it. *Better*: ours lies
entirely on the better side. *Differs*: anything else, with the reason or what was tried. *Not measured*: a
published file was not found.
"""
QUICK = """\
**This is the quick scale**: it checks that every part works. Its budgets are far too small to reproduce
anything, so its verdicts say nothing about the paper.
"""
STYLE = """
:root { color-scheme: light dark; --line: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
img { max-width: 100%; background: #fff; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .95em; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
code { background: #8882; padding: 0 .2em; overflow-wrap: anywhere; }
td:nth-child(4):last-child { white-space: nowrap; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.35rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
"""


def write_reports(results: Sequence[Result], folder: Path) -> list[Path]:
    """`<paper>.md`, `<paper>.html` and a README of all papers, beside the folders with their figures and
    results. Returns the HTML pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for paper, chosen in _by_paper(results).items():
        for one in chosen:
            for name in (RESULT, *(figure.file for figure in one.outcome.figures)):
                _copy(one.folder / name, folder / one.experiment.name / name)
        text = paper_report(paper, chosen)
        write_whole(folder / f"{paper}.md", text.encode())
        write_whole(folder / f"{paper}.html", html_page(text).encode())
        pages.append(folder / f"{paper}.html")
    write_whole(folder / "README.md", overview(results).encode())
    return pages


def paper_report(paper: str, results: Sequence[Result]) -> str:
    """One paper, in Markdown."""
    first = results[0]
    seconds = sum(result.made.seconds for result in results)
    machines = sorted({result.made.machine for result in results})
    versions = sorted({result.made.version for result in results})
    lines = [
        f"# {PAPERS.get(paper, paper)}\n",
        f"Scale {first.scale}, outflank {', '.join(versions)}, {'; '.join(machines)}. "
        f"{_duration(seconds)} of work, finished {max(result.made.finished for result in results)[:10]}. "
        f"Reproduce it: `outflank reproduce {paper} --scale {first.scale}`.\n",
        f"{len([v for r in results for v in r.verdicts])} rows: {counted_verdicts(results)}.\n",
        *([QUICK] if first.scale == "quick" else []),
        RULE,
    ]
    return "\n".join([*lines, *map(_section, results)])


def overview(results: Sequence[Result]) -> str:
    """All papers and experiments with their verdicts, in one table."""
    lines = ["# The papers, reproduced\n"]
    if results and results[0].scale == "quick":
        lines.append(QUICK)
    lines += ["| experiment | | verdicts | work |", "|---|---|---|---|"]
    for paper, chosen in _by_paper(results).items():
        seconds = sum(result.made.seconds for result in chosen)
        lines.append(
            f"| [**{_cell(PAPERS.get(paper, paper))}**]({paper}.md) | | **{counted_verdicts(chosen)}** | "
            f"**{_duration(seconds)}** |"
        )
        for one in chosen:
            name, title = one.experiment.name, one.experiment.title
            lines.append(
                f"| [{name}]({paper}.md#{_anchor(title)}) | {_cell(title)} | {counted_verdicts([one])} | "
                f"{_duration(one.made.seconds)} |"
            )
    return "\n".join([*lines, "", RULE])


def html_page(markdown: str) -> str:
    """The same text as a page; figures are files beside it."""
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    title = html.escape(markdown.partition("\n")[0].lstrip("# "))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _section(result: Result) -> str:
    experiment, outcome = result.experiment, result.outcome
    lines = [f"## {experiment.title}\n", f"*{experiment.source}.* {_plain(experiment.about)}\n"]
    lines += ["| | paper | outflank, 95 % interval | verdict |", "|---|---|---|---|"]
    lines += [_row(row, outcome.findings[row.key]) for row in experiment.rows]
    lines.append("")
    if result.scale != "quick":
        lines += [
            f"- **{row.name}** {'' if row.name.endswith('.') else '- '}{_plain(row.differs)}"
            for row, found in zip(experiment.rows, result.verdicts, strict=True)
            if found == "differs"
        ]
        lines.append("")
    for figure in outcome.figures:
        lines += [f"![{figure.caption}]({experiment.name}/{figure.file})\n", f"*{figure.caption}*\n"]
    lines += [_table(table) for table in outcome.tables]
    lines += [f"{remark}\n" for remark in [_plain(experiment.remark), *outcome.remarks] if remark]
    return "\n".join([*lines, _footer(result)])


def _row(row: Row, finding: Finding) -> str:
    cells = (_cell(row.name), _paper(row), _cell(_ours(row, finding)), SIGNS[verdict(row, finding)])
    return f"| {' | '.join(cells)} |"


def _paper(row: Row) -> str:
    """
    >>> _paper(Row(key="s", what="score", paper=0.9584, ci95=(0.9572, 0.9596), decimals=4))
    '0.9584 (0.9572 to 0.9596)'
    """
    if row.paper is None:
        return "stated"
    number = _number(row.paper, row.decimals)
    if row.games is not None:
        return f"{number} ({row.games:,} games)"
    if row.ci95 is not None:
        return f"{number} ({_number(row.ci95[0], row.decimals)} to {_number(row.ci95[1], row.decimals)})"
    return number if row.exact else f"{number} ± {row.error:g}"


def _ours(row: Row, finding: Finding) -> str:
    match finding:
        case NotMeasured(why):
            return why
        case Claim(holds, evidence):
            return f"{'holds' if holds else 'does not hold'}: {evidence}"
        case Measured(value, (low, high), of):
            number = _number(value, row.decimals)
            interval = (
                f" ({_number(low, row.decimals)} to {_number(high, row.decimals)})" if low < high else ""
            )
            return f"**{number}**{interval}{f', {of}' if of else ''}"


def _number(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"


def _table(table: ResultTable) -> str:
    lines = [
        f"**{table.title}**\n",
        f"| {' | '.join(map(_cell, table.header))} |",
        "|---" * len(table.header) + "|",
    ]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in table.rows]
    return "\n".join([*lines, ""])


def _footer(result: Result) -> str:
    settings = json.dumps(result.experiment.settings(result.scale))
    seeds = len(result.made.seeds)
    return (
        f"`outflank reproduce {result.experiment.name} --scale {result.scale}`: "
        f"{_duration(result.made.seconds)}, {seeds} seed{'s' if seeds > 1 else ''}. "
        f"Settings: `{settings}`\n"
    )


def _by_paper(results: Sequence[Result]) -> dict[str, list[Result]]:
    grouped: dict[str, list[Result]] = {}
    for result in results:
        grouped.setdefault(result.experiment.paper, []).append(result)
    return grouped


def counted_verdicts(results: Sequence[Result]) -> str:
    """
    >>> counted_verdicts([])
    'nothing'
    """
    counted = Counter(found for result in results for found in result.verdicts)
    words = {kind: "differ" if kind == "differs" and counted[kind] > 1 else kind for kind in SIGNS}
    return ", ".join(f"{counted[kind]} {words[kind]}" for kind in SIGNS if counted[kind]) or "nothing"


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.resolve() != target.resolve():
        write_whole(target, source.read_bytes())


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    return " ".join(text.split())


def _anchor(title: str) -> str:
    """As GitHub derives it from a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def _duration(seconds: float) -> str:
    """
    >>> _duration(4.2), _duration(150), _duration(7300)
    ('4.2 s', '2 min 30 s', '2 h 1 min')
    """
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"
