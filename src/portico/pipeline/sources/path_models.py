"""Locates a portal's path model: its own, taught or trained, or the one shipped with the domain."""

from hashlib import sha256
from pathlib import Path

from portico.errors import ConfigError
from portico.pipeline.portal import Portal

PATHS = "paths"
OWN = "paths.npz"


def find_paths_file(portal: Portal) -> Path:
    """The file of the path model; ConfigError with advice if there is none."""
    domain = portal.domain
    own = portal.places.models / OWN
    if own.is_file():
        return own
    if domain.paths and (domain.models / domain.paths).is_file():
        return domain.models / domain.paths
    raise ConfigError(
        f'policy = "{PATHS}": this portal has no model of paths, and none ships with the domain '
        f'"{domain.name}". Show the way with `portico teach {portal.places.folder}`, or train one with '
        f"`portico train paths --data FOLDER --out {own}`"
    )


def identify_policy(portal: Portal) -> str:
    """Identify the order of links in a crawl: the policy and, if it uses paths, the model's digest."""
    policy = portal.settings.spider.policy
    if policy != PATHS:
        return policy
    return f"{PATHS} {sha256(find_paths_file(portal).read_bytes()).hexdigest()[:16]}"
