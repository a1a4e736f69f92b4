"""Draws line plots as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import log10

_WIDTH, _HEIGHT, _LEFT, _TOP, _LEGEND = 560, 360, 60, 20, 240
# Okabe and Ito's colors, which people who see colors differently can tell apart.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# When all colors are taken, the next lines have them again and are dotted.
_LINES, _LEVEL = ("", "2 3", "8 3 2 3"), "6 4"


@dataclass(frozen=True, slots=True)
class Chart:
    """Points by name, drawn as lines; levels by name, drawn dashed across; x by its logarithm if `log_x`."""

    title: str
    x_name: str
    y_name: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, float] = field(default_factory=dict)
    log_x: bool = False


def draw_svg(chart: Chart) -> str:
    """The chart as one SVG document."""
    xs = [_scaled(x, chart) for points in chart.lines.values() for x, _ in points]
    ys = [y for points in chart.lines.values() for _, y in points] + list(chart.levels.values())
    x_low, x_span = min(xs), (max(xs) - min(xs)) or 1.0
    y_low, y_span = min(ys), (max(ys) - min(ys)) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + _WIDTH * (x - x_low) / x_span, _TOP + _HEIGHT * (1 - (y - y_low) / y_span)

    marks = []
    for step in range(6):
        x, y = x_low + x_span * step / 5, y_low + y_span * step / 5
        left, low = place(x, y)
        shown = 10**x if chart.log_x else x
        marks += [
            f'<line x1="{_LEFT}" y1="{low:.1f}" x2="{_LEFT + _WIDTH}" y2="{low:.1f}" stroke="#ddd"/>',
            f'<text x="{_LEFT - 6}" y="{low + 4:.1f}" text-anchor="end">{y:.3g}</text>',
            f'<text x="{left:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{shown:.3g}</text>',
        ]
    for idx, (name, points) in enumerate(chart.lines.items()):
        line = [place(_scaled(x, chart), y) for x, y in points]
        marks += _drawn(idx, name, line, dashes=_LINES[idx // len(_COLORS) % len(_LINES)])
    for idx, (name, level) in enumerate(chart.levels.items(), len(chart.lines)):
        marks += _drawn(idx, name, [place(x_low, level), place(x_low + x_span, level)], dashes=_LEVEL)
    return "\n".join([*_frame(chart), *marks, "</svg>\n"])


def _scaled(x: float, chart: Chart) -> float:
    return log10(x) if chart.log_x else x


def _frame(chart: Chart) -> list[str]:
    width, height = _LEFT + _WIDTH + _LEGEND, _TOP + _HEIGHT + 60
    middle, up = _LEFT + _WIDTH / 2, _TOP + _HEIGHT / 2
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-size="12">',
        f"<title>{escape(chart.title)}</title><style>text {{ font-family: sans-serif }}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{middle:g}" y="{_TOP + _HEIGHT + 42}" text-anchor="middle">{escape(chart.x_name)}</text>',
        f'<g transform="rotate(-90 14 {up:g})"><text x="14" y="{up:g}" text-anchor="middle">',
        f"{escape(chart.y_name)}</text></g>",
    ]


def _drawn(idx: int, name: str, line: Sequence[tuple[float, float]], *, dashes: str) -> list[str]:
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    style = f'stroke="{_COLORS[idx % len(_COLORS)]}" stroke-width="1.8"{dash}'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
    x, y = _LEFT + _WIDTH + 12, _TOP + 10 + 18 * idx
    return [
        f'<polyline points="{points}" fill="none" {style}/>',
        f'<line x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}" {style}/>',
        f'<text x="{x + 30}" y="{y + 4}">{escape(name)}</text>',
    ]
