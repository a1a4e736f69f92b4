"""The builder's view: what the crawl brought, what failed, what is doubtful, and what visitors say."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.serve.builder import pages as builder_pages
from portico.serve.builder import topics as builder_topics
from portico.serve.builder.doubts import DoubtQueue
from portico.serve.contributions.forms import Form, MistakenForm, post
from portico.serve.contributions.signing_in import BUILDER, Guard
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.query_counting import QueryCounts
from portico.serve.rendering import Renderer
from portico.types.correction import CorrectionKind, Proposal, ProposalStatus
from portico.types.page import Url

_DECISIONS = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}
_MOST_DIGITS = 15  # of a number that the store can hold

_TABS = (
    ("", "Overview"),
    ("/corrections", "Corrections"),
    ("/submissions", "Submissions"),
    ("/topics", "Topics"),
    ("/doubts", "Look at first"),
    ("/failures", "Failures"),
    ("/searches", "Searches"),
)


@dataclass(frozen=True, slots=True)
class BuilderViews:
    """Every page needs a session, every form its token."""

    writable: WritablePortal
    guard: Guard
    renderer: Renderer
    counts: QueryCounts
    doubts: DoubtQueue

    def routes(self) -> list[Route]:
        return [
            Route(BUILDER, self.overview),
            Route(f"{BUILDER}/corrections", self.corrections),
            Route(f"{BUILDER}/submissions", self.submissions),
            Route(f"{BUILDER}/topics", self.topics),
            Route(f"{BUILDER}/doubts", self.look_first),
            Route(f"{BUILDER}/failures", self.failures),
            Route(f"{BUILDER}/searches", self.searches),
            post(f"{BUILDER}/corrections", self.decide),
            post(f"{BUILDER}/submissions", self.let_in),
            post(f"{BUILDER}/topics", self.grow),
            post(f"{BUILDER}/doubts", self.confirm),
            post(f"{BUILDER}/failures", self.retry),
            post(f"{BUILDER}/left-out", self.keep),
        ]

    def overview(self, request: Request) -> Response:
        return self._page(request, "builder.html", page=lambda: builder_pages.overview(self.writable))

    def corrections(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_corrections.html",
            proposed=lambda: builder_pages.corrections(self.writable, ProposalStatus.PROPOSED),
            accepted=lambda: builder_pages.corrections(self.writable, ProposalStatus.ACCEPTED),
        )

    def submissions(self, request: Request) -> Response:
        store = self.writable.store.people.submissions
        return self._page(
            request,
            "builder_submissions.html",
            proposed=lambda: store.standing(ProposalStatus.PROPOSED, limit=200),
            accepted=lambda: store.standing(ProposalStatus.ACCEPTED, limit=200),
            rejected=lambda: store.standing(ProposalStatus.REJECTED, limit=200),
            day=lambda: builder_pages.day,
        )

    def topics(self, request: Request) -> Response:
        return self._page(
            request, "builder_topics.html", suggestions=lambda: builder_topics.suggestion_lines(self.writable)
        )

    def look_first(self, request: Request) -> Response:
        return self._page(request, "builder_doubts.html", doubts=self.doubts.lines)

    def failures(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_failures.html",
            failures=lambda: builder_pages.failures(self.writable),
            left_out=lambda: builder_pages.left_out(self.writable),
            n_again=lambda: request.query_params.get("again", ""),
        )

    def searches(self, request: Request) -> Response:
        self.counts.hand_over()
        return self._page(
            request, "builder_searches.html", page=lambda: builder_pages.searches(self.writable)
        )

    def decide(self, request: Request, form: Form) -> Response:
        """Accept a correction, in the builder's words, or turn it down."""
        self.guard.require(request, form)
        number, decision = form.get("id", ""), form.get("decision")
        store = self.writable.store.people.corrections
        known = store.get(int(number)) if number.isdecimal() and len(number) <= _MOST_DIGITS else None
        if known is None or decision not in _DECISIONS:
            raise HTTPException(400, "There is no such correction.")
        if decision == "accept":
            value = self._in_other_words(known.proposal, form.get("value"))
            self.writable.reindex(frozenset(store.accept(known.id, value=value, at=self.writable.now())))
        else:
            store.reject(known.id, at=self.writable.now())
        return RedirectResponse(f"{BUILDER}/corrections", status_code=303)

    def let_in(self, request: Request, form: Form) -> Response:
        """Let an address into the next build, or keep it out."""
        self.guard.require(request, form)
        standing = _DECISIONS.get(form.get("decision", ""))
        if standing is None:
            raise HTTPException(400, "Say whether to let it in.")
        self.writable.store.people.submissions.decide(
            Url(form.get("url", "")), standing, at=self.writable.now()
        )
        return RedirectResponse(f"{BUILDER}/submissions", status_code=303)

    def grow(self, request: Request, form: Form) -> Response:
        """Write a suggested topic into the tree, in the builder's words, or turn it down."""
        self.guard.require(request, form)
        builder_topics.settle(self.writable, form)
        return RedirectResponse(f"{BUILDER}/topics", status_code=303)

    def confirm(self, request: Request, form: Form) -> Response:
        """Take a doubtful value for right."""
        self.guard.require(request, form)
        self.doubts.confirm(form)
        return RedirectResponse(f"{BUILDER}/doubts", status_code=303)

    def retry(self, request: Request, form: Form) -> Response:
        """Make what failed for one reason due again."""
        self.guard.require(request, form)
        stage, kind, reason = (form.get(name, "") for name in ("stage", "kind", "reason"))
        n_again = self.writable.store.documents.failures.retry(stage, kind, reason)
        return RedirectResponse(f"{BUILDER}/failures?again={n_again}", status_code=303)

    def keep(self, request: Request, form: Form) -> Response:
        """Keep a document that was taken for no paper, or leave it out again."""
        self.guard.require(request, form)
        builder_pages.settle_left_out(self.writable, form)
        return RedirectResponse(f"{BUILDER}/failures#left-out", status_code=303)

    def _in_other_words(self, said: Proposal, typed: str | None) -> str | None:
        """What the builder made of a proposed value; None where it is to be taken as it is."""
        if typed is None or said.wrong is not CorrectionKind.FIELD:
            return None
        try:
            return self.doubts.sheet.typed(said.field, typed)
        except MistakenForm as mistake:
            raise HTTPException(422, f"{mistake} Nothing was changed.") from mistake

    def _page(self, request: Request, template: str, **values: Callable[[], object]) -> Response:
        session = self.guard.require(request)
        tabs = tuple(
            (f"{BUILDER}{path}", name, request.url.path == f"{BUILDER}{path}") for path, name in _TABS
        )
        made: dict[str, Any] = {name: make() for name, make in values.items()}
        answer = self.renderer.page(template, tabs=tabs, token=session.token, **made)
        answer.headers["Cache-Control"] = "no-store"
        return answer
