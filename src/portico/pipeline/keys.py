"""Fingerprints: what finished work is known by."""

from hashlib import sha256


def fingerprint(*parts: object) -> str:
    """Changes when any part does; parts are told apart, so ("ab", "c") is not ("a", "bc")."""
    whole = sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "big"))
        whole.update(data)
    return whole.hexdigest()[:32]
