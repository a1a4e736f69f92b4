"""Imports the records of another repository over OAI-PMH, and later only those that changed.

Each response is stored as a file in the portal's folder before the next request, so a killed harvest can
continue. Whenever `MOST_STORED` bytes are waiting, and at the end, the responses are imported like any other
catalog. A repository may send whatever it likes: responses are never held as trees, and the size of each and
of all together is limited.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from lxml import etree

from portico.config.portal_paths import PortalPaths, find_hidden_portal
from portico.config.reading import read_settings
from portico.config.settings import MEGABYTE
from portico.config.template import format_import_toml
from portico.crawl.fetching.fetcher import Fetcher, HttpClient
from portico.crawl.responses import parse_retry_after
from portico.errors import ConfigError, FetchError
from portico.files import write_whole
from portico.pipeline.building import BuildSummary, build
from portico.pipeline.catalogs.formats import CatalogFormat
from portico.pipeline.importing import AFTERWARDS, CatalogFile, import_records
from portico.pipeline.opening import open_for_changes, write_settings
from portico.pipeline.progress import BuildRequest, Progress, StageReport, sum_reports
from portico.pipeline.sources.crawling import make_crawl_options
from portico.types.page import Url

MOST_BYTES = 50_000_000
"""Maximum size of a response: repositories send a hundred to a thousand records at a time."""
MOST_STORED = 500_000_000
"""Bytes of responses that wait to be imported; then they are, and are deleted."""
MOST_ELEMENTS = 2_000_000
"""Maximum XML elements in a response; a thousand records in Dublin Core have about fifty thousand."""
TRIES = 5
LONGEST_WAIT_S = 600.0
"""A repository that asks for a longer pause gets no more requests; the next import continues."""
_AGAIN_S = 2.0  # after a failure, doubled each time
_FAULTS = (429, 500, 502, 503, 504)
_DEEPEST = 3  # elements within each other down to the texts of a response that are kept
_LONGEST_TEXT = 10_000  # characters of a token or a reason
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_STATE = "state.json"


@dataclass(frozen=True, slots=True)
class HarvestState:
    """How far the harvest of a repository has progressed."""

    token: str = ""  # of the next answer; empty between harvests
    n_answers: int = 0
    began: str = ""  # the repository's time at the first answer of this harvest
    since: str = ""  # the same of the last complete harvest
    n_bytes: int = 0  # received in this harvest


class HarvestEnd(Enum):
    """Why no further response was requested."""

    COMPLETE = auto()
    WAITING = auto()  # the responses received so far are to be imported first
    TOO_LARGE = auto()  # the repository has sent as much as the builder allows


@dataclass(frozen=True, slots=True)
class Repository:
    """Where to send requests, and for which records: `https://host/oai?set=math&metadataPrefix=oai_dc`."""

    url: str
    wanted: tuple[tuple[str, str], ...]
    folder: Path

    @classmethod
    def parse(cls, address: str, portal: Path) -> "Repository":
        try:
            parts = urlsplit(address)
            is_named = bool(parts.hostname) and parts.username is None and parts.password is None
        except ValueError:
            is_named = False
        if not is_named:
            raise ConfigError(
                "that is no URL of a repository: it has no host, or a password, which is not sent"
            )
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        asked.pop("verb", None)
        wanted = {"metadataPrefix": "oai_dc", **asked}
        name = _NOT_IN_NAMES.sub("-", f"{parts.netloc}{parts.path} {asked.get('set', '')}".lower()).strip("-")
        url = parts._replace(query="", fragment="").geturl()
        return cls(url, tuple(sorted(wanted.items())), portal / "harvest" / name)

    def make_url(self, state: HarvestState) -> Url:
        """The next request: by token, or for records since the day of the last complete harvest."""
        if state.token:
            asked = {"verb": "ListRecords", "resumptionToken": state.token}
        else:
            # All repositories understand dates without times; records sent twice are recognized.
            asked = {"verb": "ListRecords", **dict(self.wanted)}
            if state.since:
                asked["from"] = state.since[:10]
        return Url(f"{self.url}?{urlencode(asked)}")

    def read_state(self) -> HarvestState:
        try:
            return HarvestState(**json.loads((self.folder / _STATE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return HarvestState()

    def write_state(self, state: HarvestState) -> None:
        write_whole(self.folder / _STATE, json.dumps(asdict(state)).encode())

    def list_answers(self) -> list[Path]:
        return sorted(self.folder.glob("*.xml"))


def import_repository(address: str, folder: Path, progress: Progress) -> BuildSummary | None:
    """Harvest what is new at that URL and import it into the portal; None if nothing is new."""
    repository = Repository.parse(address, folder)
    if not any(place.settings.exists() for place in (PortalPaths(folder), find_hidden_portal(folder))):
        folder.mkdir(parents=True, exist_ok=True)
        write_settings(PortalPaths(folder).settings, format_import_toml(folder.resolve().name or "Papers"))
    repository.folder.mkdir(parents=True, exist_ok=True)
    settings = read_settings(folder, for_building=False)

    most_bytes = settings.fetch.max_harvest_megabytes * MEGABYTE

    async def harvest_some(say: Callable[[str], None]) -> HarvestEnd:
        async with Fetcher(
            replace(make_crawl_options(settings, []).fetch, max_bytes=MOST_BYTES, timeout_s=LONGEST_WAIT_S)
        ) as http:
            return await harvest(repository, http, say, delay_s=settings.fetch.delay_s, most_bytes=most_bytes)

    started, reports, end = time.time(), list[StageReport](), HarvestEnd.WAITING
    while end is HarvestEnd.WAITING:
        for answer in repository.list_answers() if reports else ():
            answer.unlink()  # their records are in the store now
        with progress.stage("harvest", None) as meter:
            end = asyncio.run(harvest_some(meter.status))
        reports += _import_answers(repository, folder, progress)
    if not reports and end is HarvestEnd.COMPLETE:
        return None
    with open_for_changes(folder) as portal:
        summary = build(portal, BuildRequest(stages=AFTERWARDS), progress, path=folder, started=started)
    for answer in repository.list_answers():  # not before: a killed import builds when it is repeated
        answer.unlink()
    if end is HarvestEnd.TOO_LARGE:
        raise ConfigError(
            f"{address}: has sent {settings.fetch.max_harvest_megabytes:,} MB and goes on; what was received "
            "is in the portal. To continue, raise max_harvest_megabytes under [fetch] and import again"
        )
    return replace(summary, reports=(sum_reports(reports), *summary.reports))


def _import_answers(repository: Repository, folder: Path, progress: Progress) -> list[StageReport]:
    if not (answers := repository.list_answers()):
        return []
    with open_for_changes(folder) as portal:
        return [
            import_records(CatalogFile(each, CatalogFormat.XML), portal, progress, clock=time.time)
            for each in answers
        ]


async def harvest(
    repository: Repository, http: HttpClient, say: Callable[[str], None], *, delay_s: float, most_bytes: int
) -> HarvestEnd:
    """Request one response after the other, and store each with the resulting state.

    `most_bytes` limits what the repository may send before it says that nothing follows; 0 means no limit.
    """
    state = repository.read_state()
    is_first, has_begun_again, n_stored = True, False, 0
    while is_first or state.token:
        if state.token and 0 < most_bytes <= state.n_bytes:
            return HarvestEnd.TOO_LARGE
        if n_stored >= MOST_STORED:
            return HarvestEnd.WAITING
        if not is_first:
            await asyncio.sleep(delay_s)
        is_first = False
        body = await _ask(http, repository.make_url(state), say)
        answer = _read_answer(body, repository.url)
        if answer.fault == "badResumptionToken" and state.token and not has_begun_again:
            has_begun_again, is_first = True, True  # tokens expire; known records are recognized
            state = replace(state, token="")
            continue
        if answer.fault and answer.fault != "noRecordsMatch":
            raise ConfigError(f"{repository.url} refuses: {answer.fault}. {answer.reason}")
        if not answer.fault:
            write_whole(repository.folder / f"{repository.folder.name}.{state.n_answers:06}.xml", body)
            n_stored += len(body)
        if answer.token and answer.token == state.token:
            raise ConfigError(f"{repository.url} asks for the same answer again, which would never end")
        state = replace(
            state,
            token=answer.token,
            n_answers=state.n_answers + 1,
            began=state.began or answer.date,
            n_bytes=state.n_bytes + len(body),
        )
        if not answer.token:
            state = HarvestState(since=state.began)
        repository.write_state(state)
        say(f"{state.n_answers} answers")
    return HarvestEnd.COMPLETE


async def _ask(http: HttpClient, url: Url, say: Callable[[str], None]) -> bytes:
    fault = FetchError("was not asked")
    for attempt in range(TRIES):
        if attempt:
            await asyncio.sleep(_AGAIN_S * 2 ** (attempt - 1))
        try:
            answer = await http.get(url, max_bytes=MOST_BYTES)
        except FetchError as error:
            fault = FetchError(f"{url}: {error}")
            continue
        if answer.status == 200 and answer.body is not None:
            return answer.body
        if answer.location:
            raise ConfigError(f"{url}: has moved to {answer.location}; import from there")
        fault = FetchError(f"{url}: answered {answer.status}")
        if answer.status not in _FAULTS:
            break
        wait_s = parse_retry_after(answer.retry_after, datetime.now(UTC)) or 0.0
        if wait_s > LONGEST_WAIT_S:
            raise FetchError(f"{url}: asks to come back in {wait_s:.0f} s; the next import goes on there")
        if wait_s:
            say(f"the repository asks to wait {wait_s:.0f} s")
            await asyncio.sleep(wait_s)
    raise fault


@dataclass(frozen=True, slots=True)
class _OaiAnswer:
    """What a response says besides its records."""

    date: str
    token: str  # of the next response
    fault: str  # the code of an error
    reason: str


class _AnswerReader:
    """Keeps a few texts of a response while it is parsed, so that no tree of its elements is made."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._n_elements = 0
        self._texts: dict[str, list[str]] = {
            "responseDate": [],
            "error": [],
            "ListRecords/resumptionToken": [],
        }
        self._open: list[str] | None = None
        self._fault = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._n_elements += 1
        if self._n_elements > MOST_ELEMENTS or (not self._path and tag != f"{_OAI}OAI-PMH"):
            raise _NotOai
        self._path.append(tag.removeprefix(_OAI))
        if len(self._path) <= _DEEPEST:
            self._open = self._texts.get("/".join(self._path[1:]))
        if self._path[1:] == ["error"]:
            self._fault = attributes.get("code") or "error"

    def data(self, text: str) -> None:
        if self._open is not None:
            self._open.append(text[:_LONGEST_TEXT])

    def end(self, tag: str) -> None:
        self._path.pop()
        self._open = None

    def close(self) -> _OaiAnswer:
        date, reason, token = ("".join(parts).strip()[:_LONGEST_TEXT] for parts in (self._texts.values()))
        return _OaiAnswer(date, token, self._fault, " ".join(reason.split()))


class _NotOai(Exception):
    """The response is something else, or far too large."""


def _read_answer(body: bytes, url: str) -> _OaiAnswer:
    parser = etree.XMLParser(
        target=_AnswerReader(), resolve_entities=False, no_network=True, load_dtd=False, recover=False
    )
    try:
        answer: _OaiAnswer = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise ConfigError(f"{url}: does not answer with OAI-PMH ({error})") from error
    except _NotOai as error:
        raise ConfigError(
            f"{url}: does not answer with OAI-PMH; its base URL often ends in /oai or /oai2"
        ) from error
    return answer
