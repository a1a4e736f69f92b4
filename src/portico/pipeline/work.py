"""What the worker processes do: the one-document stages, built from options that can travel."""

from dataclasses import dataclass
from pathlib import Path

from portico.convert.converter import Converter, ConvertLimits
from portico.convert.sandbox import require_bubblewrap
from portico.domains.registry import domain_named
from portico.extract.extractor import load_extractor
from portico.store.blobs import Blobs
from portico.store.codec import decode, encode
from portico.types.document import Document, DocumentId
from portico.types.page import BodyHash


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """Where the bodies are, and how much a document may cost."""

    blobs: Path
    limits: ConvertLimits


@dataclass(frozen=True, slots=True)
class ConvertInput:
    """One body to convert; `name` is for messages."""

    body: BodyHash
    media_type: str
    name: str


class Converting:
    """A body's hash in, an encoded Document out."""

    def __init__(self, options: ConvertOptions) -> None:
        # Said once for the whole run: no document is to blame for a sandbox that cannot be made.
        if options.limits.sandbox == "bubblewrap":
            require_bubblewrap()
        self._blobs = Blobs(options.blobs)
        self._convert = Converter(options.limits)

    def __call__(self, item: ConvertInput) -> bytes:
        document = self._convert(
            self._blobs.get(item.body),
            media_type=item.media_type,
            name=item.name,
            document_id=DocumentId(item.body),
        )
        return encode(document)

    def close(self) -> None:
        self._convert.close()


class Extracting:
    """An encoded Document in, its encoded Records out; the option is the name of the domain."""

    def __init__(self, domain: str) -> None:
        self._extract = load_extractor(domain_named(domain))

    def __call__(self, document: bytes) -> bytes:
        return encode(self._extract(decode(Document, document)))
