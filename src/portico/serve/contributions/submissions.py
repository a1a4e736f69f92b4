"""Visitors suggest papers and sites; the builder decides, and the next build fetches them."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.errors import PortalError
from portico.serve.contributions.forms import Form, Throttle, clean_lines, hold_back, identify_visitor, post
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.languages import mark, translate
from portico.serve.rendering import Renderer
from portico.store.contributions.visitors import Submission
from portico.text.urls import canonical, get_host, get_host_name, is_public_name
from portico.types.correction import ProposalStatus
from portico.types.page import Url

LONGEST_NOTE = 1_000
_EMPTY = {"url": "", "kind": "paper", "note": ""}

_SAID = {
    ProposalStatus.PROPOSED: mark("Thank you. The builder of this portal will look at it."),
    ProposalStatus.ACCEPTED: mark(
        "Thank you. This URL is already on the list; the next build will fetch it."
    ),
    ProposalStatus.REJECTED: mark(
        "Thank you. The builder has already reviewed this URL and decided against it."
    ),
}


def make_submission_routes(writable: WritablePortal, renderer: Renderer, throttle: Throttle) -> list[Route]:
    def show(request: Request) -> Response:
        return renderer.page("submit.html", said="", mistake="", form=_EMPTY)

    def submit(request: Request, form: Form) -> Response:
        mistake, url = read_address(form.get("url", ""))
        if url is None:
            return renderer.page("submit.html", status=422, said="", mistake=mistake, form={**_EMPTY, **form})
        hold_back(throttle, identify_visitor(request), mark("You have sent many forms recently."))
        throttle.count(identify_visitor(request))
        wanted = Submission(
            url=url,
            whole_site=form.get("kind") == "site",
            note=clean_lines(form.get("note", ""), LONGEST_NOTE),
            at=writable.now(),
        )
        said = _SAID[keep(lambda: writable.store.contributions.submissions.add(wanted))]
        return renderer.page("submit.html", said=translate(said), mistake="", form=_EMPTY)

    return [Route("/submit", show), post("/submit", submit)]


def read_address(typed: str) -> tuple[str, Url | None]:
    """The typed URL in canonical form, or a message that says what is wrong with it."""
    text = typed.strip()
    if not text:
        return translate("Please enter a URL."), None
    url = canonical(text if "://" in text else f"https://{text}")
    if url is None:
        return translate("This is not a URL. It should look like https://www.example.edu/paper.pdf."), None
    if not is_public_name(get_host_name(get_host(url))):
        return translate("This URL is in a private network; only public URLs can be fetched."), None
    return "", url


def keep(write: Callable[[], ProposalStatus]) -> ProposalStatus:
    """Write to the store. If that fails, respond with 503 and give the visitor the reason."""
    try:
        return write()
    except PortalError as error:
        raise HTTPException(503, translate("This could not be saved: {reason}.", reason=error)) from error
