"""Opens a portal and serves it to visitors, to the builder, or as static files."""

import platform
import sys
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import typer
from starlette.applications import Starlette

from portico.config.portal_paths import find_portal
from portico.config.reading import read_settings
from portico.errors import ConfigError, PortalError
from portico.pipeline.indexing import reindex
from portico.pipeline.opening import open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.published_index import IndexFollower, is_published
from portico.pipeline.topics.topic_suggestions import accept_suggestion, edit_tree, read_current_tree
from portico.serve.app import choose_served, create_app
from portico.serve.contributions.signing_in import hash_password
from portico.serve.contributions.writable_portal import HASH_KEY, Model, WritablePortal
from portico.serve.observing import AccessLog
from portico.serve.portal import About
from portico.serve.running import run_portal, run_workers
from portico.serve.static_site import write_static_site
from portico.serve.theme import read_theme
from portico.store.opening import is_writable, open_store

_CARD = ".md"  # the model card in the same folder


def serve_until_stopped(
    path: Path, *, host: str | None, port: int | None, workers: int = 1, password: str | None = None
) -> None:
    """Serves until stopped; the portal's own settings apply where nothing is said.

    `password` is the builder's for this run, instead of the one that is stored.
    """

    def announce(url: str) -> None:
        typer.echo(f"{portal.settings.portal.title}: {url} (Ctrl-C stops it)")

    with open_portal(path) as portal:
        wanted = portal.settings.serve
        secret = hash_password(password) if password else None
        at, port = host or wanted.host, wanted.port if port is None else port
        if workers == 1:
            app = _app(portal, secret, at)
            run_portal(app, host=at, port=port, announce=announce, proxies=wanted.trusted_proxies)
        else:
            make_app = partial(open_app, path, secret, at)
            run_workers(
                make_app, workers, host=at, port=port, announce=announce, proxies=wanted.trusted_proxies
            )


def open_app(path: Path, secret: str | None = None, host: str = "") -> Starlette:
    """The portal, open for as long as the app lives."""
    with ExitStack() as opened:
        app = _app(opened.enter_context(open_portal(path)), secret, host)
        app.state.opened = opened.pop_all()
    return app


def write_static(path: Path, output: Path, *, copies: bool = True) -> None:
    """The portal as files, with copies of the papers or without; a folder that is not empty is left alone."""
    with open_portal(path) as portal:
        try:
            n_pages, what = _write_files(portal, output, copies=copies)
        except OSError as error:
            place = error.filename or output
            raise PortalError(f"{place}: cannot be written: {error.strerror or error}") from error
    typer.echo(f"{n_pages} pages of {what} in {output}: put the folder on any web host")


def _write_files(portal: Portal, output: Path, *, copies: bool) -> tuple[int, str]:
    """How many pages there are, and of what."""
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise ConfigError(f"{output}: already exists; name an empty or new folder")
    held = [entity for entity in portal.store.catalog.entities.all() if entity.documents]
    collection = choose_served(portal.domain)
    about = replace(_about(portal), copies=copies, base_url="")  # links of files are relative
    app = create_app(
        portal.store,
        index_folder=portal.places.index,
        about=about,
        collection=collection,
        find_index=IndexFollower(portal),
    )
    starts = [collection.holding.naming.url(entity.id) for entity in held]
    n_pages = write_static_site(app, starts, output, progress=_tell_pages)
    collection.write_static_index(held, portal.store.catalog.things, output / "data")
    return n_pages, f"{len(held)} {collection.counted_in_files}"


def _tell_pages(n_written: int) -> None:
    if n_written % 1000 == 0:
        typer.echo(f"{n_written} pages", err=True)


def _app(portal: Portal, secret: str | None, host: str) -> Starlette:
    return create_app(
        portal.store,
        index_folder=portal.places.index,
        about=replace(_about(portal), hosts=_list_hosts(portal, host)),
        collection=choose_served(portal.domain),
        writable=open_writable(portal, secret),
        find_index=IndexFollower(portal),
        access_log=AccessLog.open(portal.settings.serve.access_log, portal.places.folder),
    )


def _list_hosts(portal: Portal, host: str) -> tuple[str, ...]:
    """The names a served portal answers to, beside numbers and localhost."""
    said = portal.settings.serve
    public = urlsplit(said.base_url).hostname or ""
    return tuple(name for name in (*said.hosts, host, public, platform.node(), "localhost") if name)


def _about(portal: Portal) -> About:
    said = portal.settings
    return About(
        said.portal.title,
        said.portal.description,
        said.fetch.contact,
        said.search.ranking,
        language=said.portal.language,
        languages=said.portal.languages,
        base_url=said.serve.base_url,
        cors=said.serve.cors,
        metrics=said.serve.metrics,
        theme=read_theme(portal.places, said.theme),
    )


def open_writable(portal: Portal, password: str | None = None) -> WritablePortal | None:
    """A portal to change; None where its folder cannot be written. `password` is a hash, for this run."""
    folder = portal.places.folder
    if not is_writable(portal.settings.store.url, folder):
        return None  # it would open, and fail when the first visitor sends something
    try:
        store = open_store(portal.settings.store.url, folder, blobs=portal.settings.blobs.url)
    except PortalError:
        return None
    writable = replace(portal, store=store)
    # The tree is a file of the folder in which the portal is built; elsewhere a change of it would be lost.
    has_tree = portal.places.is_built_here or not is_published(portal)
    return WritablePortal(
        store=store,
        folder=folder,
        reindex=lambda names: reindex(writable, names),
        grow=(lambda suggestion: accept_suggestion(writable, suggestion)) if has_tree else None,
        change_tree=(lambda change: edit_tree(writable, change)) if has_tree else None,
        read_tree=lambda: read_current_tree(writable),
        tell_pages=lambda: writable.collection.tell_pages(writable),
        models=_models(portal),
        password=password,
    )


def _models(portal: Portal) -> tuple[Model, ...]:
    """What ships with the domain, then what the portal learned itself."""
    shipped = portal.domain.models
    own = portal.places.models
    paths = [path for folder in (shipped, own) if folder.is_dir() for path in sorted(folder.iterdir())]
    return tuple(_model(path, own) for path in paths if path.is_file() and path.suffix != _CARD)


def _model(path: Path, own: Path) -> Model:
    return Model(
        name=path.name,
        version=sha256(path.read_bytes()).hexdigest()[:12],
        n_bytes=path.stat().st_size,
        card=_card(path),
        is_own=path.parent == own,
    )


def _card(path: Path) -> str:
    """What is written of the model: the heading of a card names the files it is about."""
    texts = (card.read_text(encoding="utf-8") for card in sorted(path.parent.glob(f"*{_CARD}")))
    return next((text for text in texts if path.name in text.partition("\n")[0]), "")


def set_password(path: Path, *, remove: bool) -> None:
    """Take the place of the password there was; nothing changes where the new one is refused."""
    folder = find_portal(path).folder
    settings = read_settings(folder, for_building=False)
    secret = None if remove else hash_password(_asked())
    store = open_store(settings.store.url, folder, blobs=settings.blobs.url)
    try:
        if secret is None:
            store.meta.delete(HASH_KEY)
        else:
            store.meta.set(HASH_KEY, secret)
    finally:
        store.close()
    typer.echo("The builder's view is off." if remove else "Sign in at /builder of the served portal.")


def _asked() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
