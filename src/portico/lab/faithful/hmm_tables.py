"""The papers' tables on headers, their figures beside ours, and their figure 9."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from portico.lab.plots import Chart, draw_svg

# Figures in percent. Cora portal 2000, tables 2 to 6: 500 headers to learn from, 407 to test on.
WEIGHTS = {
    "address": 0.861, "affiliation": 0.858, "author": 0.446, "date": 0.909, "email": 0.657,
    "keyword": 0.470, "note": 0.808, "title": 0.329, "web": 0.629,
}  # fmt: skip
ERRORS = {
    "full": (37.3, 42.7, 35.6), "self": (14.4, 17.1, 10.7), "ml": (9.9, 10.8, 7.9),
    "smooth": (10.4, 11.5, 8.2), "m-merged": (9.0, 9.7, 7.3), "v-merged": (9.7, 10.5, 7.6),
}  # fmt: skip
SIZES = {
    "full": (17, 255), "self": (17, 252), "ml": (17, 149), "smooth": (17, 255), "m-merged": (36, 164),
    "v-merged": (155, 402),
}  # fmt: skip
BY_LABEL = {  # ML, M-merged and V-merged, each with L and L*D
    "abstract": (0, 0, 1.7, 1.4, 0.3, 0.3), "address": (4.3, 4.6, 4.9, 5.0, 4.3, 4.5),
    "affiliation": (12.7, 8.9, 12.1, 9.4, 12.2, 8.9), "author": (4.7, 2.4, 5.2, 2.9, 4.8, 2.4),
    "date": (2.6, 3.4, 3.4, 3.0, 2.6, 3.8), "degree": (24.2, 29.2, 19.7, 26.8, 22.9, 27.5),
    "email": (11.0, 11.2, 12.9, 13.5, 11.0, 11.0), "keyword": (8.4, 2.0, 2.9, 1.2, 5.9, 1.1),
    "note": (15.7, 15.4, 12.3, 11.3, 15.5, 14.3), "phone": (6.3, 6.9, 10.6, 13.1, 6.9, 8.1),
    "pubnum": (35.1, 35.1, 38.9, 39.7, 35.1, 35.1), "title": (6.4, 1.6, 6.6, 2.1, 7.0, 1.8),
    "web": (19.4, 16.7, 58.3, 58.3, 36.1, 33.3),
}  # fmt: skip
BAUM_WELCH = {
    "ml initial": (7.9, 475), "ml uniform": (10.0, 374), "ml varied": (10.6, 369),
    "m-merged initial": (7.3, 486), "m-merged uniform": (10.9, 363), "m-merged varied": (11.9, 357),
}  # fmt: skip
# Domain-specific search engines 1999, table 1: the same models, labelled words only, on all 435 headers.
ERRORS_OF_435 = {"ml": 10.2, "m-merged": 8.9, "v-merged": 9.8}

_CASES = ("L", "L+D", "L*D")
_MISSING = "–"


def format_hmm_tables(figures: Mapping[str, Any]) -> Iterator[str]:
    """Lines of text: each table of the papers, our figure first, theirs in brackets."""
    yield from _weights(figures["weight"])
    yield from _errors(figures)
    yield from _by_label(figures["error by label"])
    yield ""
    for name, found in figures["mcnemar"].items():
        yield (
            f"McNemar, {name}: {found['only ml right']} words right by the first alone, "
            f"{found['only the other right']} by the second alone, p = {found['p']:.2g}"
        )
    yield from _baum_welch(figures["baum-welch"])


def write_merging(figures: Mapping[str, Any], folder: Path) -> Path:
    """Draws figure 9: the error while states are merged by hand."""
    steps = figures["merging"]["steps"]
    best = "L*D" if "ml L*D" in figures["error"] else "L"
    chart = Chart(
        title="Word error while states are merged by hand",
        x_name="states",
        y_name="words wrong, %",
        lines={"merged by hand, 100 headers": [(n_states, 100 * error) for n_states, error in steps]},
        levels={
            "one state a label, all headers": 100 * figures["error"][f"ml {best}"],
            "one state a label, same headers": 100 * figures["merging"]["ml, same headers"],
        },
        log_x=True,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "merging.svg"
    path.write_text(draw_svg(chart), encoding="utf-8")
    return path


def _weights(weights: Mapping[str, float]) -> Iterator[str]:
    if weights:
        yield "Table 2: weight of labelled words in L*D, ours (theirs)"
        yield from (f"  {label:<14}{weight:.3f} ({WEIGHTS[label]:.3f})" for label, weight in weights.items())


def _errors(figures: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "Tables 3 and 4: states, transitions, word error % with L, L+D, L*D, ours (theirs, 407 headers)"
    for name, size in figures["size"].items():
        theirs = SIZES.get(name, (_MISSING, _MISSING))
        cells = [f"{size['states']} ({theirs[0]})", f"{size['transitions']} ({theirs[1]})"]
        for case, paper in zip(_CASES, ERRORS.get(name, (None, None, None)), strict=True):
            cells.append(_beside(figures["error"].get(f"{name} {case}"), paper))
        on_435 = f"  L on 435: theirs {ERRORS_OF_435[name]}" if name in ERRORS_OF_435 else ""
        yield f"  {name:<24}" + "".join(f"{cell:<15}" for cell in cells) + on_435


def _by_label(errors: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield ""
    yield "Table 5: word error % by label, ours (theirs)"
    yield f"  {'':<14}" + "".join(f"{name:<16}" for name in errors)
    columns = [f"{name} {case}" for name in ("ml", "m-merged", "v-merged") for case in ("L", "L*D")]
    for label, theirs in BY_LABEL.items():
        papers = dict(zip(columns, theirs, strict=True))
        cells = [_beside(found.get(label), papers.get(name)) for name, found in errors.items()]
        yield f"  {label:<14}" + "".join(f"{cell:<16}" for cell in cells)


def _baum_welch(figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    if figures:
        yield ""
        yield "Table 6: word error % and perplexity after Baum-Welch, ours (theirs)"
    for name, found in figures.items():
        error, perplexity = BAUM_WELCH[name]
        note = f"  without {found['impossible']} headers it cannot emit" if found["impossible"] else ""
        beside = _beside(found["error"], error)
        yield f"  {name:<24}{beside:<15}{found['perplexity']:.0f} ({perplexity}){note}"


def _beside(ours: float | None, theirs: float | None) -> str:
    left = _MISSING if ours is None else f"{100 * ours:.1f}"
    return left if theirs is None else f"{left} ({theirs})"
