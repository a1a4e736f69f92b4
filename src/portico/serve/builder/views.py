"""The routes of the builder's view."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.errors import PorticoError
from portico.serve.builder import pages as builder_pages
from portico.serve.builder.doubts import DOUBTS_SHOWN, DoubtQueue
from portico.serve.builder.tree import change_node, list_nodes
from portico.serve.builder.uploads import PATTERNS, make_upload_route
from portico.serve.contributions.forms import Form, MistakenForm, clean_line, post
from portico.serve.contributions.signing_in import BUILDER, Guard
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.rendering import PDF_VIEWER, Renderer
from portico.serve.running import UPLOAD_PATH
from portico.serve.search import QueryCounts
from portico.store.meta import read_suggested, settle_suggested
from portico.types.correction import CorrectionKind, Proposal, ProposalStatus
from portico.types.page import Url
from portico.types.topic import Topic, TopicSuggestion

_DECISIONS = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}
_MOST_DIGITS = 15  # digits of numbers that fit in the store

LONGEST_PATH, LONGEST_KEYWORDS = 400, 2000  # characters

_TABS = (
    ("", "Overview"),
    ("/doubts", "Review"),
    ("/corrections", "Corrections"),
    ("/submissions", "Submissions"),
    ("/failures", "Failures"),
    ("/topics", "Topics"),
    ("/searches", "Searches"),
)


@dataclass(frozen=True, slots=True)
class BuilderViews:
    """The builder's endpoints. Every page requires a session, every form also the session's token."""

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
            Route(f"{BUILDER}/doubts", self.review),
            Route(f"{BUILDER}/failures", self.failures),
            Route(f"{BUILDER}/searches", self.searches),
            post(f"{BUILDER}/corrections", self.decide),
            post(f"{BUILDER}/submissions", self.let_in),
            make_upload_route(self.writable, self.guard),
            post(f"{BUILDER}/topics", self.grow),
            post(f"{BUILDER}/tree", self.change_tree),
            post(f"{BUILDER}/doubts", self.confirm),
            post(f"{BUILDER}/failures", self.retry),
            post(f"{BUILDER}/left-out", self.keep),
        ]

    def overview(self, request: Request) -> Response:
        return self._page(
            request,
            "builder.html",
            page=lambda: builder_pages.make_overview(self.writable, n_doubts=len(self.doubts.lines())),
        )

    def corrections(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_corrections.html",
            proposed=lambda: builder_pages.list_corrections(self.writable, ProposalStatus.PROPOSED),
            accepted=lambda: builder_pages.list_corrections(self.writable, ProposalStatus.ACCEPTED),
        )

    def submissions(self, request: Request) -> Response:
        store = self.writable.store.contributions.submissions
        return self._page(
            request,
            "builder_submissions.html",
            proposed=lambda: store.standing(ProposalStatus.PROPOSED, limit=200),
            accepted=lambda: store.standing(ProposalStatus.ACCEPTED, limit=200),
            rejected=lambda: store.standing(ProposalStatus.REJECTED, limit=200),
            day=lambda: builder_pages.format_day,
            upload_path=lambda: UPLOAD_PATH,
            endings=lambda: ",".join(pattern.removeprefix("*") for pattern in PATTERNS),
            n_uploaded=lambda: request.query_params.get("uploaded", ""),
        )

    def topics(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_topics.html",
            suggestions=lambda: _list_suggestions(self.writable),
            nodes=lambda: list_nodes(self.writable),
            changed=lambda: request.query_params.get("changed", ""),
        )

    def review(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_doubts.html",
            doubts=self.doubts.lines,
            shown=lambda: DOUBTS_SHOWN,
            viewer=lambda: PDF_VIEWER,
        )

    def failures(self, request: Request) -> Response:
        return self._page(
            request,
            "builder_failures.html",
            failures=lambda: builder_pages.list_failures(self.writable),
            left_out=lambda: builder_pages.left_out(self.writable),
            fates=lambda: builder_pages.list_fates(self.writable),
            n_again=lambda: request.query_params.get("again", ""),
            n_left=lambda: request.query_params.get("left", ""),
        )

    def searches(self, request: Request) -> Response:
        self.counts.hand_over()
        return self._page(
            request, "builder_searches.html", page=lambda: builder_pages.list_searches(self.writable)
        )

    def decide(self, request: Request, form: Form) -> Response:
        """Accept a correction, possibly with a value edited by the builder, or reject it."""
        self.guard.require(request, form)
        number, decision = form.get("id", ""), form.get("decision")
        store = self.writable.store.contributions.corrections
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
        """Accept a submitted URL for the next build, or reject it."""
        self.guard.require(request, form)
        standing = _DECISIONS.get(form.get("decision", ""))
        if standing is None:
            raise HTTPException(400, "Choose whether to accept it.")
        self.writable.store.contributions.submissions.decide(
            Url(form.get("url", "")), standing, at=self.writable.now()
        )
        return RedirectResponse(f"{BUILDER}/submissions", status_code=303)

    def grow(self, request: Request, form: Form) -> Response:
        """Add a suggested topic, possibly edited by the builder, to the tree, or reject it."""
        self.guard.require(request, form)
        _settle_suggestion(self.writable, form)
        return RedirectResponse(f"{BUILDER}/topics", status_code=303)

    def change_tree(self, request: Request, form: Form) -> Response:
        """Rename, move, merge, hide, show or split a topic of the tree."""
        self.guard.require(request, form)
        change_node(self.writable, form)
        return RedirectResponse(f"{BUILDER}/topics?changed=1#tree", status_code=303)

    def confirm(self, request: Request, form: Form) -> Response:
        """Store the builder's decision on a doubtful value."""
        self.guard.require(request, form)
        try:
            self.doubts.settle(form)
        except MistakenForm as mistake:
            raise HTTPException(422, f"{mistake} Nothing was changed.") from mistake
        return RedirectResponse(f"{BUILDER}/doubts", status_code=303)

    def retry(self, request: Request, form: Form) -> Response:
        """Mark everything that failed for one reason to be tried again, or to be left out for good."""
        self.guard.require(request, form)
        stage, kind, reason = (form.get(name, "") for name in ("stage", "kind", "reason"))
        failures = self.writable.store.documents.failures
        if form.get("decision") == "leave":
            return RedirectResponse(
                f"{BUILDER}/failures?left={failures.leave_out(stage, kind, reason)}", status_code=303
            )
        n_again = failures.retry(stage, kind, reason)
        return RedirectResponse(f"{BUILDER}/failures?again={n_again}", status_code=303)

    def keep(self, request: Request, form: Form) -> Response:
        """Keep a document that was classified as not a paper, or leave it out again."""
        self.guard.require(request, form)
        builder_pages.settle_left_out(self.writable, form)
        return RedirectResponse(f"{BUILDER}/failures#left-out", status_code=303)

    def _in_other_words(self, said: Proposal, typed: str | None) -> str | None:
        """The proposed value as edited by the builder; None if it is to be used unchanged."""
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


@dataclass(frozen=True, slots=True)
class SuggestionLine:
    """One suggested topic, as the builder reads and edits it."""

    path: str
    keywords: str
    n_documents: int
    examples: tuple[str, ...]


def _list_suggestions(writable: WritablePortal) -> tuple[SuggestionLine, ...]:
    return tuple(
        SuggestionLine(str(each.topic), ", ".join(each.topic.keywords), each.n_documents, each.examples)
        for each in read_suggested(writable.store.meta)
    )


def _settle_suggestion(writable: WritablePortal, form: Form) -> None:
    """Write an accepted suggestion, as edited, to the tree. A rejected one is not suggested again."""
    chosen = tuple(form.get("topic", "").split("/"))
    found = next((each for each in read_suggested(writable.store.meta) if each.topic.path == chosen), None)
    if found is None:
        raise HTTPException(404, "This suggestion no longer exists; a build may have made others.")
    if form.get("decision") != "accept":
        settle_suggested(writable.store.meta, chosen, turned_down=True)
        return
    if writable.grow is None:
        raise HTTPException(404, "The topic tree can only be changed where the portal is built.")
    try:
        writable.grow(TopicSuggestion(_edit_topic(form, found.topic), found.n_documents, found.examples))
    except PorticoError as fault:
        raise HTTPException(400, f"The topic could not be written: {fault}") from fault
    settle_suggested(writable.store.meta, chosen, turned_down=False)


def _edit_topic(form: Form, topic: Topic) -> Topic:
    """The topic as edited by the builder. What the form leaves out stays as suggested."""
    path = clean_line(form.get("path", str(topic)), LONGEST_PATH)
    keywords = clean_line(form.get("keywords", ", ".join(topic.keywords)), LONGEST_KEYWORDS)
    names = tuple(name.strip() for name in path.split("/"))
    if not all(names) or len(set(names)) < len(names):
        raise HTTPException(400, "Write the path from the top of the tree, with / between the names.")
    return Topic(names, tuple(word for each in keywords.split(",") if (word := each.strip())))
