"""Draw harvest curves as SVG: the share of targets found against the share of links followed."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

Curves = Mapping[str, Sequence[float]]
"""By policy: the share of targets after 0, 1, …, 100 % of the links."""

_WIDTH, _HEIGHT, _LEFT, _TOP, _LEGEND = 560, 400, 60, 20, 190
# Okabe and Ito's colors, which people who see colors differently can tell apart; lines differ in dashes too.
_COLORS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")


def write_plots(curves: Curves, folder: Path) -> list[Path]:
    """The whole crawl (the papers' figure 5) and its beginning (figure 6)."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {"harvest.svg": 100, "harvest-beginning.svg": 20}
    for name, n_percent in drawn.items():
        (folder / name).write_text(plot(curves, n_percent=n_percent), encoding="utf-8")
    return [folder / name for name in drawn]


def plot(curves: Curves, *, n_percent: int) -> str:
    """The curves up to so many percent of the links, as one SVG document."""
    lines = [_line(idx, name, curve[: n_percent + 1]) for idx, (name, curve) in enumerate(curves.items())]
    width, height = _LEFT + _WIDTH + _LEGEND, _TOP + _HEIGHT + 60
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>Targets found against links followed, mean over sites</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
    )
    return "\n".join([head, *_axes(n_percent), *lines, "</svg>\n"])


def _axes(n_percent: int) -> list[str]:
    marks = []
    foot = _TOP + _HEIGHT + 18
    for tick in range(0, 11, 2):
        x, y = _LEFT + _WIDTH * tick / 10, _TOP + _HEIGHT * (1 - tick / 10)
        marks += [
            f'<line x1="{_LEFT}" y1="{y:g}" x2="{_LEFT + _WIDTH}" y2="{y:g}" stroke="#ddd"/>',
            f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{tick * 10} %</text>',
            f'<text x="{x:g}" y="{foot}" text-anchor="middle">{tick * n_percent / 10:g} %</text>',
        ]
    middle, low = _LEFT + _WIDTH / 2, _TOP + _HEIGHT + 40
    marks.append(f'<text x="{middle:g}" y="{low}" text-anchor="middle">links followed</text>')
    up = _TOP + _HEIGHT / 2
    marks.append(
        f'<text x="14" y="{up:g}" text-anchor="middle" transform="rotate(-90 14 {up:g})">targets found</text>'
    )
    return marks


def _line(idx: int, name: str, curve: Sequence[float]) -> str:
    style = f'stroke="{_COLORS[idx % len(_COLORS)]}" stroke-dasharray="{_DASHES[idx // len(_COLORS) % 4]}"'
    step = _WIDTH / max(1, len(curve) - 1)
    points = " ".join(
        f"{_LEFT + step * at:.1f},{_TOP + _HEIGHT * (1 - share):.1f}" for at, share in enumerate(curve)
    )
    x, y = _LEFT + _WIDTH + 12, _TOP + 10 + 18 * idx
    return (
        f'<polyline points="{points}" fill="none" stroke-width="1.8" {style}/>'
        f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" stroke-width="1.8" {style}/>'
        f'<text x="{x + 30}" y="{y + 4}">{escape(name)}</text>'
    )
