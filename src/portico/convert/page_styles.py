"""Computes how the text of an HTML element looks, and whether it is visible, from its markup."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

TEXT_SIZE = 12.0
"""Size of ordinary text in points, unless the page specifies another."""

# Sizes in points that browsers use for headings and <font size=…>, with ordinary text at 12.
_SIZES = {
    "h1": 24.0, "h2": 18.0, "h3": 14.0, "h4": 12.0, "h5": 10.0, "h6": 8.0, "title": 24.0, "small": 10.0,
    "big": 14.0, "sub": 9.0, "sup": 9.0,
}  # fmt: skip
_FONT_SIZES = (8.0, 10.0, 12.0, 14.0, 18.0, 24.0, 36.0)
_ORDINARY_FONT = 3
_BOLD = frozenset({"b", "strong", "th", "h1", "h2", "h3", "h4", "h5", "h6", "title"})
_ITALIC = frozenset({"i", "em", "cite", "address", "var"})

# Elements that become part of a typeface's name, because their content is special.
_TELLING = frozenset(
    {"a", "li", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "title", "address", "pre", "p"}
)
_TOLD = 3  # innermost elements that are used

NAVIGATION, FOOT = "nav", "foot"
"""Parts that all pages of a site have in common."""

_PARTS = {"nav": NAVIGATION, "header": "head", "footer": FOOT, "aside": "aside"}
_PART_WORDS = re.compile(
    r"(?:^|[\s_-])(?:(?P<nav>nav|navbar|navigation|menu|breadcrumbs?|sidebar)|(?P<foot>footer|foot))(?:$|[\s_-])"
)

_UNSEEN_ELEMENTS = frozenset(
    {
        "script", "style", "template", "head", "svg", "object", "embed", "iframe", "canvas", "audio", "video",
        "select", "datalist", "textarea", "button", "input", "map", "-comment", "!doctype",
    }
)  # fmt: skip
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$)"
    r"|(?:left|top|text-indent|margin-left)\s*:\s*-\d{3,}(?:\.\d+)?(?:px|em|pt)"
)
_UNSEEN_CLASS = re.compile(r"(?:^|\s)(?:sr-only|visually-hidden|screen-reader-text|screen-reader)(?:$|\s)")

_STYLE_SIZE = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt|r?em|%)")
_STYLE_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)")
_STYLE_ITALIC = re.compile(r"font-style\s*:\s*(?:italic|oblique)")
_LARGEST, _SMALLEST = 72.0, 4.0  # points; sizes beyond them are tricks or mistakes


class PageError(Exception):
    """Why a page cannot be read: the second half of a sentence that begins with its name."""


@dataclass(frozen=True, slots=True)
class Style:
    """The style of some text, and the elements around it."""

    size: float = TEXT_SIZE
    bold: bool = False
    italic: bool = False
    raised: bool = False
    elements: tuple[str, ...] = ()  # the elements above, the innermost first
    part: str = ""  # of the page: navigation, foot, …
    kept_lines: bool = False  # whether line ends are kept, as in <pre>

    @property
    def name(self) -> str:
        """Replaces a typeface: the elements and the part of the page, "a li nav"."""
        return " ".join((*self.elements, self.part) if self.part else self.elements)


ORDINARY = Style()

Attributes = Mapping[str, str | None]


def is_unseen(tag: str, attributes: Attributes) -> bool:
    """Whether nothing in the element is visible to visitors."""
    if tag in _UNSEEN_ELEMENTS or "hidden" in attributes:
        return True
    style, css_class = attributes.get("style"), attributes.get("class")
    return bool(
        (style and _UNSEEN_STYLE.search(style.lower())) or (css_class and _UNSEEN_CLASS.search(css_class))
    )


def apply_style(around: Style, tag: str, attributes: Attributes) -> Style:
    """The style inside an element, from the one around it."""
    elements = around.elements
    if tag in _TELLING:
        elements = (tag, *(name for name in elements if name != tag))[:_TOLD]
    changed = replace(
        around,
        size=_SIZES.get(tag, around.size),
        bold=around.bold or tag in _BOLD,
        italic=around.italic or tag in _ITALIC,
        raised=around.raised or tag == "sup",
        elements=elements,
        part=_part(tag, attributes) or around.part,
        kept_lines=around.kept_lines or tag == "pre",
    )
    if tag == "font":
        changed = replace(changed, size=_font_size(attributes.get("size") or "", around.size))
    inline = attributes.get("style")
    return _by_style(changed, inline.lower()) if inline else changed


def _part(tag: str, attributes: Attributes) -> str:
    if tag in _PARTS:
        return _PARTS[tag]
    if attributes.get("role") == "navigation":
        return NAVIGATION
    if tag not in ("div", "ul", "ol", "section", "table", "td"):
        return ""
    words = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
    found = _PART_WORDS.search(words)
    return "" if found is None else NAVIGATION if found["nav"] else FOOT


def _font_size(said: str, around: float) -> float:
    said = said.strip()
    if not said.lstrip("+-").isdecimal() or len(said) > 3:
        return around
    step = int(said) - 1 if said[0] not in "+-" else _ORDINARY_FONT - 1 + int(said)
    return _FONT_SIZES[max(0, min(step, len(_FONT_SIZES) - 1))]


def _by_style(style: Style, inline: str) -> Style:
    found = _STYLE_SIZE.search(inline)
    size = style.size
    if found is not None:
        factor = {"px": 0.75, "pt": 1.0, "%": style.size / 100}.get(found[2], style.size)
        size = max(_SMALLEST, min(float(found[1]) * factor, _LARGEST))
    return replace(
        style,
        size=size,
        bold=style.bold or bool(_STYLE_BOLD.search(inline)),
        italic=style.italic or bool(_STYLE_ITALIC.search(inline)),
    )
