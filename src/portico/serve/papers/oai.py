"""OAI-PMH 2.0: libraries harvest the papers of the portal as Dublin Core, a page at a time."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from time import time

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.contributions.forms import read_form
from portico.serve.escaping import escape_xml, format_moment, quote_attribute
from portico.serve.links import check_outside_url, make_paper_url
from portico.serve.papers import describing
from portico.serve.portal import ServedPortal
from portico.types.record import Entity, EntityId

PREFIX = "oai_dc"
PAGE = 100
"""Papers in one answer."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")
_LIST_KEYS = frozenset({"metadataPrefix", "from", "until", "set"})
# Which arguments each verb takes, and which it cannot do without.
_ARGUMENTS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset({"identifier"}), frozenset()),
    "ListSets": (frozenset({"resumptionToken"}), frozenset()),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset({"identifier", "metadataPrefix"})),
    "ListIdentifiers": (_LIST_KEYS | {"resumptionToken"}, frozenset({"metadataPrefix"})),
    "ListRecords": (_LIST_KEYS | {"resumptionToken"}, frozenset({"metadataPrefix"})),
}

_PROTOCOL = "http://www.openarchives.org/OAI/2.0/"
_DUBLIN_CORE = f"{_PROTOCOL}{PREFIX}/"
_NOT_OURS = "This token was not given by this portal."

Pairs = Sequence[tuple[str, str]]
"""Names and values as they were asked for, in their order."""

# What the protocol makes a portal say whose builder gave no address.
_NOBODY = "portal@localhost"


class _Refused(Exception):
    """An error of the protocol, with its code."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a list stands: what was asked for, and the last paper that was given."""

    low: str = ""
    high: str = ""
    after: str = ""

    @property
    def token(self) -> str:
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def make_oai_routes(portal: ServedPortal) -> list[Route]:
    provider = _Provider(portal)

    async def answer(request: Request) -> Response:
        asked = await read_form(request) if request.method == "POST" else request.query_params.multi_items()
        return await run_in_threadpool(provider.answer, asked, str(request.base_url).rstrip("/"))

    return [Route("/oai", answer, methods=["GET", "POST"])]


class _Provider:
    def __init__(self, portal: ServedPortal) -> None:
        self._portal = portal
        self._verbs = {
            "Identify": self._identify,
            "ListMetadataFormats": self._formats,
            "ListSets": self._sets,
            "GetRecord": self._record,
            "ListIdentifiers": self._list,
            "ListRecords": self._list,
        }

    def answer(self, pairs: Pairs, host: str) -> Response:
        asked = dict(pairs)
        # What was asked is said again, unless it could not be understood.
        echo = "".join(f" {name}={quote_attribute(value)}" for name, value in asked.items())
        try:
            verb = _checked(pairs)
            body = "".join(self._verbs[verb](asked, host))
            body = f"<{verb}>{body}</{verb}>"
        except _Refused as error:
            echo = "" if error.code in ("badVerb", "badArgument") else echo
            body = f'<error code="{error.code}">{escape_xml(str(error))}</error>'
        xml = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH {_schema(_PROTOCOL, "OAI-PMH.xsd")}>'
            f"<responseDate>{format_moment(time())}</responseDate><request{echo}>{escape_xml(host)}/oai</request>{body}</OAI-PMH>"
        )
        return Response(xml, media_type="text/xml")

    def _identify(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        yield f"<repositoryName>{escape_xml(self._portal.about.title)}</repositoryName>"
        yield f"<baseURL>{escape_xml(host)}/oai</baseURL>"
        contact = self._portal.about.contact  # may be a page, where harvesters expect an address
        yield "<protocolVersion>2.0</protocolVersion>"
        yield f"<adminEmail>{escape_xml(contact if '@' in contact else _NOBODY)}</adminEmail>"
        yield f"<earliestDatestamp>{format_moment(self._portal.view.earliest())}</earliestDatestamp>"
        yield "<deletedRecord>no</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"

    def _formats(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        if "identifier" in asked:
            self._entity(asked["identifier"], host)
        yield (
            f"<metadataFormat><metadataPrefix>{PREFIX}</metadataPrefix>"
            f"<schema>{_PROTOCOL}{PREFIX}.xsd</schema>"
            f"<metadataNamespace>{_DUBLIN_CORE}</metadataNamespace></metadataFormat>"
        )

    def _sets(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        raise _Refused("noSetHierarchy", "This portal has no sets.")

    def _record(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        _check_prefix(asked)
        entity = self._entity(asked["identifier"], host)
        stamps = self._portal.view.changed_at([entity])
        yield self._whole(entity, stamps.get(entity.id, 0.0), host)

    def _list(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        place = _place(asked)
        found, last = self._page(place)
        if not found and not place.after:
            raise _Refused("noRecordsMatch", "No paper was found in that time.")
        for entity, stamp in found:
            yield (
                self._whole(entity, stamp, host)
                if asked["verb"] == "ListRecords"
                else self._header(entity, stamp, host)
            )
        if last is not None:
            yield f"<resumptionToken>{replace(place, after=last).token}</resumptionToken>"
        elif place.after:
            yield "<resumptionToken/>"

    def _page(self, place: _Place) -> tuple[list[tuple[Entity, float]], EntityId | None]:
        """Papers found in the time asked for, and the last one looked at where there may be more."""
        low, high = _seconds(place.low, 0.0), _seconds(place.high, float("inf"), end=True)
        found: list[tuple[Entity, float]] = []
        last = EntityId(place.after)
        while len(found) < PAGE:
            ids = self._portal.view.entities.held_ids(last, limit=PAGE - len(found))
            if not ids:
                return found, None
            entities = self._portal.view.entities.many(ids)
            stamps = self._portal.view.changed_at(list(entities.values()))
            fitting = [name for name in ids if name in entities and low <= stamps.get(name, 0.0) <= high]
            found += [(entities[name], stamps.get(name, 0.0)) for name in fitting]
            last = ids[-1]
        return found, last if self._portal.view.entities.held_ids(last, limit=1) else None

    def _entity(self, identifier: str, host: str) -> Entity:
        name = identifier.removeprefix(f"{host}/paper/")
        entity = self._portal.view.entities.get(EntityId(name))
        if entity is None or not entity.documents:
            raise _Refused("idDoesNotExist", f"There is no paper {identifier}.")
        return entity

    def _header(self, entity: Entity, stamp: float, host: str) -> str:
        name = escape_xml(host + make_paper_url(entity.id))
        return (
            f"<header><identifier>{name}</identifier><datestamp>{format_moment(stamp)}</datestamp></header>"
        )

    def _whole(self, entity: Entity, stamp: float, host: str) -> str:
        values = "".join(
            f"<dc:{name}>{escape_xml(value)}</dc:{name}>" for name, value in self._core(entity, host)
        )
        schema = _schema(_DUBLIN_CORE, f"{PREFIX}.xsd", prefix=PREFIX)
        return (
            f"<record>{self._header(entity, stamp, host)}<metadata>"
            f'<oai_dc:dc xmlns:dc="http://purl.org/dc/elements/1.1/" {schema}>{values}</oai_dc:dc>'
            "</metadata></record>"
        )

    def _core(self, entity: Entity, host: str) -> Iterator[tuple[str, str]]:
        yield "title", describing.get_title(entity)
        yield from (("creator", name) for name in describing.list_authors(entity))
        single = (
            ("description", entity.value("abstract")),
            ("date", describing.get_year(entity)),
            ("source", describing.get_first_value(entity, describing.VENUE)),
        )
        yield from ((name, value) for name, value in single if value)
        topic = self._portal.view.topics.best([entity.id]).get(entity.id)
        if topic:
            yield "subject", " / ".join(topic)
        yield "identifier", host + make_paper_url(entity.id)
        for source in self._portal.view.sources(entity.documents):
            if address := check_outside_url(source.name):
                yield "identifier", address
        yield "type", "Text"


def _schema(namespace: str, file: str, *, prefix: str = "") -> str:
    """The attributes by which a program finds out how an element is to be read, and checks it."""
    return (
        f'xmlns{prefix and ":"}{prefix}="{namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{namespace} {_PROTOCOL}{file}"'
    )


def _checked(pairs: Pairs) -> str:
    """The verb, where it and its arguments are as the protocol wants them."""
    asked = dict(pairs)
    verb = asked.get("verb", "")
    if verb not in _ARGUMENTS or sum(name == "verb" for name, _ in pairs) != 1:
        raise _Refused("badVerb", f"The verb is one of {', '.join(_ARGUMENTS)}.")
    allowed, needed = _ARGUMENTS[verb]
    names = [name for name, _ in pairs if name != "verb"]
    if len(set(names)) != len(names) or not set(names) <= allowed:
        raise _Refused("badArgument", f"{verb} takes {', '.join(sorted(allowed)) or 'nothing'}, each once.")
    if "resumptionToken" in names and len(names) > 1:
        raise _Refused("badArgument", "A resumption token stands alone.")
    if "resumptionToken" not in names and not needed <= set(names):
        raise _Refused("badArgument", f"{verb} needs {', '.join(sorted(needed))}.")
    return verb


def _check_prefix(asked: Mapping[str, str]) -> None:
    if asked["metadataPrefix"] != PREFIX:
        raise _Refused("cannotDisseminateFormat", f"Papers are given as {PREFIX} alone.")


def _place(asked: Mapping[str, str]) -> _Place:
    if "resumptionToken" in asked:
        return _resumed(asked["resumptionToken"])
    _check_prefix(asked)
    if "set" in asked:
        raise _Refused("noSetHierarchy", "This portal has no sets.")
    low, high = asked.get("from", ""), asked.get("until", "")
    for value in (low, high):
        if value and not _DATE.fullmatch(value):
            raise _Refused("badArgument", "Times are written 2001-12-31 or 2001-12-31T23:59:59Z.")
    if low and high and (len(low) != len(high) or low > high):
        raise _Refused("badArgument", "from and until are written alike, the earlier first.")
    _seconds(low, 0.0)
    _seconds(high, 0.0)
    return _Place(low, high)


def _resumed(token: str) -> _Place:
    try:
        place = _Place(**json.loads(base64.urlsafe_b64decode(token.encode())))
        ours = place.token == token and place.after.isascii() and bool(place.after)
        _seconds(place.low, 0.0)
        _seconds(place.high, 0.0)
    except (ValueError, TypeError, AttributeError, RecursionError, _Refused) as error:
        raise _Refused("badResumptionToken", _NOT_OURS) from error
    if not ours:
        raise _Refused("badResumptionToken", _NOT_OURS)
    return place


def _seconds(written: str, otherwise: float, *, end: bool = False) -> float:
    """The moment, or for a day its first or last second."""
    if not written:
        return otherwise
    whole = written if "T" in written else f"{written}T{'23:59:59' if end else '00:00:00'}Z"
    try:
        return datetime.strptime(whole, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp() + end
    except (ValueError, OverflowError) as error:
        raise _Refused("badArgument", f"{written} is no date.") from error
