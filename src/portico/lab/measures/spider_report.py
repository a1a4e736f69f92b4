"""Tables of spiders: our figures next to the papers', and which of their findings hold here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from portico.lab.plots import Chart, draw_svg
from portico.lab.site_walks import LEVEL_NAMES

DEFAULT, BREADTH_FIRST, OPTIMAL = "default", "breadth-first", "optimal"

TIE = 0.01
"""Shares of links that differ by less are equal: another sample of training links changes them as much."""

# The papers' figures, for comparison; they are for other sites. For the papers task from the text of
# "Automating the construction of internet portals" (section 3), for the officers task from Table 1 of "Using
# reinforcement learning to spider the web efficiently".
PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "papers": {
        BREADTH_FIRST: {"0.75": 0.48},
        "immediate, full-page": {"0.75": 0.16},
        "future 3, full-page": {"0.75": 0.16},
    },
    "officers": {
        OPTIMAL: {"0.75": 0.03},
        "future 4, related": {"0.75": 0.13},
        "future 3, related": {"0.75": 0.22},
        "future 5, related": {"0.75": 0.27},
        "immediate, related": {"0.75": 0.27},
        BREADTH_FIRST: {"0.75": 0.38},
    },
}

# Figures of the classifiers in "Using reinforcement learning to spider the web efficiently" (section 4),
# averages over departments; for full pages, unless the paper says otherwise.
PUBLISHED_BINS: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "papers": {
        "immediate, full-page": {"accuracy": 0.85, "as_two": 0.85, "recall_targets": 0.95},
        "immediate, related": {"recall_targets": 0.71},
        "future 3, full-page": {"accuracy": 0.77, "as_two": 0.92, "recall_targets": 0.88},
        "future 4, full-page": {"accuracy": 0.59, "as_two": 0.95},
    }
}

Means = Mapping[str, Mapping[str, float]]
"""Mean shares of links, by policy and level."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding of the papers: one policy needs at most `factor` times the links of another."""

    text: str
    policy: str
    rival: str
    levels: tuple[str, ...]
    factor: float = 1.0
    or_equal: bool = False


_EARLY, _LATE = ("0.05", "0.25"), ("0.5", "0.75", "0.9")
_ONE = ("0.75",)  # with a single target, all levels are the same

_NOW, _FUTURE, _FUTURE_RELATED = "immediate, full-page", "future 3, full-page", "future 3, related"
_NOW_RELATED, _FOUR = "immediate, related", "future 4, related"

CLAIMS: Mapping[str, tuple[Claim, ...]] = {
    "papers": (
        Claim("immediate ahead of breadth-first throughout", _NOW, BREADTH_FIRST, LEVEL_NAMES),
        Claim("future ahead of breadth-first throughout", _FUTURE, BREADTH_FIRST, LEVEL_NAMES),
        Claim("future needs a third of breadth-first's links", _FUTURE, BREADTH_FIRST, _ONE, 1 / 3),
        Claim("future ahead of immediate early", _FUTURE, _NOW, _EARLY),
        Claim("immediate ahead of future later, or equal", _NOW, _FUTURE, _LATE, or_equal=True),
        Claim("related words ahead of the full page early", _FUTURE_RELATED, _FUTURE, _EARLY),
        Claim("the full page ahead of related words later", _FUTURE, _FUTURE_RELATED, _LATE),
    ),
    "officers": (
        Claim("immediate ahead of breadth-first", _NOW_RELATED, BREADTH_FIRST, _ONE),
        Claim("future with 4 bins ahead of breadth-first", _FOUR, BREADTH_FIRST, _ONE),
        Claim("future with 4 bins needs half of immediate's links", _FOUR, _NOW_RELATED, _ONE, 0.5),
        Claim("4 bins ahead of 3", _FOUR, _FUTURE_RELATED, _ONE),
        Claim("4 bins ahead of 5", _FOUR, "future 5, related", _ONE),
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a finding of the papers holds on these sites, with the figures compared."""

    text: str
    reproduced: bool
    policy: str
    rival: str
    shares: Mapping[str, tuple[float, float]]  # by level: the policy's and its rival's


def check_claims(means: Means, task: str) -> list[Finding]:
    """All findings of the papers on a task, as far as both policies were measured."""
    return [
        _checked(claim, means)
        for claim in CLAIMS.get(task, ())
        if claim.policy in means and claim.rival in means
    ]


def measure_gaps(sites: Mapping[str, Means]) -> dict[str, dict[str, float]]:
    """For each site, how many more requests our spider needs than the optimal one, the worst sites first."""
    rows = {
        name: {
            level: round((policies[DEFAULT][level] - policies[OPTIMAL][level]) * policies[DEFAULT]["links"])
            for level in LEVEL_NAMES
        }
        | {"share at 0.75": policies[DEFAULT]["0.75"] - policies[OPTIMAL]["0.75"]}
        for name, policies in sites.items()
    }
    return dict(sorted(rows.items(), key=lambda row: -row[1]["share at 0.75"]))


def to_figures(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings in a form for JSON."""
    return [asdict(one) for one in found]


def format_spider_table(figures: Mapping[str, Any]) -> Iterator[str]:
    """All figures of a study as lines, one table after another."""
    for part in (_shares, _relative, _departments, _bins, _spread, _gap, _findings, _words):
        yield from part(figures)


def write_spider_plots(curves: Mapping[str, Sequence[float]], folder: Path) -> list[Path]:
    """Draw the share of targets against the share of links: all of the crawl (the papers' figure 5) and its
    beginning (6).

    Curves are given by policy, after 0, 1, …, 100 % of the links.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {folder / "harvest.svg": 100, folder / "harvest-beginning.svg": 20}
    for path, n_percent in drawn.items():
        chart = Chart(
            title="Targets found against links followed, mean over sites",
            x_name="links followed, %",
            y_name="targets found, %",
            lines={
                name: [(percent, 100 * share) for percent, share in enumerate(curve[: n_percent + 1])]
                for name, curve in curves.items()
            },
        )
        path.write_text(draw_svg(chart), encoding="utf-8")
    return list(drawn)


def _shares(figures: Mapping[str, Any]) -> Iterator[str]:
    yield _row("links followed at", (f"{float(level):.0%}" for level in LEVEL_NAMES)) + "   (the papers')"
    for name, row in figures["mean"].items():
        printed = figures["published"].get(name, {}).get("0.75")
        yield _numbers(name, row) + (f"   75 %: {printed:.2f}" if printed else "")


def _relative(figures: Mapping[str, Any]) -> Iterator[str]:
    means: Means = figures["mean"]
    first = means[BREADTH_FIRST]
    yield "of breadth-first's links"
    for name, row in means.items():
        yield _row(name, (f"{row[level] / first[level]:.2f}" for level in LEVEL_NAMES))


def _departments(figures: Mapping[str, Any]) -> Iterator[str]:
    means: Means = figures.get("departments", {})
    if means:
        yield "departments alone: links followed, and of breadth-first's"
    for name, row in means.items():
        shares = _row(name, (f"{row[level]:.3f}" for level in LEVEL_NAMES))
        yield (
            shares
            + "   "
            + _cells(f"{row[level] / means[BREADTH_FIRST][level]:.2f}" for level in LEVEL_NAMES)
        )


def _bins(figures: Mapping[str, Any]) -> Iterator[str]:
    """Scores of the classifiers of links, with the papers' figures in parentheses."""
    rows: Mapping[str, Mapping[str, float]] = figures.get("bins", {})
    if rows:
        yield "classifiers: accuracy over all bins, over two, recall of links to targets, of other links"
    for name, row in rows.items():
        printed = PUBLISHED_BINS.get(figures.get("task", ""), {}).get(name, {})
        cells = (
            f"{value:.3f}" + (f" ({printed[key]:.2f})" if key in printed else " " * 7)
            for key, value in row.items()
        )
        yield f"{name:<30}" + "".join(f"{cell:>14}" for cell in cells).rstrip()


def _spread(figures: Mapping[str, Any]) -> Iterator[str]:
    for kind, rows in figures.get("spread", {}).items():
        for name, row in rows.items():
            yield _numbers(f"{kind}: {name}", row)


def _gap(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "requests of default beyond optimal, by site, and the share of links at 75 %"
    for name, row in figures["gap"].items():
        wasted = _row(name, (f"{row[level]:.0f}" for level in LEVEL_NAMES))
        yield f"{wasted}{row['share at 0.75']:9.3f}"


def _findings(figures: Mapping[str, Any]) -> Iterator[str]:
    for one in figures["findings"]:
        verdict = "reproduced" if one["reproduced"] else "NOT reproduced"
        shares = ", ".join(
            f"{float(level):.0%}: {ours:.3f} against {other:.3f}"
            for level, (ours, other) in one["shares"].items()
        )
        yield f"{verdict}: {one['text']} ({one['policy']} / {one['rival']}; {shares})"


def _words(figures: Mapping[str, Any]) -> Iterator[str]:
    if figures["words"]:
        yield "most telling words (weighted log odds)"
    for bin_name, words in figures["words"].items():
        yield f"  {bin_name}: {', '.join(words)}"


def _numbers(name: str, row: Mapping[str, float]) -> str:
    return _row(name, (f"{row[level]:.3f}" for level in LEVEL_NAMES))


def _row(name: str, cells: Iterator[str]) -> str:
    return f"{name:<30}" + _cells(cells)


def _cells(cells: Iterator[str]) -> str:
    return "".join(f"{cell:>7}" for cell in cells)


def _checked(claim: Claim, means: Means) -> Finding:
    shares = {level: (means[claim.policy][level], means[claim.rival][level]) for level in claim.levels}
    allowed: Callable[[float, float], bool] = (
        (lambda ours, other: ours <= claim.factor * other + TIE)
        if claim.or_equal
        else (lambda ours, other: ours < claim.factor * other)
    )
    holds = all(allowed(*pair) for pair in shares.values())
    return Finding(claim.text, holds, claim.policy, claim.rival, shares)
