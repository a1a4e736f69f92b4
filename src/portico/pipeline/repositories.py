"""Imports the records of another repository over OAI-PMH, and later only those that changed.

Each response is stored as a file in the portal's folder before the next request, so a killed harvest can
continue. Once complete, the responses are imported like any other catalog.
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from lxml import etree

from portico.config.portal_paths import PortalPaths, find_hidden_portal
from portico.config.reading import read_settings
from portico.config.template import format_import_toml
from portico.crawl.fetching.fetcher import Fetcher, HttpClient
from portico.crawl.responses import parse_retry_after
from portico.errors import ConfigError, FetchError
from portico.files import write_whole
from portico.pipeline.building import BuildSummary
from portico.pipeline.catalogs.formats import CatalogFormat
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import write_settings
from portico.pipeline.progress import Progress
from portico.pipeline.sources.crawling import make_crawl_options
from portico.types.page import Url

MOST_BYTES = 50_000_000
"""Maximum size of a response: repositories send a hundred to a thousand records at a time."""
TRIES = 5
LONGEST_WAIT_S = 600.0
"""A repository that asks for a longer pause gets no more requests; the next import continues."""
_AGAIN_S = 2.0  # after a failure, doubled each time
_FAULTS = (429, 500, 502, 503, 504)
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


@dataclass(frozen=True, slots=True)
class Repository:
    """Where to send requests, and for which records: `https://host/oai?set=math&metadataPrefix=oai_dc`."""

    url: str
    wanted: tuple[tuple[str, str], ...]
    folder: Path

    @classmethod
    def parse(cls, address: str, portal: Path) -> "Repository":
        parts = urlsplit(address)
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
    if not any(place.settings.exists() for place in (PortalPaths(folder), find_hidden_portal(folder))):
        folder.mkdir(parents=True, exist_ok=True)
        write_settings(PortalPaths(folder).settings, format_import_toml(folder.resolve().name or "Papers"))
    repository = Repository.parse(address, folder)
    repository.folder.mkdir(parents=True, exist_ok=True)
    settings = read_settings(folder, for_building=False)

    async def harvest_all(say: Callable[[str], None]) -> None:
        async with Fetcher(
            replace(make_crawl_options(settings, []).fetch, max_bytes=MOST_BYTES, timeout_s=LONGEST_WAIT_S)
        ) as http:
            await harvest(repository, http, say, delay_s=settings.fetch.delay_s)

    with progress.stage("harvest", None) as meter:
        asyncio.run(harvest_all(meter.status))
    answers = repository.list_answers()
    if not answers:
        return None
    summary = import_portal(repository.folder, folder, progress, kind=CatalogFormat.XML)
    for answer in answers:  # their records are in the store now
        answer.unlink()
    return summary


async def harvest(
    repository: Repository, http: HttpClient, say: Callable[[str], None], *, delay_s: float
) -> None:
    """Request one response after the other, and store each with the resulting state."""
    state = repository.read_state()
    is_first, has_begun_again = True, False
    while is_first or state.token:
        if not is_first:
            await asyncio.sleep(delay_s)
        is_first = False
        body = await _ask(http, repository.make_url(state), say)
        root = _parse(body, repository.url)
        fault = root.find(f"{_OAI}error")
        code = "" if fault is None else fault.get("code", "")
        if code == "badResumptionToken" and state.token and not has_begun_again:
            has_begun_again, is_first = True, True  # tokens expire; known records are recognized
            state = replace(state, token="")
            continue
        if code and code != "noRecordsMatch":
            said = " ".join("".join(fault.itertext()).split()) if fault is not None else ""
            raise ConfigError(f"{repository.url} refuses: {code}. {said}")
        began = state.began or root.findtext(f"{_OAI}responseDate") or ""
        if not code:
            write_whole(repository.folder / f"{repository.folder.name}.{state.n_answers:06}.xml", body)
        token = (root.findtext(f"{_OAI}ListRecords/{_OAI}resumptionToken") or "").strip()
        if token and token == state.token:
            raise ConfigError(f"{repository.url} asks for the same answer again, which would never end")
        state = replace(state, token=token, n_answers=state.n_answers + 1, began=began)
        if not token:
            state = HarvestState(since=began)
        repository.write_state(state)
        say(f"{state.n_answers} answers")


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


def _parse(body: bytes, url: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise ConfigError(f"{url}: does not answer with OAI-PMH ({error})") from error
    if root.tag != f"{_OAI}OAI-PMH":
        raise ConfigError(f"{url}: does not answer with OAI-PMH; its base URL often ends in /oai or /oai2")
    return root
