"""Converts a web page to lines of text with styles, as a visitor sees it. Runs inside the sandbox."""

import re
from typing import Any
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from portico.convert.page_styles import (
    FOOT,
    NAVIGATION,
    ORDINARY,
    Attributes,
    PageError,
    Style,
    apply_style,
    is_unseen,
)
from portico.convert.structured_data import read_structured_data
from portico.text.markup import decode, parse

# Larger pages are dumps of data; the largest of 26 real sites has under 1 MB.
MAX_HTML_BYTES = 16 << 20
# A page with scripts, which are not run here, and fewer words than this does not show what it is about.
WORDS_OF_A_PAGE = 10


def read_html(body: bytes, *, media_type: str) -> dict[str, Any]:
    """Everything read from a page, in the form `read_pdf` returns, but without boxes and pages.

    A line is the text between two line ends; a block is a paragraph, a list item, or a table row with a line
    for each cell. A typeface is named after the elements around it.
    """
    if len(body) > MAX_HTML_BYTES:
        raise PageError(f"has {len(body):,} bytes of HTML, more than the {MAX_HTML_BYTES:,} that are read")
    tree = parse(decode(body, media_type))
    walk = PageWalk()
    title = tree.css_first("title")
    if title is not None:
        walk.whole(title.text(), apply_style(ORDINARY, "title", {}))
    n_title_words = walk.n_words
    if tree.body is not None:
        walk.through(tree.body)
    _check_shown(tree, walk, walk.n_words - n_title_words)
    return {**walk.as_json(), "asides": read_structured_data(tree)}


def _check_shown(tree: LexborHTMLParser, walk: "PageWalk", n_words: int) -> None:
    """Raise PageError if the page has nothing to read, with the most likely reason."""
    has_scripts = tree.css_first("script") is not None
    if has_scripts and (n_words < WORDS_OF_A_PAGE or walk.asks_for_scripts):
        raise PageError(f"needs JavaScript: without it the page shows {n_words} words")
    if n_words:
        return
    if tree.css_first("frame, iframe") is not None:
        raise PageError("shows only other pages in frames; those are read instead of it")
    raise PageError("has no text")


# Elements that begin and end a paragraph; all others are inline, except for <br> and cells, which end a line.
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "hr", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary",
        "table", "tbody", "tfoot", "thead", "tr", "ul",
    }
)  # fmt: skip
_LINES = frozenset({"br", "td", "th"})
# If two of these elements touch without a space, a style sheet separates their words.
_APART = frozenset({"span", "a", "label", "strong", "b", "em", "i", "small"})

_SPACE = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u3000]+")
_LINE_END = re.compile(r"\r\n?|\n")
# Control characters, soft hyphens, and zero-width characters that prevent words from being found.
_NOISE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff\ud800-\udfff]")
_ASKS_FOR_SCRIPTS = re.compile(
    r"\b(?:enable|turn on|activate|requires?|needs?)\s+javascript"
    r"|javascript\s+(?:is\s+)?(?:disabled|required)",
    re.IGNORECASE,
)
_UNNUMBERED = re.compile(r"list-style(?:-type)?\s*:\s*none")
# An item that begins with a printed number, "[12] Smith, J.", within this many characters.
_NUMBERED = re.compile(r"\s*(?:\[\w{1,12}\]|\(?\d{1,3}[.)\s])")
_LABEL_LENGTH = 40
_ASKING_WORDS = 60  # words of a page that says little more than that it needs JavaScript
# Contains an email address as hidden by a common proxy: bytes in hexadecimal, of which the first is the key.
_CIPHER = "data-cfemail"
_HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2}){4,160}")


class PageWalk:
    """Walks through a page once, in the order of its text, and writes lines.

    For articles, menus and footers are left out, and items of numbered lists get their numbers.
    """

    def __init__(self, *, is_article: bool = False) -> None:
        self._is_article = is_article
        self._n_items: dict[int, int] = {}  # of numbered lists so far
        self._lines: list[list[Any]] = []
        self._fonts: dict[tuple[str, bool, bool], int] = {}
        self._block = 0
        self._in_block = False  # whether the block has a line already
        self._row: int | None = None  # the table row that is one block, whatever its cells contain
        self._runs: list[tuple[str, Style]] = []
        self.n_words = 0

    def whole(self, text: str, style: Style) -> None:
        """Text as a paragraph of its own."""
        self._text(text, style)
        self._end_block()

    def through(self, root: LexborNode) -> None:
        """The text below an element; without recursion, because pages can be nested arbitrarily deep."""
        styles = [ORDINARY]
        node: LexborNode | None = root
        while node is not None:
            entered = self._enter(node, styles)
            if entered and node.child is not None:
                node = node.child
                continue
            if entered:
                self._leave(node, styles)
            node = self._following(node, root, styles)
        self._end_block()

    @property
    def asks_for_scripts(self) -> bool:
        if self.n_words > _ASKING_WORDS:
            return False
        return any(_ASKS_FOR_SCRIPTS.search("".join(run[0] for run in line[-1])) for line in self._lines)

    def as_json(self) -> dict[str, Any]:
        return {
            "pages": [],
            "fonts": [list(font) for font in self._fonts],
            "lines": self._lines,
            "unmapped": 0.0,
        }

    def _following(self, node: LexborNode, root: LexborNode, styles: list[Style]) -> LexborNode | None:
        """The next node after this one and everything in it; elements that end in between are closed."""
        here: LexborNode | None = node
        while here is not None and here.mem_id != root.mem_id:
            if here.next is not None:
                return here.next
            here = here.parent
            if here is not None:
                self._leave(here, styles)
        return None

    def _enter(self, node: LexborNode, styles: list[Style]) -> bool:
        """Whether the contents of the node are to be read; its style is then on top of the stack."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "", styles[-1])
            return False
        attributes = node.attributes
        if is_unseen(tag, attributes):
            return False
        if tag in _BLOCKS:
            self._end_paragraph()
        elif tag in _LINES:
            self._end_line()
        elif tag in _APART:
            self._keep_apart(node)
        if tag == "tr" and not self._is_article and _is_short_row(node):
            self._row = node.mem_id
        style = apply_style(styles[-1], tag, attributes)
        if self._is_article and style.part in (NAVIGATION, FOOT):
            return False
        styles.append(style)
        if self._is_article and tag == "li":
            self._number(node, style)
        return True

    def _number(self, item: LexborNode, style: Style) -> None:
        """The number that a browser shows before a list item."""
        around = item.parent
        if around is None or around.tag != "ol" or _UNNUMBERED.search(around.attributes.get("style") or ""):
            return
        number = self._n_items.get(around.mem_id, 0) + 1
        self._n_items[around.mem_id] = number
        if not _NUMBERED.match(item.text(deep=True)[:_LABEL_LENGTH] or ""):
            self._words(f"{number}. ", style)

    def _leave(self, node: LexborNode, styles: list[Style]) -> None:
        tag = node.tag or ""
        style = styles.pop()
        if tag in ("a", "span"):
            self._address(node.attributes, style)
        if node.mem_id == self._row:
            self._row = None
        if tag in _BLOCKS:
            self._end_paragraph()
        elif tag in _LINES:
            self._end_line()

    def _end_paragraph(self) -> None:
        """End a block, or only a line if the block is a row of a table."""
        if self._row is None:
            self._end_block()
        else:
            self._end_line()

    def _text(self, text: str, style: Style) -> None:
        text = _NOISE.sub("", text)
        if not style.kept_lines:
            self._words(_SPACE.sub(" ", text), style)
            return
        for idx, line in enumerate(_LINE_END.split(text)):
            if idx:
                self._end_line()
            self._words(_SPACE.sub(" ", line), style)

    def _words(self, text: str, style: Style) -> None:
        if not self._runs or self._runs[-1][0].endswith(" "):
            text = text.lstrip(" ")
        if text:
            self._runs.append((text, style))

    def _keep_apart(self, node: LexborNode) -> None:
        """A space where lower-case letters and capitals of two elements meet: "Ann Bell" and "Director"."""
        before = node.prev
        if before is not None and before.tag in _APART and self._runs:
            last, style = self._runs[-1]
            following = (node.text() or "")[:1]
            if last[-1:].isalnum() and not last[-1:].isupper() and following.isupper():
                self._runs[-1] = (last + " ", style)

    def _address(self, attributes: Attributes, style: Style) -> None:
        """The address behind a link that does not show it."""
        shown = "".join(text for text, _ in self._runs)
        address = _deciphered(attributes.get(_CIPHER) or "") or _addressed(attributes.get("href") or "")
        if address and _bare(address) not in _bare(shown):
            self._words(" " + address if shown else address, style)

    def _end_line(self) -> None:
        runs = self._runs
        self._runs = []
        if not any(text.strip() for text, _ in runs):
            return
        text, style = runs[-1]
        runs[-1] = (text.rstrip(" "), style)
        if not runs[-1][0]:
            runs.pop()
            runs[-1] = (runs[-1][0].rstrip(" "), runs[-1][1])
        self.n_words += len("".join(text for text, _ in runs).split())
        row = [[text, self._font(style), round(style.size, 1), style.raised] for text, style in runs]
        self._lines.append([0, self._block, None, None, None, None, row])
        self._in_block = True

    def _end_block(self) -> None:
        self._end_line()
        if self._in_block:
            self._block += 1
            self._in_block = False

    def _font(self, style: Style) -> int:
        return self._fonts.setdefault((style.name, style.bold, style.italic), len(self._fonts))


# Maximum number of characters in a table row that is one block; longer rows are layout of whole pages.
_ROW_LENGTH = 500


def _is_short_row(row: LexborNode) -> bool:
    """Whether a table row has several cells with little text, so that paragraphs in them are its values."""
    cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
    if len(cells) < 2 or row.css_first("table") is not None:
        return False
    return len(row.text(deep=True).strip()) <= _ROW_LENGTH


def _addressed(href: str) -> str:
    """The mail address or telephone number of a link; "" for other links."""
    scheme, _, rest = href.strip().partition(":")
    if scheme.lower() not in ("mailto", "tel"):
        return ""
    return _SPACE.sub(" ", _NOISE.sub("", unquote(rest.partition("?")[0]))).strip()


def _deciphered(code: str) -> str:
    if not _HEXADECIMAL.fullmatch(code):
        return ""
    key, *rest = bytes.fromhex(code)
    return _NOISE.sub("", bytes(byte ^ key for byte in rest).decode("utf-8", "replace"))


def _bare(text: str) -> str:
    return re.sub(r"[^\w@]", "", text).lower()
