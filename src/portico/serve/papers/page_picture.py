"""The first page of a paper as a small picture, drawn when the portal was built."""

from base64 import b64decode
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.serve.collection import FindEntity
from portico.serve.links import paper_url
from portico.serve.portal import ServedPortal
from portico.types.record import Entity

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
        entity = find(request, lambda name: f"{paper_url(name)}/{_NAME}")
        if isinstance(entity, Response):
            return entity
        found = portal.view.picture(entity.documents)
        if found is None:
            raise HTTPException(404, "There is no picture of this paper.")
        return Response(b64decode(found.png), media_type="image/png", headers={"Cache-Control": _A_DAY})

    return [Route(f"/paper/{{id}}/{_NAME}", picture)]


def picture_of(portal: ServedPortal, entity: Entity) -> PictureView | None:
    found = portal.view.picture(entity.documents)
    return PictureView(f"{paper_url(entity.id)}/{_NAME}", found.width, found.height) if found else None
