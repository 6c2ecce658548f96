"""Reports: a paper's numbers and ours side by side, as Markdown and HTML.

The report of a paper covers all its finished experiments, whenever they were run.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path

from markdown_it import MarkdownIt

from outflank.files import write_whole
from outflank.studies.claims import found_again
from outflank.studies.drawings import ENDING, redraw
from outflank.studies.experiment import PAPERS, Experiment, Row, RowKind, find_experiments
from outflank.studies.results import RESULT, Result, is_current, result_json, results_in, runs_text
from outflank.studies.verdicts import (
    Claim,
    Finding,
    Measured,
    NotMeasured,
    ResultTable,
    Verdict,
    judge,
    verdict,
)


@dataclass(frozen=True)
class Rendered:
    """What was written again: pages, and figures by `<experiment>/<file>`; and figures without data."""

    pages: list[Path]
    figures: list[str]
    left: list[str]


def render_reports(
    folder: Path, chosen: Sequence[Experiment] = (), show: Callable[[str], None] = lambda _: None
) -> Rendered:
    """Draw the figures in a folder again, of the chosen experiments or of all, and write all reports, by the
    present rule of verdicts, from what is stored there alone."""
    results = results_in(folder, chosen)
    wanted = {one.name for one in chosen} or {result.experiment.name for result in results}
    if missing := wanted - {result.experiment.name for result in results}:
        raise ValueError(f"{folder} has no result of {', '.join(sorted(missing))}")
    drawn: list[str] = []
    left: list[str] = []
    for result in results:
        write_whole(result.folder / RESULT, result_json(result))
        for figure in result.outcome.figures if result.experiment.name in wanted else ():
            name = f"{result.experiment.name}/{figure.file}"
            show(name)
            (drawn if redraw(result.folder, figure.file, own_module(result.experiment)) else left).append(
                name
            )
    return Rendered(write_reports(results, folder), drawn, left)


def own_module(experiment: Experiment) -> str:
    """The module of an experiment of one's own, which may draw its figures; of others none."""
    return experiment.load_procedure().__module__ if experiment.is_own else ""


def differences(folder: Path) -> list[str]:
    """Every verdict of a folder of reports, worked out again from its result files: what is not as stored or
    as printed. Empty: nothing."""
    results = results_in(folder)
    found = []
    for result in results:
        stored = json.loads((result.folder / RESULT).read_bytes()).get("verdicts", {})
        for row, again in zip(result.experiment.rows, result.verdicts, strict=True):
            if stored.get(row.key) != again:
                found.append(f"{result.experiment.name}, {row.key}: {stored.get(row.key)}, now {again}")
        found += [f"{result.experiment.name}, {key}: {what}" for key, what in _altered(result)]
        if not is_current(result):
            found.append(f"{result.experiment.name}: made with other settings of scale {result.scale}")
    texts = {f"{paper}.md": paper_report(paper, chosen) for paper, chosen in _by_paper(results).items()}
    for name, text in (texts | {"README.md": overview(results)}).items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text:
            found.append(f"{name} is not what the result files say")
    return found


def _altered(result: Result) -> Iterator[tuple[str, str]]:
    """Findings that do not follow from their own samples, by key: claims whose test, called again with the
    stored arguments, finds something else; means that are not those of the runs."""
    for key, finding in result.outcome.findings.items():
        if isinstance(finding, Claim) and finding.test is not None:
            try:
                again = found_again(finding)
            except ValueError as error:
                yield key, f"its test cannot be called again: {error}"
                continue
            if again != finding:
                yield key, f"the file says {finding.evidence!r}, its samples give {again.evidence!r}"
        elif isinstance(finding, Measured) and finding.samples:
            runs, deviation, _ = Measured.spread(finding.samples)
            mean = sum(finding.samples) / runs
            pairs = ((runs, finding.runs), (mean, finding.value), (deviation, finding.deviation))
            if not all(isclose(a, b, rel_tol=1e-4, abs_tol=5e-5) for a, b in pairs):  # they may be rounded
                yield key, f"the file says {finding.value:g}, the mean of its runs is {mean:g}"


def untested_claims(folder: Path) -> int:
    """Claims without samples: what is counted or defined, and those of older reports."""
    return sum(
        isinstance(finding, Claim) and finding.test is None
        for result in results_in(folder)
        for finding in result.outcome.findings.values()
    )


SIGNS: dict[Verdict, str] = {
    "reproduced": "✓ reproduced", "better": "▲ better", "differs": "≠ differs",
    "inconclusive": "? inconclusive",
    "no verdict": "no verdict", "not measured": "not measured",
}  # fmt: skip
OWN_SIGNS: dict[Verdict, str] = {
    "reproduced": "✓ holds", "differs": "≠ does not hold", "inconclusive": "? cannot be told",
}  # fmt: skip
HEADINGS: dict[RowKind, tuple[str, str]] = {
    "measured": ("paper", "measured here, 95 % interval"),
    "definition": ("paper", "counted here"),
    "own": ("claims of our own", "measured here, 95 % interval"),
}
RULE = """\
**The rule.** A number is compared by the two-sample test that fits it: Welch and Mann-Whitney against the
paper's own runs where it prints them; Student's test of one run against ours where it made one, its games
counted in; Fisher's or the score test of two shares of games; the z-test of two measured scores.
*Reproduced*: no test tells the two apart, and the 95 % interval of their difference lies within the margin,
so that the data could have refused; a number that the paper rounds holds our whole interval; a claim holds
by the test named beside it. *Better*, *differs*: the tests tell them apart, all that are named; a claim is
refuted. *Inconclusive*: the data cannot tell, or the tests contradict each other. *No verdict*: shown, but
not comparable: a generation or game that was selected for what it shows, the speed of a machine, an
opponent that is lost. *Not measured*: a published file was not found. Rows that only count what the paper
defines, and claims of our own, are summed apart.
"""
HEADLINES = {
    "lucas-2007": """\
**The learning curve is a documented non-reproduction.** What the paper defines can be rebuilt, but its pace
(Figure 9, Table 1) is reached by no reading of its text; other methods reach it. Evidence: the ablations.
""",
    "chong-2003": """\
**The rise of the points is not reproduced.** Co-evolution as printed stays far below the paper's late points;
the paper shows one run and leaves settings open, which are varied in an experiment of their own.
""",
}
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
td:nth-child(4):last-child, td:nth-child(3) > em { white-space: nowrap; }
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
            names = [RESULT, *(figure.file for figure in one.outcome.figures)]
            names += [path.name for ending in (".svg", ENDING) for path in one.folder.glob(f"*{ending}")]
            for name in names:
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
    scales = list(dict.fromkeys(result.scale for result in results))
    command = f"`outflank reproduce {paper} --scale {first.scale}`"
    lines = [
        f"# {PAPERS.get(paper, paper)}\n",
        f"Scale {' and '.join(scales)}, outflank {', '.join(versions)}, {'; '.join(machines)}. "
        f"{_duration(seconds)} of work, finished {max(result.made.finished for result in results)[:10]}. "
        f"Reproduce it: {command if len(scales) == 1 else 'the command under each experiment'}.\n",
        f"{_sums(results)}\n",
        *([QUICK] if first.scale == "quick" else [HEADLINES[paper]] if paper in HEADLINES else []),
        RULE,
    ]
    there = {_anchor(result.experiment.title) for result in results}
    return _without_dead_links("\n".join([*lines, *map(_section, results)]), paper, there)


def _without_dead_links(text: str, paper: str, there: Collection[str]) -> str:
    """Links to experiments of the paper that have no result yet become plain text.

    >>> _without_dead_links("See [a/b](a.md#b) and [a/c](a.md#c).", "a", {"b"})
    'See [a/b](a.md#b) and a/c (not run yet).'
    """
    return re.sub(
        rf"\[([^\]]+)\]\({re.escape(paper)}\.md#([^)]+)\)",
        lambda link: link[0] if link[2] in there else f"{link[1]} (not run yet)",
        text,
    )


def overview(results: Sequence[Result]) -> str:
    """All papers and experiments with their verdicts, in one table."""
    lines = ["# The papers, reproduced\n"]
    if results and results[0].scale == "quick":
        lines.append(QUICK)
    lines.append(f"{_sums(results)}\n")
    lines += ["| experiment | | share of the paper's budget | measured | definitions | our own | work |",
              "|---|---|---|---|---|---|---|"]  # fmt: skip
    for paper, chosen in _by_paper(results).items():
        seconds = sum(result.made.seconds for result in chosen)
        lines.append(
            f"| [**{_cell(PAPERS.get(paper, paper))}**]({paper}.md) | | | **{counted_verdicts(chosen)}** | "
            f"{counted_verdicts(chosen, 'definition')} | {counted_verdicts(chosen, 'own')} | "
            f"**{_duration(seconds)}** |"
        )
        for one in chosen:
            name, title = one.experiment.name, one.experiment.title
            lines.append(
                f"| [{name}]({paper}.md#{_anchor(title)}) | {_cell(title)} | {one.budget} | "
                f"{counted_verdicts([one])} | {counted_verdicts([one], 'definition')} | "
                f"{counted_verdicts([one], 'own')} | {_duration(one.made.seconds)} |"
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
    lines.append(f"Share of the paper's budget: {result.budget}.\n")
    for kind, headings in HEADINGS.items():
        if rows := result.rows(kind):
            lines += [f"| | {' | '.join(headings)} | verdict |", "|---|---|---|---|"]
            lines += [*(_row(row, outcome.findings[row.key]) for row in rows), ""]
    lines += [*_reasons(result), ""]
    for figure in outcome.figures:
        lines += [f"![{figure.caption}]({experiment.name}/{figure.file})\n", f"*{figure.caption}*\n"]
    lines += [_table(table) for table in outcome.tables]
    remark = _plain(experiment.remark.at(result.scale))
    lines += [f"{one}\n" for one in [remark + _links(experiment.see), *outcome.remarks] if one]
    return "\n".join([*lines, _footer(result)])


def _reasons(result: Result) -> list[str]:
    """Why rows differ, if a reason belongs to the scale of the result."""
    return [
        f"- **{row.name}** {'' if row.name.endswith('.') else '- '}{_plain(reason)}{_links(row.see)}"
        for row, found in zip(result.experiment.rows, result.verdicts, strict=True)
        if found == "differs" and (reason := row.differs.at(result.scale))
    ]


def _links(names: Sequence[str]) -> str:
    """The experiments that measured what a text says was tried."""
    found = [f"[{one.name}]({one.paper}.md#{_anchor(one.title)})" for one in find_experiments(names)]
    return f" Evidence: {', '.join(found)}." if found else ""


def _row(row: Row, finding: Finding) -> str:
    judged = judge(row, finding)
    ours = f"{_ours(row, finding)}{f'; *{judged.test}*' if judged.test else ''}"
    sign = OWN_SIGNS.get(judged.verdict) if row.own else None
    return f"| {' | '.join((_cell(row.name), _paper(row), _cell(ours), sign or SIGNS[judged.verdict]))} |"


def _paper(row: Row) -> str:
    """
    >>> _paper(Row(key="s", what="score", paper=0.9584, ci95=(0.9572, 0.9596), decimals=4))
    '0.9584 (0.9572 to 0.9596)'
    """
    if row.paper is None:
        return "ours" if row.own else "stated"
    number = _number(row.paper, row.decimals)
    if row.games is not None:
        return f"{number} ({row.games:,} games)"
    if row.ci95 is not None:
        return f"{number} ({_number(row.ci95[0], row.decimals)} to {_number(row.ci95[1], row.decimals)})"
    if row.runs:
        return f"{number} ({runs_text(len(row.runs))})"
    return number if row.exact else f"{number} ± {row.error:g}"


def _ours(row: Row, finding: Finding) -> str:
    match finding:
        case NotMeasured(why):
            return why
        case Claim(holds, evidence):
            return f"{ {True: 'holds', False: 'does not hold', None: 'cannot be told'}[holds] }: {evidence}"
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
    settings = json.dumps(result.settings)
    seeds = len(result.made.seeds)
    least = result.made.done[0]
    share = f" --share {least:.2g}" if least < 1 else ""
    return (
        f"`outflank reproduce {result.experiment.name} --scale {result.scale}{share}`: "
        f"{_duration(result.made.seconds)}, {seeds} seed{'s' if seeds > 1 else ''}. "
        f"Settings: `{settings}`\n"
    )


def _by_paper(results: Sequence[Result]) -> dict[str, list[Result]]:
    grouped: dict[str, list[Result]] = {}
    for result in results:
        grouped.setdefault(result.experiment.paper, []).append(result)
    return grouped


def _sums(results: Sequence[Result]) -> str:
    lines = [
        f"Measured: {counted_verdicts(results)}.",
        f"Definitions, which no game could have refused: {counted_verdicts(results, 'definition')}.",
    ]
    if any(result.rows("own") for result in results):
        lines.append(f"Claims of our own: {counted_verdicts(results, 'own')}.")
    return "\n".join(lines)


def counted_verdicts(results: Sequence[Result], kind: RowKind = "measured") -> str:
    """Of the rows of one kind.

    >>> counted_verdicts([])
    'none'
    """
    counted = Counter(
        verdict(row, result.outcome.findings[row.key]) for result in results for row in result.rows(kind)
    )
    words = {of: _word(of, counted[of], kind) for of in SIGNS}
    return ", ".join(f"{counted[of]} {words[of]}" for of in SIGNS if counted[of]) or "none"


def _word(of: Verdict, count: int, kind: RowKind) -> str:
    """
    >>> _word("differs", 2, "measured"), _word("differs", 1, "own"), _word("reproduced", 2, "own")
    ('differ', 'does not hold', 'hold')
    """
    several = count > 1
    if kind == "own" and of in ("reproduced", "differs"):
        return {"reproduced": "hold", "differs": "do not hold"}[of] if several else (
            {"reproduced": "holds", "differs": "does not hold"}[of]
        )  # fmt: skip
    return "differ" if of == "differs" and several else of


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
