"""The jobs of worker processes: the one-document stages, built from serializable options."""

from base64 import b64encode
from dataclasses import dataclass, replace
from pathlib import Path
from struct import unpack_from
from tempfile import TemporaryDirectory

from portico.config.portal_paths import PortalPaths
from portico.convert.converter import Converter, ConvertLimits, PictureRequest
from portico.crawl.links import find_listings
from portico.errors import ConversionError
from portico.extract.extractor import Extractor, make_header_tagger
from portico.extract.listing_pages import ListingReader
from portico.extract.pages import load_extractor
from portico.learn.committee import load_committee
from portico.pipeline.portal_domain import find_fields_models, find_own_headers, load_domain
from portico.store.codec import decode, encode
from portico.store.documents.blobs import Blobs, open_blobs
from portico.text.markup import decode as decode_html
from portico.types.document import Document, DocumentId, PagePicture
from portico.types.page import BodyHash, ListingContext, Url


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """Where the bodies are, and the limits for converting one."""

    blobs: str
    limits: ConvertLimits


@dataclass(frozen=True, slots=True)
class ConvertInput:
    """One body to convert; `name` is for messages."""

    body: BodyHash
    media_type: str
    name: str
    as_page: bool = False  # whether it is a web page of a wanted kind


class ConvertJob:
    """Converts a body, given by its hash, to an encoded Document."""

    def __init__(self, options: ConvertOptions) -> None:
        self._blobs = _open_bodies(options.blobs)
        self._convert = Converter(options.limits)
        # Checked once for the whole run, because a missing sandbox is no fault of a document.
        self._convert.require_worker()

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
    """The domain to read by, and files that the portal itself declares or has learned."""

    domain: str
    own_files: tuple[tuple[str, bytes], ...]  # by name in the portal's folder


@dataclass(frozen=True, slots=True)
class ExtractInput:
    """One encoded Document, and what pages that link to it say about it."""

    document: bytes
    listings: tuple[ListingContext, ...] = ()
    is_own: bool = False  # whether the builder wants it extracted even if it is not a paper


class ExtractJob:
    """Extracts the encoded Records from an encoded Document."""

    def __init__(self, options: ExtractOptions) -> None:
        with TemporaryDirectory(prefix="portico-extract-") as folder:
            for name, content in options.own_files:
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
            self._load(options.domain, PortalPaths(Path(folder)))

    def _load(self, name: str, places: PortalPaths) -> None:
        domain = load_domain(name, places)
        self._extract = load_extractor(
            domain, find_fields_models(domain, places) if domain.page_kinds else None
        )
        papers = self._extract if isinstance(self._extract, Extractor) else None
        if papers is not None and find_own_headers(domain, places).is_file():
            taught = load_committee(find_own_headers(domain, places))
            self._extract = papers = replace(papers, tag_header=make_header_tagger(taught, domain))
        self._extract_any = replace(papers, is_choosy=False) if papers else self._extract
        self._read_listing = ListingReader(papers.tag_reference, papers.read_reference) if papers else None

    def __call__(self, item: ExtractInput) -> bytes:
        extract = self._extract_any if item.is_own else self._extract
        records = extract(decode(Document, item.document))
        if item.listings and self._read_listing is not None:
            header, *references = records
            records = (self._read_listing(header, item.listings), *references)
        return encode(records)


@dataclass(frozen=True, slots=True)
class ListInput:
    """One web page to search for text about documents."""

    body: BodyHash
    page: Url
    media_type: str


class ListJob:
    """Finds the encoded listings on a page, given by its hash."""

    def __init__(self, blobs: str) -> None:
        self._blobs = _open_bodies(blobs)

    def __call__(self, item: ListInput) -> bytes:
        html = decode_html(self._blobs.get(item.body), item.media_type)
        return encode(find_listings(html, item.page))


def _open_bodies(location: str) -> Blobs:
    blobs = open_blobs(location)
    blobs.require()
    return blobs


MAX_BYTES = 150_000
"""Larger pictures do not show a page of text, and are not worth a visitor's time."""

_SIZE_AT = 16  # bytes into a PNG file


@dataclass(frozen=True, slots=True)
class PictureInput:
    """One file to draw; `name` is for messages."""

    body: BodyHash
    dots_per_inch: float
    name: str


class PictureJob:
    """Draws the first page of a body, given by its hash, as an encoded picture."""

    def __init__(self, options: ConvertOptions) -> None:
        self._blobs = _open_bodies(options.blobs)
        self._converter = Converter(options.limits)

    def __call__(self, item: PictureInput) -> bytes:
        try:
            wanted = PictureRequest(0, item.dots_per_inch)
            png = self._converter.picture(self._blobs.get(item.body), wanted, name=item.name)
        except ConversionError:
            return encode(PagePicture(0, 0))
        return encode(_make_picture(png))

    def close(self) -> None:
        self._converter.close()


def _make_picture(png: bytes) -> PagePicture:
    if len(png) > MAX_BYTES:
        return PagePicture(0, 0)
    width, height = unpack_from(">II", png, _SIZE_AT)
    return PagePicture(width, height, b64encode(png).decode())
