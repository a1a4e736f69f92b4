"""What the worker processes do: the one-document stages, built from options that can travel."""

from dataclasses import dataclass
from pathlib import Path

from portico.config.places import Places
from portico.convert.converter import Converter, ConvertLimits
from portico.convert.sandbox import require_bubblewrap
from portico.extract.pages import load_extractor
from portico.pipeline.declaring import domain_at, fields_models
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
    as_page: bool = False  # whether it is a web page that is sought for what it says


class Converting:
    """A body's hash in, an encoded Document out."""

    def __init__(self, options: ConvertOptions) -> None:
        # Said once for the whole run: no document is to blame for a sandbox that cannot be made.
        if options.limits.sandbox == "bubblewrap":
            require_bubblewrap()
        self._blobs = Blobs(options.blobs)
        self._convert = Converter(options.limits)

    def __call__(self, item: ConvertInput) -> bytes:
        convert = self._convert.page if item.as_page else self._convert
        document = convert(
            self._blobs.get(item.body),
            media_type=item.media_type,
            name=item.name,
            document_id=DocumentId(item.body),
        )
        return encode(document)

    def close(self) -> None:
        self._convert.close()


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Whose documents are read: a domain's, by name, or the one declared in the portal's folder."""

    domain: str
    folder: Path


class Extracting:
    """An encoded Document in, its encoded Records out."""

    def __init__(self, options: ExtractOptions) -> None:
        places = Places(options.folder)
        domain = domain_at(options.domain, places)
        self._extract = load_extractor(domain, fields_models(domain, places) if domain.page_kinds else None)

    def __call__(self, document: bytes) -> bytes:
        return encode(self._extract(decode(Document, document)))
