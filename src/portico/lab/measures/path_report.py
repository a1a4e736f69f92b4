"""Tables and curves of learned paths: labels, harvest and recall for each model."""

from collections.abc import Iterator, Mapping
from pathlib import Path as File
from statistics import fmean
from typing import Any

from portico.lab.datasets.path_webs import GOALS
from portico.lab.measures.paths import COMPANY_TASKS, Sheets
from portico.lab.plots import Chart, draw_svg
from portico.lab.site_walks import trace_curve

_COLUMNS = ("label_f1", "goal_f1", "harvest", "recall")


def format_path_table(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """One line per model, followed by F1 by label and harvest by site."""
    names = (*_COLUMNS, *COMPANY_TASKS)
    yield f"{'model':<22}" + "".join(f"{name:>12}" for name in names)
    for model, row in figures.items():
        ratios = [row.get(task, {}).get("against_breadth_first") for task in COMPANY_TASKS]
        cells = [*(row.get(name) for name in _COLUMNS), *ratios]
        yield f"{model:<22}" + "".join(f"{_number(cell):>12}" for cell in cells)
    yield ""
    yield "F1 by label, mean over goals and departments:"
    for model, row in figures.items():
        if "by_label" in row:
            yield f"  {model:<22}" + "  ".join(f"{label} {f1:.2f}" for label, f1 in row["by_label"].items())
    for goal in GOALS:
        yield f"Goals a request when half of them are found, {goal}:"
        for model, row in figures.items():
            if goal in row:
                sites = row[goal]["sites"].items()
                yield f"  {model:<22}" + "  ".join(f"{site} {harvest:.3f}" for site, harvest in sites)


def write_path_plots(sheets: Sheets, folder: File) -> Iterator[File]:
    """Draw the share of goals found after each percent of the links, with one chart per task."""
    folder.mkdir(parents=True, exist_ok=True)
    tasks = dict.fromkeys(task for sheet in sheets.values() for task in sheet.walks)
    for task in tasks:
        lines = {
            name: _mean_curve([trace_curve(site, order) for site, order in sheet.walks[task]])
            for name, sheet in sheets.items()
            if task in sheet.walks
        }
        chart = Chart(
            f"Paths: {task}",
            "share of the site's links that were followed",
            f"share of goals found ({task})",
            lines,
        )
        file = folder / f"paths-{task}.svg"
        file.write_text(draw_svg(chart), encoding="utf-8")
        yield file


def _mean_curve(curves: list[tuple[float, ...]]) -> list[tuple[float, float]]:
    return [(percent / 100, fmean(column)) for percent, column in enumerate(zip(*curves, strict=True))]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
