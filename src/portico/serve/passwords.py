"""The builder's password: kept as a scrypt hash, compared in constant time."""

import hashlib
import hmac
import os
from base64 import b64decode, b64encode

from portico.errors import ConfigError

LEAST_CHARACTERS = 8

# OWASP's parameters for scrypt with 64 MB: about a third of a second on one core.
_COST, _BLOCK, _PARALLEL = 2**16, 8, 2
_MEMORY = 2 * 128 * _COST * _BLOCK  # what scrypt takes, and as much again, in bytes
_KIND = "scrypt"


def hashed(password: str) -> str:
    """The password as it is stored."""
    if len(password) < LEAST_CHARACTERS:
        raise ConfigError(f"the builder's password needs at least {LEAST_CHARACTERS} characters")
    salt = os.urandom(16)
    return "$".join((_KIND, b64encode(salt).decode(), b64encode(_key(password, salt)).decode()))


def matches(password: str, stored: str) -> bool:
    """Whether this is the password; takes as long whether or not it is."""
    kind, salt, key = stored.split("$")
    return kind == _KIND and hmac.compare_digest(_key(password, b64decode(salt)), b64decode(key))


def _key(password: str, salt: bytes) -> bytes:
    secret = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(secret, salt=salt, n=_COST, r=_BLOCK, p=_PARALLEL, maxmem=_MEMORY)
