"""Reads a web page's structured data: JSON-LD, microdata, RDFa Lite, meta. Runs inside the sandbox.

Everything becomes pairs of a name and a value. Things described (`Event`, `Person`) are numbered in the order
of the page: "data:0:event.startdate"; properties of nested things have both names:
"data:0:event.location.name". Meta elements are "meta:og:title", the logo "logo", the page's own URL
"canonical".
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Maximum pairs of a page, characters of a value, and nesting: more is a data dump, not a description.
MOST_PAIRS, LONGEST, DEEPEST = 400, 600, 4

_META = re.compile(
    r"^(?:og|article|product|place|event|book|profile|business|geo|dc|dcterms|citation)[:._]|^(?:author|description|"
    r"application-name|icbm)$",
    re.IGNORECASE,
)
_TYPE_NAME = re.compile(r"[^/#:]+$")
_LOGO = re.compile(r"(?:^|[\W_])(?:logo|brand|branding|site-?(?:title|name))(?:$|[\W_])", re.IGNORECASE)
_COMMENT = re.compile(r"^\s*(?:<!--|//<!\[CDATA\[|/\*<!\[CDATA\[\*/)|(?:-->|//\]\]>|/\*\]\]>\*/)\s*$")

Pair = tuple[str, str]


def read_structured_data(tree: LexborHTMLParser) -> list[Pair]:
    """Names and values, each pair once, in the order of the page."""
    found = [*_read_meta(tree), *_read_logo(tree)]
    things: list[tuple[str, Iterator[Pair]]] = [*_read_json_ld(tree), *_read_items(tree)]
    for number, (kind, pairs) in enumerate(things):
        found += [
            (f"data:{number}:{kind}.{name}" if name else f"data:{number}:{kind}", value)
            for name, value in pairs
        ]
        if len(found) > MOST_PAIRS:
            break
    return list(dict.fromkeys(pair for pair in found if pair[1]))[:MOST_PAIRS]


def _read_meta(tree: LexborHTMLParser) -> Iterator[Pair]:
    for node in tree.css("meta[content]"):
        name = (node.attributes.get("property") or node.attributes.get("name") or "").strip().lower()
        if _META.match(name):
            yield f"meta:{name}", _plain(node.attributes.get("content"))
    canonical = tree.css_first('link[rel="canonical"][href]')
    if canonical is not None:
        yield "canonical", _plain(canonical.attributes.get("href"))


def _read_logo(tree: LexborHTMLParser) -> Iterator[Pair]:
    """The alternative text or words of the logo at the head of the page."""
    for node in tree.css("img[alt]")[:40]:
        said = " ".join(node.attributes.get(name) or "" for name in ("class", "id", "src", "alt"))
        around = node.parent
        if around is not None:
            said += " " + " ".join(around.attributes.get(name) or "" for name in ("class", "id"))
        if _LOGO.search(said):
            yield (
                "logo",
                re.sub(
                    r"\s*\blogo\b\s*", " ", _plain(node.attributes.get("alt")), flags=re.IGNORECASE
                ).strip(),
            )
    for node in tree.css("header [class], #header [class], .header [class]")[:60]:
        if _LOGO.search(f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"):
            text = _plain(node.text(deep=True, separator=" "))
            if len(text.split()) <= 8:
                yield "logo", text


def _read_json_ld(tree: LexborHTMLParser) -> Iterator[tuple[str, Iterator[Pair]]]:
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            said = json.loads(_COMMENT.sub("", node.text() or ""), strict=False)
        except (ValueError, RecursionError):
            continue  # broken data is no data: the words of the page are still read
        for thing in _things_of(said):
            yield _kind(thing.get("@type")), _flatten(thing, "", 0)


def _things_of(said: Any) -> Iterator[dict[str, Any]]:
    """The things described in a script: one, a list of them, or a graph."""
    for one in said if isinstance(said, list) else [said]:
        if isinstance(one, dict) and isinstance(one.get("@graph"), list):
            yield from _things_of(one["@graph"])
        elif isinstance(one, dict):
            yield one


def _flatten(said: Any, name: str, depth: int) -> Iterator[Pair]:
    if depth > DEEPEST:
        return
    if isinstance(said, list):
        for one in said[:40]:
            yield from _flatten(one, name, depth + 1)
    elif isinstance(said, dict):
        if name and (kind := _kind(said.get("@type"))) != "thing":
            yield f"{name}.@type", kind
        value = said.get("@value")
        if isinstance(value, str):
            yield name, _plain(value)
        for key, one in said.items():
            if not key.startswith("@"):
                yield from _flatten(one, f"{name}.{key.lower()}" if name else key.lower(), depth + 1)
    elif isinstance(said, str | int | float) and not isinstance(said, bool):
        yield name, _plain(str(said))


def _read_items(tree: LexborHTMLParser) -> Iterator[tuple[str, Iterator[Pair]]]:
    """Microdata and RDFa Lite: elements that declare a property of a thing."""
    for scope, kind, prop in (("itemscope", "itemtype", "itemprop"), ("typeof", "typeof", "property")):
        for node in tree.css(f"[{scope}]"):
            if prop not in node.attributes:
                yield _kind(node.attributes.get(kind)), _properties(node, scope, kind, prop)


def _properties(root: LexborNode, scope: str, kind: str, prop: str) -> Iterator[Pair]:
    """Properties of the thing that an element describes, and of things within it."""
    for node in root.css(f"[{prop}]"):
        if node.mem_id == root.mem_id:
            continue
        path, around, depth = [], node.parent, 0
        while around is not None and around.mem_id != root.mem_id:
            if scope in around.attributes:
                depth += 1
                path.append((around.attributes.get(prop) or "").split(" ")[0])
            around = around.parent
        if depth > DEEPEST or (depth and not all(path)):
            continue
        for name in (node.attributes.get(prop) or "").split():
            whole = ".".join([*reversed(path), _name(name)]).lower()
            if scope in node.attributes:
                yield f"{whole}.@type", _kind(node.attributes.get(kind))
            else:
                yield whole, _value(node)


def _value(node: LexborNode) -> str:
    """The value that an element gives its property: a special attribute, a URL, else its text."""
    attributes = node.attributes
    for name in ("content", "datetime"):
        if attributes.get(name):
            return _plain(attributes[name])
    if node.tag in ("img", "audio", "video", "iframe", "source"):
        return _plain(attributes.get("src"))
    if node.tag in ("link", "area") or (node.tag == "a" and not _plain(node.text())):
        return _plain(attributes.get("href"))
    return _plain(node.text(deep=True, separator=" "))


def _kind(said: Any) -> str:
    if isinstance(said, list):
        said = said[0] if said else ""
    return _name(said).lower() if isinstance(said, str) and said.strip() else "thing"


def _name(said: str) -> str:
    """The last part of an address or of a name with a prefix: "http://schema.org/Event", "schema:Event"."""
    found = _TYPE_NAME.search(said.split()[0].rstrip("/#:")) if said.split() else None
    return found[0] if found else said.strip()


def _plain(value: str | None) -> str:
    return " ".join((value or "").split())[:LONGEST]
