"""What documents are: the name of a format for people, and the types our copies are served as."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

PDF, BYTES = "application/pdf", "application/octet-stream"

# What a copy is served as: only types a browser shows without running anything in them. PDF opens
# in place, the rest is saved; a type we do not know is bytes.
COPY_TYPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        PDF: ("PDF", ".pdf"),
        "application/postscript": ("PostScript", ".ps"),
        "application/gzip": ("compressed PostScript", ".ps.gz"),
        "text/plain": ("text", ".txt"),
    }
)
_UNKNOWN_TYPE = ("file", ".bin")


@lru_cache(maxsize=1_000)
def known_type(media_type: str) -> str:
    """The type without its parameters, under one of its names."""
    plain = media_type.partition(";")[0].strip().lower()
    return "application/gzip" if plain in ("application/x-gzip", "application/gzip") else plain


def format_name(media_type: str) -> str:
    return COPY_TYPES.get(known_type(media_type), _UNKNOWN_TYPE)[0]


def file_ending(media_type: str) -> str:
    return COPY_TYPES.get(known_type(media_type), _UNKNOWN_TYPE)[1]
