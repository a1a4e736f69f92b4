"""Resolves the domain of a portal: one that ships, or the one declared in domain.toml."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from types import FunctionType

from portico.config.declaration import read_declaration
from portico.config.portal_paths import PortalPaths
from portico.config.settings import CUSTOM
from portico.domains.registry import digest_learned, find_domain, make_declared_domain
from portico.types.domain import Domain, Kind

HEADER = "header"
"""The kind of record that is made from a paper's own header."""


def load_domain(name: str, places: PortalPaths) -> Domain:
    """Load a domain; ConfigError if it does not exist, or with every mistake in domain.toml."""
    if name != CUSTOM:
        return find_domain(name)
    return make_declared_domain(read_declaration(places.domain), file=places.domain, models=places.models)


def digest_reading(domain: Domain, places: PortalPaths) -> str:
    """A digest that changes if documents may give other records: by another model or declaration."""
    if not domain.page_kinds:
        own = find_own_headers(domain, places)
        return digest_learned(domain) + (f" {_digest_model(own)}" if own.is_file() else "")
    model = find_fields_models(domain, places) / domain.kinds[0].model
    learned = _digest_model(model) if model.is_file() else "patterns"
    return f"{_digest_kinds(domain.kinds)} {learned}"


def find_own_headers(domain: Domain, places: PortalPaths) -> Path:
    """The path of the header model trained on the portal's corrections."""
    return places.models / domain.kind(HEADER).model


def find_fields_models(domain: Domain, places: PortalPaths) -> Path:
    """The folder of the model that reads fields: the portal's own if it was trained, else the domain's."""
    own = places.models / domain.kinds[0].model
    return places.models if own.is_file() else domain.models


def pack_own_files(domain: Domain, places: PortalPaths) -> tuple[tuple[str, bytes], ...]:
    """The portal's files needed for reading, by name, for workers without access to its folder."""
    models = [kind.model for kind in domain.kinds if kind.model]
    wanted = [places.domain, *(places.models / model for model in models)]
    return tuple(
        (str(path.relative_to(places.folder)), path.read_bytes()) for path in wanted if path.is_file()
    )


def _digest_model(model: Path) -> str:
    return sha256(model.read_bytes()).hexdigest()[:16]


def _digest_kinds(kinds: Sequence[Kind]) -> str:
    """A digest that changes if pages may give other records although no model has changed.

    It covers all declarations, so that none can be forgotten here.
    """
    return sha256(repr(_to_data(tuple(kinds))).encode()).hexdigest()[:16]


def _to_data(declared: object) -> object:
    """Convert a declaration to plain data: values by all their fields, functions by their names."""
    if is_dataclass(declared) and not isinstance(declared, type):
        return {field.name: _to_data(getattr(declared, field.name)) for field in fields(declared)}
    if isinstance(declared, tuple):
        return [_to_data(each) for each in declared]
    if isinstance(declared, FunctionType):
        return f"{declared.__module__}.{declared.__qualname__}"
    return declared
