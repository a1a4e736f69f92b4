"""Corrections: visitors propose changes to a paper's page; the signed-in builder makes them directly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.errors import PortalError
from portico.serve.contributions.forms import (
    Form,
    MistakenForm,
    Throttle,
    clean_lines,
    hold_back,
    identify_visitor,
    post,
)
from portico.serve.contributions.signing_in import Guard
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.languages import mark, translate
from portico.serve.page_parts import shorten
from portico.serve.portal import ServedPortal
from portico.serve.rendering import Renderer
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, RecordId

LONGEST_NOTE = 1_000
_MOST_RECORDS = 30


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A record that was matched to the paper, as printed."""

    record: RecordId
    raw: str


@dataclass(frozen=True, slots=True)
class WrongPage:
    """The correction form, filled with the current values."""

    id: EntityId
    url: str
    title: str
    fields: Mapping[str, str]
    topic: str
    topics: tuple[str, ...]
    mentions: tuple[ReferenceLine, ...]
    held: bool
    labels: Mapping[str, str]
    mistake: str = ""
    said: str = ""
    signed_in: bool = False
    token: str = ""


class CorrectionSheet(Protocol):
    """Which fields of a thing can be corrected, and how their values are typed."""

    @property
    def template(self) -> str:
        """The template of the page with the form."""

    @property
    def prefix(self) -> str:
        """The prefix of field names in the form."""

    @property
    def doubted(self) -> tuple[str, ...] | None:
        """The fields whose doubtful values the builder is asked to check; None for all fields."""

    @property
    def shows_pages(self) -> bool:
        """Whether values are read from documents that a browser can draw."""

    def labels(self, thing: Entity) -> Mapping[str, str]:
        """The labels of the fields; empty if the template has its own."""

    def values(self, thing: Entity) -> dict[str, str]:
        """The current values, in the form in which they are typed."""

    def typed(self, name: str, text: str) -> str:
        """The typed text, converted to the form in which it is stored. Raises MistakenForm if it is not
        valid.
        """

    def documents_removed(self, thing: Entity) -> Sequence[DocumentId]:
        """The thing's documents that are removed with it if it turns out not to be one."""


@dataclass(frozen=True, slots=True)
class CorrectionViews:
    """The endpoints for corrections."""

    portal: ServedPortal
    writable: WritablePortal
    guard: Guard
    renderer: Renderer
    throttle: Throttle
    sheet: CorrectionSheet

    def show(self, request: Request) -> Response:
        return self._page(self._filled(request, self._paper(request)))

    def take(self, request: Request, form: Form) -> Response:
        paper = self._paper(request)
        session = self.guard.session(request)
        if session:
            self.guard.require(request, form)
        page = self._filled(request, paper)
        try:
            proposals = [*self._read(paper, page, form)]
        except MistakenForm as mistake:
            return self._page(replace(page, mistake=translate(str(mistake))), status=422)
        if not proposals:
            return self._page(
                replace(page, mistake=translate("Nothing was changed in the form.")), status=422
            )
        if session:
            return self._correct(paper, proposals)
        return self._propose(request, page, proposals)

    def _correct(self, paper: Entity, proposals: Sequence[Proposal]) -> Response:
        touched = [
            name
            for each in proposals
            for name in self.writable.store.contributions.corrections.make(replace(each, who="builder"))
        ]
        self.writable.reindex(frozenset(touched))
        gone = (
            self.portal.view.entities.get(paper.id) is None
            and self.portal.view.entities.moved_to(paper.id) is None
        )
        return RedirectResponse(
            "/builder/corrections" if gone else self.portal.naming.url(paper.id), status_code=303
        )

    def _propose(self, request: Request, page: WrongPage, proposals: Sequence[Proposal]) -> Response:
        hold_back(self.throttle, identify_visitor(request), mark("You have sent many forms recently."))
        self.throttle.count(identify_visitor(request))
        try:
            for each in proposals:
                self.writable.store.contributions.corrections.propose(each)
        except PortalError as error:
            raise HTTPException(503, translate("This could not be saved: {reason}.", reason=error)) from error
        said = translate(
            "Thank you. The builder of this portal will look at it; until then the page stays as it is."
        )
        return self._page(replace(page, said=said))

    def _page(self, page: WrongPage, *, status: int = 200) -> Response:
        return self.renderer.page(self.sheet.template, status=status, page=page)

    def _paper(self, request: Request) -> Entity:
        found = self.writable.store.catalog.entities.current(EntityId(request.path_params["id"]))
        if found is None:
            raise HTTPException(404, "The portal knows nothing of this id. It may have been removed.")
        return found

    def _filled(self, request: Request, paper: Entity) -> WrongPage:
        session = self.guard.session(request)
        tree = [node.path for node in self.portal.overview.get().tree]
        inner = {path[:depth] for path in tree for depth in range(1, len(path))}
        places = self.writable.store.contributions.corrections.places(paper.documents)
        best = min(places.values(), key=lambda place: (-place[0], place[1]), default=(0.0, ()))
        return WrongPage(
            id=paper.id,
            url=self.portal.naming.url(paper.id),
            title=self.portal.naming.title(paper),
            fields=self.sheet.values(paper),
            labels=self.sheet.labels(paper),
            topic="/".join(best[1]),
            topics=tuple("/".join(path) for path in tree if path not in inner),
            mentions=self._mentions(paper),
            held=bool(paper.documents),
            signed_in=session is not None,
            token=session.token if session else "",
        )

    def _mentions(self, paper: Entity) -> tuple[ReferenceLine, ...]:
        if len(paper.records) < 2:
            return ()
        found = ((name, self.portal.view.record(name)) for name in paper.records[:_MOST_RECORDS])
        return tuple(
            ReferenceLine(name, shorten(record.raw, 300)) for name, record in found if record is not None
        )

    def _read(self, paper: Entity, page: WrongPage, form: Form) -> Iterator[Proposal]:
        """The proposals in a form: only values that differ from the current ones."""
        plain = Proposal(
            wrong=CorrectionKind.FIELD,
            entity=paper.id,
            record=paper.chosen,
            note=clean_lines(form.get("note", ""), LONGEST_NOTE),
            at=self.writable.now(),
        )
        for name, before in page.fields.items():
            value = self.sheet.typed(name, form.get(self.sheet.prefix + name, before))
            if value != before:
                yield replace(plain, field=name, value=value, before=before)
        topic = form.get("topic", page.topic)
        if topic != page.topic and topic in page.topics and paper.documents:
            yield replace(plain, wrong=CorrectionKind.TOPIC, value=topic, before=page.topic)
        yield from self._about_identity(paper, form, plain)

    def _about_identity(self, paper: Entity, form: Form, plain: Proposal) -> Iterator[Proposal]:
        named = form.get("same", "").strip()
        if named:
            naming = self.portal.naming
            other = self.writable.store.catalog.entities.current(naming.named(named))
            if other is None or other.id == paper.id or other.kind != paper.kind:
                raise MistakenForm("The other one was not found here; enter the URL of its page.")
            before = f"{naming.title(other)} ({other.id})"
            yield replace(plain, wrong=CorrectionKind.SAME, value=other.chosen, before=before)
        stranger = RecordId(form.get("different", ""))
        rest = next((name for name in (paper.chosen, *paper.records) if name != stranger), None)
        if stranger in paper.records and rest is not None:
            record = self.portal.view.record(stranger)
            raw = shorten(record.raw, 300) if record else stranger
            yield replace(plain, wrong=CorrectionKind.DIFFERENT, record=rest, value=stranger, before=raw)
        if form.get("not_a_paper"):
            # References to it are removed, too; otherwise the next build would restore it as a cited paper.
            documents = self.sheet.documents_removed(paper)
            cited = (name for name in paper.records if name.partition("#")[0] not in documents)
            value = "\n".join((*documents, *cited))
            before = self.portal.naming.title(paper)
            yield replace(plain, wrong=CorrectionKind.NOT_A_PAPER, value=value, before=before)


def make_correction_routes(views: CorrectionViews) -> list[Route]:
    path = views.portal.naming.path + "{id}/wrong"
    return [Route(path, views.show), post(path, views.take)]
