"""The domain of a portal: one that ships, or the one that its builder declares in domain.toml."""

from hashlib import sha256
from pathlib import Path

from portico.config.declaration import read_declaration
from portico.config.portal_paths import PortalPaths
from portico.config.settings import CUSTOM
from portico.domains.declared import make_declared_domain
from portico.domains.registry import digest_learned, find_domain
from portico.extract.pages import declared_digest
from portico.types.domain import Domain

HEADER = "header"
"""The kind of record that a paper's own header gives."""


def load_domain(name: str, places: PortalPaths) -> Domain:
    """ConfigError where there is no domain of that name, or with every mistake in domain.toml."""
    if name != CUSTOM:
        return find_domain(name)
    return make_declared_domain(read_declaration(places.domain), file=places.domain, models=places.models)


def digest_reading(domain: Domain, places: PortalPaths) -> str:
    """Changes when the same document may give other records: by another model, or another declaration."""
    if not domain.page_kinds:
        own = find_own_headers(domain, places)
        return digest_learned(domain) + (f" {_digest(own)}" if own.is_file() else "")
    model = find_fields_models(domain, places) / domain.kinds[0].model
    learned = _digest(model) if model.is_file() else "patterns"
    return f"{declared_digest(domain.kinds)} {learned}"


def find_own_headers(domain: Domain, places: PortalPaths) -> Path:
    """Where a portal of papers keeps the model of headers that its corrections have taught."""
    return places.models / domain.kind(HEADER).model


def find_fields_models(domain: Domain, places: PortalPaths) -> Path:
    """The folder of the model that reads fields: the portal's own where it was trained, else the domain's."""
    own = places.models / domain.kinds[0].model
    return places.models if own.is_file() else domain.models


def _digest(model: Path) -> str:
    return sha256(model.read_bytes()).hexdigest()[:16]
