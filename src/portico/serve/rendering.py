"""Templates become responses: everything escaped, nothing invisible passed on, files named by content."""

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from portico import __version__
from portico.serve.describe import shortened
from portico.serve.escaping import visible
from portico.serve.portal import About
from portico.serve.repeated_markup import FILTERS


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that never changes under its address."""

    url: str
    body: bytes
    media_type: str


class Renderer:
    """The templates of one portal."""

    def __init__(self, about: About) -> None:
        self._templates = Environment(
            loader=PackageLoader("portico.serve"),
            autoescape=True,
            auto_reload=False,  # templates are part of the program: nobody need look at their files again
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
            finalize=visible,
        )
        self._templates.filters |= {"number": "{:,}".format, "shortened": shortened, **FILTERS}
        # Jinja copies its globals for every page, key by key, in 30 µs; a dictionary of ours takes one.
        self._templates.globals.clear()
        self._shared: dict[str, object] = {
            "portal": about,
            "version": __version__,
            "copy_url": STATIC["copy.js"].url,
            "find_url": STATIC["find.js"].url,
            "static": False,
            "query": "",
            "style_url": STATIC["portico.css"].url,
            "icon_url": STATIC["portico.svg"].url,
            "script_url": STATIC["suggest.js"].url,
            "forms_style_url": STATIC["builder.css"].url,
            "takes_part": False,
            "directory": False,
            "things": "papers",
        }

    @property
    def is_static(self) -> bool:
        """Whether pages become files, which nobody can ask anything."""
        return bool(self._shared["static"])

    @property
    def is_directory(self) -> bool:
        """Whether the portal shows things of declared kinds instead of papers."""
        return bool(self._shared["directory"])

    def offer(self, **values: object) -> None:
        """Let every page know these too."""
        self._shared |= values

    def get_ready(self) -> None:
        """Compile the templates of the pages now, not when the first visitor waits for one."""
        apart = ("teach",) if self.is_directory else ("teach", "directory/")
        for name in self._templates.list_templates(filter_func=lambda name: not name.startswith(apart)):
            self._templates.get_template(name)

    def page(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        return HTMLResponse(self._write(template, values), status_code=status)

    def message(
        self, status: int, heading: str, words: str, *, headers: Mapping[str, str] | None = None
    ) -> HTMLResponse:
        """A page that says what went wrong and where to go on."""
        html = self._write("message.html", {"status": status, "heading": heading, "words": words})
        return HTMLResponse(html, status_code=status, headers=dict(headers or {}))

    def _write(self, template: str, values: Mapping[str, object]) -> str:
        return self._templates.get_template(template).render({**self._shared, **values})


def _static_files() -> Mapping[str, StaticFile]:
    found = {}
    for file in files("portico.serve").joinpath("static").iterdir():
        body = file.read_bytes()
        mark = hashlib.sha256(body).hexdigest()[:12]
        media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        found[file.name] = StaticFile(f"/static/{file.name}?v={mark}", body, media_type)
    return MappingProxyType(found)


STATIC = _static_files()
"""Everything under static/, by name."""
