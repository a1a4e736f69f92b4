"""Opens a portal for those who change it while it is served: visitors who propose, and the builder."""

import os
from hashlib import sha256
from pathlib import Path

from portico.errors import PortalError
from portico.pipeline.correcting import reindex
from portico.pipeline.portal import Portal
from portico.pipeline.topics.topic_suggestions import accept_suggestion
from portico.serve.desk import Desk, Model
from portico.store.opening import open_store, store_path

_CARD = ".md"


def open_desk(portal: Portal, password: str | None = None) -> Desk | None:
    """The desk of a portal; None where its folder cannot be written. `password` is a hash, for this run."""
    folder = portal.places.folder
    kept = store_path(portal.settings.store.url, folder)
    if not all(os.access(place, os.W_OK) for place in (kept, kept.parent)):
        return None  # it would open, and fail when the first visitor sends something
    try:
        store = open_store(portal.settings.store.url, folder)
    except PortalError:
        return None
    writable = Portal(portal.places, portal.settings, store)
    return Desk(
        store=store,
        folder=folder,
        reindex=lambda names: reindex(writable, names),
        grow=lambda suggestion: accept_suggestion(writable, suggestion),
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
