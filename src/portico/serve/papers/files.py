"""Files of a paper: names of formats, types of copies, the picture of the first page."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.collection import FindEntity
from portico.serve.links import make_paper_url
from portico.serve.portal import ServedPortal
from portico.types.record import Entity

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
def normalize_type(media_type: str) -> str:
    """The type without its parameters, under one of its names."""
    plain = media_type.partition(";")[0].strip().lower()
    return "application/gzip" if plain in ("application/x-gzip", "application/gzip") else plain


def get_format_name(media_type: str) -> str:
    return COPY_TYPES.get(normalize_type(media_type), _UNKNOWN_TYPE)[0]


def get_file_ending(media_type: str) -> str:
    return COPY_TYPES.get(normalize_type(media_type), _UNKNOWN_TYPE)[1]


_NAME = "first-page.png"
# It changes only with the file; a day spares most repeated requests.
_A_DAY = "public, max-age=86400"


@dataclass(frozen=True, slots=True)
class PictureView:
    """Where the picture is, and how large: a page that knows leaves room for it."""

    url: str
    width: int
    height: int


def make_picture_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    def picture(request: Request) -> Response:
        entity = find(request, lambda name: f"{make_paper_url(name)}/{_NAME}")
        if isinstance(entity, Response):
            return entity
        found = portal.view.picture(entity.documents)
        if found is None:
            raise HTTPException(404, "There is no picture of this paper.")
        return Response(b64decode(found.png), media_type="image/png", headers={"Cache-Control": _A_DAY})

    return [Route(f"/paper/{{id}}/{_NAME}", picture)]


def find_picture(portal: ServedPortal, entity: Entity) -> PictureView | None:
    found = portal.view.picture(entity.documents)
    return PictureView(f"{make_paper_url(entity.id)}/{_NAME}", found.width, found.height) if found else None
