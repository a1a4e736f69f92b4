"""Uploads: the builder sends documents from a browser, and the next build reads them like those of a
source folder.
"""

import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import HTTP
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.config.portal_paths import PortalPaths
from portico.config.settings import FolderSource
from portico.files import write_whole
from portico.serve.contributions.forms import check_origin
from portico.serve.contributions.signing_in import BUILDER, Guard
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.running import LONGEST_UPLOAD, UPLOAD_PATH

_NOT_IN_NAMES = re.compile(r"[^\w.() -]+")
_LONGEST_NAME = 100  # characters
PATTERNS = FolderSource(folder="uploads").patterns


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file as the browser sent it."""

    name: str
    body: bytes

    @property
    def is_readable(self) -> bool:
        """Whether the file name is that of a document we can read."""
        return any(fnmatch(self.name.lower(), pattern.lower()) for pattern in PATTERNS)


def make_upload_route(writable: WritablePortal, guard: Guard) -> Route:
    """The route that accepts files from the form on the builder's page of submissions."""

    async def upload(request: Request) -> Response:
        check_origin(request)
        await run_in_threadpool(guard.require, request)  # before the body, which anybody can send
        fields, files = read_multipart(request.headers.get("content-type", ""), await _read_body(request))
        await run_in_threadpool(guard.require, request, fields)
        refused = [file.name for file in files if not file.is_readable]
        if refused or not files:
            endings = ", ".join(pattern.removeprefix("*") for pattern in PATTERNS)
            which = f"{', '.join(refused)} cannot be read" if refused else "No file was chosen"
            raise HTTPException(422, f"{which}; documents end in {endings}. Nothing was stored.")
        folder = PortalPaths(writable.folder).uploads
        await run_in_threadpool(lambda: [store_file(file, folder) for file in files])
        return RedirectResponse(f"{BUILDER}/submissions?uploaded={len(files)}", status_code=303)

    received: Callable[[Request], Coroutine[Any, Any, Response]] = upload
    return Route(UPLOAD_PATH, received, methods=["POST"])


def store_file(file: UploadedFile, folder: Path) -> Path:
    """Store a file under its own name, or a different one if another file already has that name. Returns
    its path.
    """
    path = folder / file.name
    if path.exists() and path.read_bytes() != file.body:
        path = folder / f"{sha256(file.body).hexdigest()[:8]}-{file.name}"
    write_whole(path, file.body)
    return path


def read_multipart(content_type: str, body: bytes) -> tuple[dict[str, str], list[UploadedFile]]:
    """The fields and files of a multipart form (RFC 7578)."""
    if not content_type.startswith("multipart/form-data"):
        raise HTTPException(400, "The form could not be read.")
    whole = b"Content-Type: " + content_type.encode("latin-1", "replace") + b"\r\n\r\n" + body
    fields, files = {}, []
    for part in message_from_bytes(whole, policy=HTTP).iter_parts():
        name = part.get_param("name", header="content-disposition")
        said = part.get_payload(decode=True)
        content = said if isinstance(said, bytes) else b""
        filename = part.get_filename()
        if filename is None:
            fields[str(name)] = content.decode("utf-8", "replace")
        elif filename:
            files.append(UploadedFile(_clean_name(filename), content))
    return fields, files


def _clean_name(name: str) -> str:
    """The last part of the path, without characters that have a special meaning for file systems or
    shells.
    """
    last = _NOT_IN_NAMES.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .")
    return last[-_LONGEST_NAME:] or "unnamed"


async def _read_body(request: Request) -> bytes:
    pieces, n_bytes = [], 0
    try:
        async for chunk in request.stream():
            n_bytes += len(chunk)
            if n_bytes > LONGEST_UPLOAD:
                raise HTTPException(413, f"More than {LONGEST_UPLOAD // 1_000_000} MB at once are refused.")
            pieces.append(chunk)
    except ClientDisconnect as gone:
        raise HTTPException(400, "The form arrived incomplete.") from gone
    return b"".join(pieces)
