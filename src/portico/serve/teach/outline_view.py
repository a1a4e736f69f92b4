"""A page of somebody else's site inside one of ours: escaped text, and links that lead back to us."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup, escape

from portico.serve.escaping import visible
from portico.text.urls import get_host, get_registered_domain
from portico.types.outline import Element, Outline, OutlinePiece, PieceKind
from portico.types.page import Url

Address = Callable[[Url], str]
"""Where a link of the shown page leads to on our own site."""


@dataclass(frozen=True, slots=True)
class UnseenLink:
    """A link that does not stand in the text: a frame, a map, a detour."""

    href: str
    words: str


def rendered(outline: Outline, address: Address) -> Markup:
    """The pieces as HTML. Nothing of the page gets here but text, addresses and names of elements."""
    html: list[Markup] = []
    closing: list[Markup] = []
    for piece in outline.pieces:
        if piece.kind is PieceKind.CLOSE:
            html.append(closing.pop())
        elif piece.kind in _OPENERS:
            opened, closes = _OPENERS[piece.kind](piece, outline.url, address)
            html.append(opened)
            closing.append(closes)
        else:
            html.append(_WRITERS[piece.kind](piece))
    return Markup("").join(html)


def unseen_links(outline: Outline, address: Address) -> tuple[UnseenLink, ...]:
    return tuple(
        UnseenLink(address(each.link.target), each.link.anchor or each.link.target) for each in outline.unseen
    )


def same_site(one: Url, other: Url) -> bool:
    return get_registered_domain(get_host(one)) == get_registered_domain(get_host(other))


def _element(piece: OutlinePiece, _here: Url, _address: Address) -> tuple[Markup, Markup]:
    return _TAGS[Element(piece.value)]


def _link(piece: OutlinePiece, here: Url, address: Address) -> tuple[Markup, Markup]:
    target = Url(piece.value)
    if same_site(here, target):
        return _LINK.format(address(target), visible(target), ""), Markup("</a>")
    opened = _LINK.format(address(target), visible(target), "elsewhere")
    return opened, Markup('<span class="unseen"> (on {})</span></a>').format(visible(get_host(target)))


def _dead(piece: OutlinePiece, _here: Url, _address: Address) -> tuple[Markup, Markup]:
    return Markup('<span class="dead" title="{}">').format(piece.value), Markup("</span>")


def _picture(piece: OutlinePiece) -> Markup:
    return (
        Markup('<span class="picture">{}</span>').format(visible(piece.value)) if piece.value else Markup("")
    )


_LINK = Markup('<a href="{}" title="{}" class="{}">')
_TAGS = {each: (Markup("<{}>").format(each.value), Markup("</{}>").format(each.value)) for each in Element}
_OPENERS = {PieceKind.OPEN: _element, PieceKind.LINK: _link, PieceKind.DEAD: _dead}
_WRITERS: dict[PieceKind, Callable[[OutlinePiece], Markup]] = {
    PieceKind.TEXT: lambda piece: escape(visible(piece.value)),
    PieceKind.PICTURE: _picture,
    PieceKind.BREAK: lambda _piece: Markup("<br>"),
}
