"""Asks for the builder's password and keeps its hash in the portal."""

import sys
from pathlib import Path

import typer

from portico.config.places import find_portal
from portico.config.reading import read_settings
from portico.serve.desk import HASH_KEY
from portico.serve.passwords import hashed
from portico.store.opening import open_store


def set_password(path: Path, *, remove: bool) -> None:
    """Take the place of the password there was; nothing changes where the new one is refused."""
    folder = find_portal(path).folder
    settings = read_settings(folder, for_building=False)
    secret = None if remove else hashed(_asked())
    store = open_store(settings.store.url, folder)
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
