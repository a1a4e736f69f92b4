"""OAI-PMH 2.0: harvesters get the portal's records as Dublin Core, selected by when they changed."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from time import time
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.collection import ServedCollection
from portico.serve.contributions.forms import read_form
from portico.serve.escaping import escape_xml, format_moment, quote_attribute
from portico.serve.portal import ServedPortal
from portico.serve.public_address import get_base_url
from portico.store.catalog.entity_changes import ChangeSpan, EntityChange
from portico.types.record import EntityId

PREFIX = "oai_dc"
PAGE = 100
"""Records in one answer."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")
_LIST_KEYS = frozenset({"metadataPrefix", "from", "until", "set"})
# The arguments each verb takes, and those it requires.
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
_NOT_OURS = "This token was not issued by this portal."

Pairs = Sequence[tuple[str, str]]
"""Names and values, of the request's arguments or of metadata, in their order."""

# The protocol requires an e-mail address; this is used if the builder gave none.
_NOBODY = "portal@localhost"
# Used in identifiers if the portal's URL is not configured.
_UNNAMED_HOST = "portico.invalid"
_NOT_IN_SETS = re.compile(r"[^A-Za-z0-9.-]+")


class _Refused(Exception):
    """A protocol error with its code."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class _Place:
    """The position in a list: what was requested, and the last change that was sent. It becomes the
    resumption token.
    """

    low: str = ""
    high: str = ""
    topic: str = ""
    at: float = 0.0
    after: str = ""

    @property
    def token(self) -> str:
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def make_oai_routes(portal: ServedPortal, collection: ServedCollection) -> list[Route]:
    provider = _Provider(portal, collection)

    async def answer(request: Request) -> Response:
        asked = await read_form(request) if request.method == "POST" else request.query_params.multi_items()
        return await run_in_threadpool(provider.answer, asked, get_base_url(request))

    return [Route("/oai", answer, methods=["GET", "POST"])]


class _Provider:
    def __init__(self, portal: ServedPortal, collection: ServedCollection) -> None:
        self._portal, self._collection = portal, collection
        # Harvesters store identifiers permanently, so these must not depend on the request's Host header.
        host = urlsplit(portal.about.base_url).hostname or _UNNAMED_HOST
        self._prefix = f"oai:{host}:"
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
        # The response repeats the request's arguments, unless they are invalid.
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
            f"<responseDate>{format_moment(time())}</responseDate>"
            f"<request{echo}>{escape_xml(host)}/oai</request>{body}</OAI-PMH>"
        )
        return Response(xml, media_type="text/xml")

    def _identify(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        yield f"<repositoryName>{escape_xml(self._portal.about.title)}</repositoryName>"
        yield f"<baseURL>{escape_xml(host)}/oai</baseURL>"
        contact = self._portal.about.contact  # may be a web page, but harvesters expect an e-mail address
        yield "<protocolVersion>2.0</protocolVersion>"
        yield f"<adminEmail>{escape_xml(contact if '@' in contact else _NOBODY)}</adminEmail>"
        yield f"<earliestDatestamp>{format_moment(self._portal.view.changes.earliest())}</earliestDatestamp>"
        yield "<deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"

    def _formats(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        if "identifier" in asked:
            self._find(asked["identifier"])
        yield (
            f"<metadataFormat><metadataPrefix>{PREFIX}</metadataPrefix>"
            f"<schema>{_PROTOCOL}{PREFIX}.xsd</schema>"
            f"<metadataNamespace>{_DUBLIN_CORE}</metadataNamespace></metadataFormat>"
        )

    def _sets(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        if "resumptionToken" in asked:
            raise _Refused("badResumptionToken", _NOT_OURS)
        named = self._topic_sets()
        if not named:
            raise _Refused("noSetHierarchy", "This portal has no topics and therefore no sets.")
        for path, spec in named.items():
            name = escape_xml(" / ".join(path))
            yield f"<set><setSpec>{spec}</setSpec><setName>{name}</setName></set>"

    def _topic_sets(self) -> dict[tuple[str, ...], str]:
        """The set name of each topic. Set names allow few characters; if two topics would get the same
        name, the second gets a number.
        """
        specs: dict[tuple[str, ...], str] = {}
        taken: set[str] = set()
        for node in self._portal.overview.get().tree:
            above = specs.get(node.path[:-1], "")
            plain = _NOT_IN_SETS.sub("_", node.path[-1]).strip("_") or "topic"
            spec = base = f"{above}:{plain}" if above else plain
            number = 2
            while spec in taken:
                spec, number = f"{base}-{number}", number + 1
            taken.add(spec)
            specs[node.path] = spec
        return specs

    def _record(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        _check_prefix(asked)
        change = self._find(asked["identifier"])
        yield from self._write([change], host, whole=True)

    def _list(self, asked: Mapping[str, str], host: str) -> Iterator[str]:
        place = _place(asked)
        low, high = _seconds(place.low, 0.0), _seconds(place.high, float("inf"), end=True)
        span = ChangeSpan(low, high, self._paths_of(place.topic))
        after = (place.at, place.after) if place.after else None
        found = self._portal.view.changes.since(span, now=time(), after=after, limit=PAGE + 1)
        if not found and not place.after:
            raise _Refused("noRecordsMatch", "Nothing changed in that time.")
        shown = found[:PAGE]
        yield from self._write(shown, host, whole=asked["verb"] == "ListRecords")
        if len(found) > PAGE:
            further = replace(place, at=shown[-1].changed_at, after=shown[-1].entity)
            yield f"<resumptionToken>{further.token}</resumptionToken>"
        elif place.after:
            yield "<resumptionToken/>"

    def _paths_of(self, spec: str) -> tuple[str, ...] | None:
        """The topics in a set: its own and those below it."""
        if not spec:
            return None
        named = self._topic_sets()
        if not named:
            raise _Refused("noSetHierarchy", "This portal has no topics and therefore no sets.")
        return tuple(
            "/".join(path) for path, each in named.items() if each == spec or each.startswith(f"{spec}:")
        )

    def _find(self, identifier: str) -> EntityChange:
        change = self._portal.view.changes.get(EntityId(identifier.removeprefix(self._prefix)))
        if change is None or change.changed_at > time():
            raise _Refused("idDoesNotExist", f"There is no {self._portal.naming.one} {identifier}.")
        return change

    def _write(self, changes: Sequence[EntityChange], host: str, *, whole: bool) -> Iterator[str]:
        """Records, or only their headers."""
        ids = [change.entity for change in changes if not change.removed]
        entities = self._portal.view.entities.many(ids)
        told = dict(self._collection.list_dublin_core(self._portal, [*entities.values()])) if whole else {}
        topics, specs = self._portal.view.topics.best(ids), self._topic_sets()
        for change in changes:
            header = self._header(change, specs.get(topics.get(change.entity, ()), ""))
            described = (
                self._describe(change.entity, told[change.entity], host) if change.entity in told else ""
            )
            yield f"<record>{header}{described}</record>" if whole else header

    def _header(self, change: EntityChange, spec: str) -> str:
        status = ' status="deleted"' if change.removed else ""
        name = escape_xml(self._prefix + change.entity)
        within = f"<setSpec>{spec}</setSpec>" if spec else ""
        return (
            f"<header{status}><identifier>{name}</identifier>"
            f"<datestamp>{format_moment(change.changed_at)}</datestamp>{within}</header>"
        )

    def _describe(self, entity: EntityId, told: Pairs, host: str) -> str:
        said = [*told, ("identifier", host + self._portal.naming.url(entity))]
        values = "".join(f"<dc:{name}>{escape_xml(value)}</dc:{name}>" for name, value in said if value)
        schema = _schema(_DUBLIN_CORE, f"{PREFIX}.xsd", prefix=PREFIX)
        return (
            f'<metadata><oai_dc:dc xmlns:dc="http://purl.org/dc/elements/1.1/" {schema}>{values}</oai_dc:dc>'
            "</metadata>"
        )


def _schema(namespace: str, file: str, *, prefix: str = "") -> str:
    """The attributes that declare an element's namespace and the schema to validate it with."""
    return (
        f'xmlns{prefix and ":"}{prefix}="{namespace}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{namespace} {_PROTOCOL}{file}"'
    )


def _checked(pairs: Pairs) -> str:
    """The verb of a request. Raises `_Refused` if the verb or its arguments are not valid."""
    asked = dict(pairs)
    verb = asked.get("verb", "")
    if verb not in _ARGUMENTS or sum(name == "verb" for name, _ in pairs) != 1:
        raise _Refused("badVerb", f"The verb must be one of {', '.join(_ARGUMENTS)}.")
    allowed, needed = _ARGUMENTS[verb]
    names = [name for name, _ in pairs if name != "verb"]
    if len(set(names)) != len(names) or not set(names) <= allowed:
        raise _Refused("badArgument", f"{verb} takes {', '.join(sorted(allowed)) or 'nothing'}, each once.")
    if "resumptionToken" in names and len(names) > 1:
        raise _Refused("badArgument", "A resumption token must be the only argument besides the verb.")
    if "resumptionToken" not in names and not needed <= set(names):
        raise _Refused("badArgument", f"{verb} needs {', '.join(sorted(needed))}.")
    return verb


def _check_prefix(asked: Mapping[str, str]) -> None:
    if asked["metadataPrefix"] != PREFIX:
        raise _Refused("cannotDisseminateFormat", f"Records are given as {PREFIX} alone.")


def _place(asked: Mapping[str, str]) -> _Place:
    if "resumptionToken" in asked:
        return _resumed(asked["resumptionToken"])
    _check_prefix(asked)
    low, high = asked.get("from", ""), asked.get("until", "")
    for value in (low, high):
        if value and not _DATE.fullmatch(value):
            raise _Refused("badArgument", "Times are written 2001-12-31 or 2001-12-31T23:59:59Z.")
    if low and high and (len(low) != len(high) or low > high):
        raise _Refused(
            "badArgument",
            "from and until must have the same granularity, and from must not be the later one.",
        )
    _seconds(low, 0.0)
    _seconds(high, 0.0)
    return _Place(low, high, asked.get("set", ""))


def _resumed(token: str) -> _Place:
    try:
        place = _Place(**json.loads(base64.urlsafe_b64decode(token.encode())))
        ours = place.token == token and place.after.isascii() and bool(place.after) and place.at >= 0
        _seconds(place.low, 0.0)
        _seconds(place.high, 0.0)
    except (ValueError, TypeError, AttributeError, RecursionError, _Refused) as error:
        raise _Refused("badResumptionToken", _NOT_OURS) from error
    if not ours:
        raise _Refused("badResumptionToken", _NOT_OURS)
    return place


def _seconds(written: str, otherwise: float, *, end: bool = False) -> float:
    """A timestamp in seconds; a date without time means the start of the day or, with `end`, its end."""
    if not written:
        return otherwise
    whole = written if "T" in written else f"{written}T{'23:59:59' if end else '00:00:00'}Z"
    try:
        return datetime.strptime(whole, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp() + end
    except (ValueError, OverflowError) as error:
        raise _Refused("badArgument", f"{written} is no date.") from error
