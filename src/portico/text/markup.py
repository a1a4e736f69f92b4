"""Parses HTML to a tree: decodes bytes as browsers do, with limits on time and memory."""

import codecs
import re

from selectolax.lexbor import LexborHTMLParser
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding

# The parser's time grows with the square of nesting: 10,000 open elements take 0.25 s, 100,000 take 27 s.
# Real pages stay below 300; pages are cut off where they go deeper than this.
MAX_NESTING = 2000

# The same is true for the attributes of one tag, and the options of one list: 80,000 attributes took 14 s,
# 40,000 options 7 s. A page is cut off before such a tag; options have no links and are dropped.
MAX_ATTRIBUTES = 500
MAX_CHOICES = 1000


def decode(body: bytes, content_type: str = "") -> str:
    """The text of an HTML body, by the encoding of the header, byte order mark or <meta>, or a guess."""
    _, text = html_to_unicode(_told(body, content_type), body, auto_detect_fun=_guess)
    return str(text)


def find_encoding(body: bytes, content_type: str = "") -> str:
    """The name of the encoding that `decode` would use."""
    start = body[:_ENCODING_BYTES]
    name, _ = html_to_unicode(_told(start, content_type), start, auto_detect_fun=_guess)
    return str(name)


def parse(html: str) -> LexborHTMLParser:
    """The page as a tree; parts that would take too much time or memory are left out."""
    return LexborHTMLParser(_tame(html))


_ENCODING_BYTES = 4096
# The encodings that browsers support (WHATWG). Python has more: some do not encode text, some take time
# quadratic in a page's length.
_ENCODINGS = frozenset(
    codecs.lookup(name).name
    for name in (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "latin-1", "cp866", "koi8-r", "koi8-u"),
        *(f"iso8859-{part}" for part in range(1, 17) if part != 12),
        *("mac-roman", "mac-cyrillic", "cp874", *(f"cp{page}" for page in range(1250, 1259))),
        *("gbk", "gb2312", "gb18030", "big5", "big5hkscs", "euc-jp", "iso2022-jp", "shift-jis", "cp932"),
        *("euc-kr", "cp949"),
    )
)
_COUNTED_PIECE = 16 * 1024  # characters
_HARMLESS_TAGS = 1000
# An unclosed <font> is reopened in every following paragraph: 900 of them and 3,000 paragraphs become 2.7
# million elements and 1.3 GB. A page that could have more than this many loses all of them, since they have
# no links. Of the 828 large pages of 26 real sites one reaches 80,000, the next 42,000; these are kept,
# because such markup distinguishes a list of papers from the links around it.
_MAX_REOPENED = 100_000
_FORMATTING = re.compile(
    r"</?(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?:[\s/][^>]*)?(?:>|$)", re.IGNORECASE
)
# In lower case, because ignoring case takes twice as long. The most frequent first.
_FORMATTING_TAG = re.compile(r"<(?=/?(?:[biu]|font|em|big|s(?:mall|trike|trong)?|tt|code|nobr)[\s/>])(.)")
_OPENED = str.maketrans(dict.fromkeys("bcefinstu", "+"))
_CANCELED = 3  # how many times elements that are closed as soon as opened are removed
_CROWDED_TAG = re.compile(
    r"<[a-zA-Z][^\s/>]*+(?:[\s/]*+[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+)"
    f"{{{MAX_ATTRIBUTES}}}"
)
_CHOICES = re.compile(r"</?(?:select|optgroup|option)(?:[\s/][^>]*)?(?:>|$)", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements without an end tag, or whose end tag is mostly omitted: they do not nest.
_FLAT = frozenset(
    {
        "a",
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
    }
    | {"wbr", "p", "li", "dt", "dd", "tr", "td", "th", "option"}
)


def _told(body: bytes, content_type: str) -> str | None:
    """The header that declares the encoding, unless header or page declare one that browsers do not know."""
    header = http_content_type_encoding(content_type or None)
    if header in _ENCODINGS:
        return content_type
    inside = html_body_declared_encoding(body)
    return None if inside is None or inside in _ENCODINGS else f"text/html; charset={_guess(body)}"


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # Where a body was cut off, its last character may be cut in half.
        cut = error.start >= len(body) - 3 and not body[: error.start].isascii()
        return "utf-8" if cut else "cp1252"
    return "utf-8"


def _tame(html: str) -> str:
    """The part of the page that can be parsed within limits of time and memory."""
    crowded = _CROWDED_TAG.search(html) if len(html) > MAX_ATTRIBUTES * 2 else None
    html = html[: crowded.start()] if crowded else html
    if html.count("<") <= _HARMLESS_TAGS:
        return html
    if html.lower().count("<option") > MAX_CHOICES:
        html = _CHOICES.sub("", html)
    return _cut_nesting(html if _stays_small(html) else _FORMATTING.sub("", html))


def _stays_small(html: str) -> bool:
    """Whether few elements result even if every tag reopens formatting elements that were left open."""
    lowered = html.lower()
    left = "".join(_FORMATTING_TAG.findall(lowered)).translate(_OPENED)
    for _ in range(_CANCELED):
        left = left.replace("+/", "")  # lowers the most that are ever open by one
    if (left.count("+") + _CANCELED) * html.count("<") <= _MAX_REOPENED:
        return True  # of 436 large pages of one site 432
    _, *parts = _FORMATTING_TAG.split(lowered)
    n_open, n_reopened = 0, 0
    for sign, until_next in zip(parts[::2], parts[1::2], strict=True):
        if sign != "/":
            n_open += 1
        elif n_open:
            n_open -= 1
        if n_open:
            n_reopened += n_open * until_next.count("<")
    return n_reopened <= _MAX_REOPENED


def _cut_nesting(html: str) -> str:
    """The page up to the point where nesting becomes too deep to parse in reasonable time."""
    if _is_surely_flat(html):
        return html
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() in _FLAT:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > MAX_NESTING:
            return html[: tag.start()]
    return html


def _is_surely_flat(html: str) -> bool:
    """Whether counting brackets alone proves that the page is not nested too deeply."""
    depth = 0
    for start in range(0, len(html), _COUNTED_PIECE):
        n_tags = html.count("<", start, start + _COUNTED_PIECE)
        n_ends = html.count("</", start, start + _COUNTED_PIECE)
        if depth + n_tags - n_ends > MAX_NESTING:
            return False
        depth = max(0, depth + n_tags - 2 * n_ends)
    return True
