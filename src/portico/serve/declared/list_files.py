"""Lists of things as files: CSV for spreadsheets, vCard for address books."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.collection import FindEntity
from portico.serve.declared.describing import get_display, get_kind
from portico.serve.declared.home_and_results import ask
from portico.serve.escaping import make_cell, strip_hidden
from portico.serve.links import check_outside_url
from portico.serve.portal import ServedPortal
from portico.serve.public_address import get_base_url
from portico.serve.search import PAGE_SIZE
from portico.types.domain import Form, Kind
from portico.types.record import Entity, EntityId

MOST_LISTED = 1_000
"""Maximum number of things in one file: more than anybody reads, and quickly written."""

_BETWEEN_VALUES = "; "
_CARD_OCTETS = 75  # maximum length of a line, by RFC 2426
_MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "vcf": "text/vcard; charset=utf-8"}


def make_list_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    files = _ListFiles(portal, find)
    table = Route("/list.csv", files.table)
    if not has_cards(portal.kinds):
        return [table]
    return [table, Route("/list.vcf", files.cards), Route(portal.naming.path + "{id}.vcf", files.card)]


def has_cards(kinds: Sequence[Kind]) -> bool:
    """Whether any kind has phone numbers or e-mail addresses, and so belongs in an address book."""
    return any(shown.form in (Form.PHONE, Form.EMAIL) for kind in kinds for shown in get_display(kind).fields)


class _ListFiles:
    """The endpoints for list files."""

    def __init__(self, portal: ServedPortal, find: FindEntity) -> None:
        self._portal, self._find = portal, find

    def table(self, request: Request) -> Response:
        things = self._list_things(request.query_params)
        wholes = self._name_wholes(things)
        sources = self._list_sources(things)
        fields = dict.fromkeys(
            shown.field for kind in self._portal.kinds for shown in get_display(kind).fields
        )
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\r\n")
        rows.writerow(["id", "kind", "title", "part of", *fields, "address of the entry", "read from"])
        host = get_base_url(request)
        for thing in things:
            values = (
                _BETWEEN_VALUES.join(field.value for field in thing.all(name))
                if name not in thing.doubtful
                else ""
                for name in fields
            )
            title = self._portal.naming.title(thing)
            place = host + self._portal.naming.url(thing.id)
            read_from = _BETWEEN_VALUES.join(sources.get(thing.id, ()))
            cells = (thing.id, thing.kind, title, wholes.get(thing.id, ""), *values, place, read_from)
            rows.writerow([make_cell(cell) for cell in cells])
        # Spreadsheets recognize UTF-8 by its byte order mark.
        return _make_file("\N{BYTE ORDER MARK}" + text.getvalue(), "entries", "csv")

    def cards(self, request: Request) -> Response:
        things = self._list_things(request.query_params)
        return self._make_cards(request, things, "entries")

    def card(self, request: Request) -> Response:
        thing = self._find(request, lambda name: f"{self._portal.naming.url(name)}.vcf")
        return self._make_cards(request, [thing], str(thing.id))

    def _make_cards(self, request: Request, things: Sequence[Entity], name: str) -> Response:
        wholes = self._name_wholes(things)
        host = get_base_url(request)
        cards = (
            make_card(
                thing,
                get_kind(self._portal, thing),
                title=self._portal.naming.title(thing),
                whole=wholes.get(thing.id, ""),
                url=host + self._portal.naming.url(thing.id),
            )
            for thing in things
        )
        return _make_file("".join(cards), name, "vcf")

    def _list_things(self, parameters: Mapping[str, str]) -> list[Entity]:
        """Everything a search finds, in its order, up to `MOST_LISTED`."""
        found: list[EntityId] = []
        for page in range(1, MOST_LISTED // PAGE_SIZE + 1):
            _, results = ask(self._portal, {**parameters, "page": str(page)})
            found += [hit.entity for hit in results.hits]
            if len(results.hits) < PAGE_SIZE:
                break
        if not found:
            raise HTTPException(404, "This search finds nothing that could be listed.")
        known = self._portal.view.entities.many(found)
        return [known[name] for name in dict.fromkeys(found) if name in known]

    def _name_wholes(self, things: Sequence[Entity]) -> dict[EntityId, str]:
        wholes = self._portal.things.wholes(thing.id for thing in things)
        known = self._portal.view.entities.many(set(wholes.values()))
        return {
            part: self._portal.naming.title(known[name]) for part, name in wholes.items() if name in known
        }

    def _list_sources(self, things: Sequence[Entity]) -> dict[EntityId, list[str]]:
        addresses: dict[str, list[str]] = {}
        for source in self._portal.view.sources([one for thing in things for one in thing.documents]):
            if address := check_outside_url(source.name):
                addresses.setdefault(source.document, []).append(address)
        return {
            thing.id: [address for one in thing.documents for address in addresses.get(one, ())]
            for thing in things
        }


def make_card(thing: Entity, kind: Kind, *, title: str, whole: str, url: str) -> str:
    """A thing as a vCard of version 3.0, which every address book reads."""
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{_escape(title)}", *_name_card(kind, title, whole)]
    for shown in get_display(kind).fields:
        values = () if shown.field in thing.doubtful else [field.value for field in thing.all(shown.field)]
        for value in map(_escape, values):
            lines += _make_card_line(shown.field, shown.form, value)
    lines += [f"URL:{_escape(url)}", f"UID:{_escape(thing.id)}", "END:VCARD"]
    return "".join(f"{_fold_line(line)}\r\n" for line in lines)


def _name_card(kind: Kind, title: str, whole: str) -> Iterator[str]:
    display = get_display(kind)
    shown = display.shown(display.title)
    if shown is not None and shown.form is Form.NAME:
        given, _, family = title.rpartition(" ")
        yield f"N:{_escape(family)};{_escape(given)};;;"
        if whole:
            yield f"ORG:{_escape(whole)}"
    else:
        yield "N:;;;;"
        yield f"ORG:{_escape(title)}"


def _make_card_line(name: str, form: Form, value: str) -> Iterator[str]:
    """The vCard property for a value, if there is one."""
    if form is Form.PHONE:
        yield f"TEL;TYPE={'FAX' if name == 'fax' else 'VOICE'}:{value}"
    elif form is Form.EMAIL:
        yield f"EMAIL;TYPE=INTERNET:{value}"
    elif name == "role":
        yield f"TITLE:{value}"
    elif name == "address":
        yield f"ADR;TYPE=WORK:;;{value};;;;"


def _escape(text: str) -> str:
    plain = " ".join(str(strip_hidden(text)).split())
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _fold_line(line: str) -> str:
    """The line folded into parts of at most 75 octets, each after the first with a leading space."""
    parts, n_octets = [""], 0
    for character in line:
        size = len(character.encode())
        if n_octets + size > _CARD_OCTETS:
            parts.append(" ")
            n_octets = 1
        parts[-1] += character
        n_octets += size
    return "\r\n".join(parts)


def _make_file(text: str, name: str, ending: str) -> Response:
    return Response(
        text,
        media_type=_MEDIA_TYPES[ending],
        headers={"Content-Disposition": f'attachment; filename="{name}.{ending}"'},
    )
