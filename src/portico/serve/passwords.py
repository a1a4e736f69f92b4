"""The builder's password: kept as a scrypt hash, compared in constant time."""

import hashlib
import hmac
import os
from base64 import b64decode, b64encode

from portico.errors import ConfigError

LEAST_CHARACTERS = 8

# OWASP's parameters for scrypt with 16 MB: some tenths of a second on one core.
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_KIND = "scrypt"


def hashed(password: str, *, cost: int = _COST) -> str:
    """The password as it is stored, with what it takes to compare: a higher cost makes guessing slower."""
    if len(password) < LEAST_CHARACTERS:
        raise ConfigError(f"the builder's password needs at least {LEAST_CHARACTERS} characters")
    salt = os.urandom(16)
    key = _key(password, salt, cost)
    return "$".join((_KIND, str(cost), b64encode(salt).decode(), b64encode(key).decode()))


def matches(password: str, stored: str) -> bool:
    """Whether this is the password; takes as long whether or not it is. Nothing matches what is no hash."""
    kind, _, rest = stored.partition("$")
    cost, _, keys = rest.partition("$")
    salt, _, key = keys.partition("$")
    if kind != _KIND or not cost.isdecimal() or not key:
        return False
    return hmac.compare_digest(_key(password, b64decode(salt), int(cost)), b64decode(key))


def _key(password: str, salt: bytes, cost: int) -> bytes:
    secret = password.encode("utf-8", "surrogatepass")
    memory = 2 * 128 * cost * _BLOCK  # what scrypt takes, and as much again, in bytes
    return hashlib.scrypt(secret, salt=salt, n=cost, r=_BLOCK, p=_PARALLEL, maxmem=max(memory, 2**20))
