"""The portal made by hand, served with a writable: people can correct, submit, and sign in as its builder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from portico.config.portal_paths import PortalPaths
from portico.config.settings import Settings
from portico.pipeline.collections.papers.collection import PapersCollection
from portico.pipeline.indexing import reindex
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_suggestions import accept_suggestion, edit_tree, read_current_tree
from portico.serve.app import create_app
from portico.serve.contributions.signing_in import hash_password
from portico.serve.contributions.writable_portal import Model, WritablePortal
from portico.serve.portal import About
from portico.store.opening import Store, open_store
from tests.serve.conftest import PATIENCE_S, Answer, Site, serving
from tests.serve.made import STORE_URL

PASSWORD = "correct horse battery"
HASH = hash_password(PASSWORD, cost=2)  # guessing is what must take long, not testing


@dataclass
class Clock:
    """Time that only moves when it is told to."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Visitor:
    """Somebody with a browser: keeps cookies, sends forms."""

    site: Site
    cookies: dict[str, str] = field(default_factory=dict)
    address: str = "127.0.0.1"  # of this machine

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, "", {})

    def post(self, path: str, headers: dict[str, str] | None = None, /, **form: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._ask("POST", path, urlencode(form), kind | (headers or {}))

    def sign_in(self, password: str = PASSWORD) -> Answer:
        return self.post("/builder/sign-in", password=password)

    def token(self) -> str:
        """What the builder's own forms carry."""
        page = self.get("/builder/corrections").text
        return page.partition('name="token" value="')[2].partition('"')[0]

    def _ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        connection = HTTPConnection(
            "127.0.0.1", self.site.port, timeout=PATIENCE_S, source_address=(self.address, 0)
        )
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body, headers | ({"Cookie": cookie} if cookie else {}))
            response = connection.getresponse()
            for line in response.headers.get_all("Set-Cookie", []):
                name, _, value = line.partition(";")[0].partition("=")
                self.cookies[name] = value
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()


@dataclass(frozen=True)
class Hearing:
    """A served portal, its store, and its clock."""

    site: Site
    store: Store
    clock: Clock

    def visitor(self) -> Visitor:
        return Visitor(self.site)

    def builder(self) -> Visitor:
        visitor = Visitor(self.site)
        assert visitor.sign_in().status == 303
        return visitor


_ABOUT = About("Trees & Words")


@contextmanager
def hearing(folder: Path, password: str | None = HASH, about: About = _ABOUT) -> Iterator[Hearing]:
    """The portal in that folder, with everything through which people change it."""
    read, written = open_store(STORE_URL, folder, read_only=True), open_store(STORE_URL, folder)
    portal = Portal(PortalPaths(folder), Settings(sources=()), written, PapersCollection())
    clock = Clock()
    writable = WritablePortal(
        store=written,
        folder=folder,
        reindex=lambda names: reindex(portal, names),
        grow=lambda suggestion: accept_suggestion(portal, suggestion),
        change_tree=lambda change: edit_tree(portal, change),
        read_tree=lambda: read_current_tree(portal),
        models=(Model("headers.crfsuite", "0123456789ab", 3, "# Card\n<script>x</script>"),),
        password=password,
        now=clock,
    )
    app = create_app(read, index_folder=folder / "index", about=about, writable=writable, clock=clock)
    with serving(app) as site:
        yield Hearing(site, written, clock)
    read.close()
    written.close()
