"""The domains that ship, by name."""

from hashlib import sha256

from portico.domains.organisations import ORGANISATIONS
from portico.domains.papers import PAPERS
from portico.errors import ConfigError
from portico.types.domain import Domain

DOMAINS = {domain.name: domain for domain in (PAPERS, ORGANISATIONS)}


def find_domain(name: str) -> Domain:
    """ConfigError with the names there are, where there is none of that name."""
    try:
        return DOMAINS[name]
    except KeyError:
        known = ", ".join(sorted(DOMAINS))
        raise ConfigError(f'there is no domain "{name}"; there are: {known}') from None


def digest_learned(domain: Domain) -> str:
    """Changes when anything learned that ships with the domain does: models and lexicons."""
    whole = sha256()
    for path in sorted(domain.models.parent.rglob("*")):
        if path.is_file() and path.suffix not in _WRITTEN_BY_HAND:
            whole.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:16]


_WRITTEN_BY_HAND = {".py", ".pyc", ".md", ".toml"}  # code has versions of its own, the rest is not read
