"""Serves copies of a paper's files, and the image of its first page."""

from base64 import b64decode
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from weakref import finalize

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from portico.serve.collection import FindEntity
from portico.serve.headers import COPY_POLICY, PDF_POLICY
from portico.serve.languages import mark
from portico.serve.links import check_outside_url, make_paper_url
from portico.serve.papers.describing import (
    BYTES,
    COPY_TYPES,
    PDF,
    get_file_ending,
    get_title,
    get_year,
    list_authors,
    normalize_type,
)
from portico.serve.portal import ServedPortal
from portico.store.portal_view import Source
from portico.text.citation_formats import make_citation_key
from portico.types.document import DocumentId
from portico.types.page import BodyHash
from portico.types.record import Entity

# PDF readers accept the marker anywhere in the first kilobyte; files without it are not opened in place.
_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024
_NAME = "first-page.png"
# It changes only with the file; caching for a day avoids most repeated requests.
_A_DAY = "public, max-age=86400"


@dataclass(frozen=True, slots=True)
class PictureView:
    """The URL and size of the image, so that a page can reserve space for it."""

    url: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class CopyOfFile:
    """The content of a document, with the name and media type under which to serve it."""

    n_bytes: int
    pieces: Iterator[bytes]
    media_type: str
    filename: str
    in_place: bool
    original: str  # its URL on the web; "" if it has none


class Download(StreamingResponse):
    """A file in pieces, which are closed when it is sent, or when the visitor leaves before; then `release`
    is called. Otherwise a generator would stay until garbage is collected, with the file that it reads.
    """

    def __init__(
        self,
        pieces: Iterator[str] | Iterator[bytes],
        *,
        media_type: str,
        headers: Mapping[str, str],
        release: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._pieces = pieces
        self._release = finalize(self, release)  # once, and also if this is never sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if isinstance(self._pieces, Generator):
                self._pieces.close()
            self._release()


def make_file_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    def picture(request: Request) -> Response:
        entity = find(request, lambda name: f"{make_paper_url(name)}/{_NAME}")
        found = portal.view.picture(entity.documents)
        if found is None:
            raise HTTPException(404, "There is no picture of this paper.")
        return Response(b64decode(found.png), media_type="image/png", headers={"Cache-Control": _A_DAY})

    def file(request: Request) -> Response:
        number = int(request.path_params["number"])
        entity = find(request, lambda name: f"{make_paper_url(name)}/file/{number}")
        copy = open_copy(portal, entity, number)
        if copy is None:
            raise HTTPException(404, "The portal has no copy of this file.")
        is_large = copy.n_bytes > _LARGE
        if is_large:
            _take_turn()
        disposition = "inline" if copy.in_place else "attachment"
        headers = {
            "Content-Disposition": f'{disposition}; filename="{copy.filename}"',
            "Content-Security-Policy": PDF_POLICY if copy.in_place else COPY_POLICY,
        }
        if copy.original:  # search engines should list the original, not our copy
            headers["Link"] = f'<{copy.original}>; rel="canonical"'
        headers["Content-Length"] = str(copy.n_bytes)
        return Download(
            copy.pieces,
            media_type=copy.media_type,
            headers=headers,
            release=_AT_ONCE.release if is_large else lambda: None,
        )

    return [Route(f"/paper/{{id}}/{_NAME}", picture), Route("/paper/{id}/file/{number:int}", file)]


_LARGE = 1_000_000
_AT_ONCE = BoundedSemaphore(32)  # each decompresses a file while sending it, which takes some megabytes


def _take_turn() -> None:
    """Take one of the slots for large downloads, or respond with 503."""
    if not _AT_ONCE.acquire(blocking=False):
        busy = mark("Many visitors are downloading files. Please try again in a minute.")
        raise HTTPException(503, busy, headers={"Retry-After": "60"})


def has_copy(portal: ServedPortal, document: DocumentId) -> bool:
    """Whether the portal has stored the body of a document."""
    return portal.blobs.has(BodyHash(document))


def find_picture(portal: ServedPortal, entity: Entity) -> PictureView | None:
    found = portal.view.picture(entity.documents)
    return PictureView(f"{make_paper_url(entity.id)}/{_NAME}", found.width, found.height) if found else None


def open_copy(portal: ServedPortal, entity: Entity, number: int) -> CopyOfFile | None:
    """Our copy of the paper's document of this number, counted from 1; None if there is none."""
    if not portal.about.copies or not 1 <= number <= len(entity.documents):
        return None
    document = entity.documents[number - 1]
    body_name = BodyHash(document)
    if not has_copy(portal, document):
        return None
    n_bytes, pieces = portal.blobs.stream(body_name)
    sources = portal.view.sources([document])
    media_type = _choose_media_type(sources, document)
    if media_type == PDF and _PDF_MARK not in portal.blobs.peek(body_name, _PDF_MARK_WITHIN):
        media_type = BYTES
    key = make_citation_key(list_authors(entity), get_year(entity), get_title(entity))
    return CopyOfFile(
        n_bytes=n_bytes,
        pieces=pieces,
        media_type=media_type,
        filename=key + get_file_ending(media_type),
        in_place=media_type == PDF,
        original=next((url for source in sources if (url := _get_header_url(source))), ""),
    )


def _get_header_url(source: Source) -> str:
    """The URL where the file was found; "" if it cannot be written in a header."""
    address = check_outside_url(source.name) or ""
    return address if address.isascii() and not set(address) & set('<>" \r\n') else ""


def _choose_media_type(sources: Sequence[Source], document: DocumentId) -> str:
    types = [normalize_type(source.media_type) for source in sources if source.document == document]
    return next((found for found in types if found in COPY_TYPES), BYTES)
