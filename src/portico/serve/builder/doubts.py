"""The queue of doubtful values for the builder, and the builder's decisions on them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from portico.serve.contributions.corrections import CorrectionSheet
from portico.serve.contributions.forms import Form
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.page_parts import shorten
from portico.serve.portal import Remembered
from portico.serve.rendering import PDF_VIEWER
from portico.store.catalog.corrected import VENUE_FIELDS
from portico.store.catalog.doubts import Doubt, Doubts
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, RecordId

MOST_DOUBTS = 100
DOUBTS_SHOWN = 20
# Characters of the abstract shown beside a doubtful topic.
_LONGEST_EXCERPT = 320
_TOPIC, _CITATION = "topic", "citation"
_PDF = "application/pdf"
_LABELS = {
    "author": "authors",
    "venue": "journal or proceedings",
    _CITATION: "matched reference",
}


@dataclass(frozen=True, slots=True)
class Clip:
    """What a browser needs to draw a value with the part of the page around it."""

    file: str
    places: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class DoubtLine:
    """One doubtful value to check. `field` is the field's name in the form, or the record that may be
    about something else.
    """

    entity: EntityId
    url: str
    title: str
    field: str
    label: str
    value: str
    whole: str  # all values of the field, if it has several
    excerpt: str  # of the abstract, to judge a topic by
    percent: int
    is_match: bool
    anchor: str  # its anchor in the form
    typed: str  # all values of the field in typed form; "" if it cannot be corrected in place
    clip: "Clip | None"  # the place on the page where it was read


@dataclass(frozen=True, slots=True)
class DoubtQueue:
    """The queue of doubtful values, and the decisions on them. `found` reads every paper, so it is cached
    and only computed again now and then.
    """

    writable: WritablePortal
    sheet: CorrectionSheet
    found: Remembered[tuple[DoubtLine, ...]]

    def lines(self) -> tuple[DoubtLine, ...]:
        """The values that are still in doubt."""
        settled = {*_list_settled(self.writable)}
        return tuple(line for line in self.found.get() if (line.entity, line.field) not in settled)

    def settle(self, form: Form) -> None:
        """Store the builder's decision on a value: it is right, it is wrong, or it should be what was
        typed instead. From then on the value is certain.
        """
        thing = self.writable.store.catalog.entities.current(EntityId(form.get("id", "")))
        if thing is None:
            raise HTTPException(404, f"The portal knows no {self.writable.naming.one} of this id.")
        said = self._word(thing, form.get("field", ""))
        if form.get("decision") == "wrong":
            said = _contradict(thing, said)
        elif "value" in form and said.wrong is CorrectionKind.FIELD:
            said = replace(said, value=self.sheet.typed(said.field, form["value"]))
        self.writable.reindex(frozenset(self.writable.store.contributions.corrections.make(said)))

    def _word(self, thing: Entity, field: str) -> Proposal:
        plain = Proposal(CorrectionKind.FIELD, thing.id, thing.chosen, who="builder", at=self.writable.now())
        values = self.sheet.values(thing)
        if field in values:
            return replace(plain, field=field, value=values[field], before=values[field])
        if any((line.entity, line.field) == (thing.id, field) for line in self.found.get() if line.is_match):
            record = self.writable.store.view.record(RecordId(field))
            return replace(
                plain, wrong=CorrectionKind.SAME, value=field, before=record.raw if record else field
            )
        places = self.writable.store.contributions.corrections.places(thing.documents)
        if field == _TOPIC and places:
            path = "/".join(min(places.values(), key=lambda place: (-place[0], place[1]))[1])
            return replace(plain, wrong=CorrectionKind.TOPIC, value=path, before=path)
        raise HTTPException(400, "There is no such value to review.")


def _contradict(thing: Entity, said: Proposal) -> Proposal:
    """The proposal that says that a reference matched to this thing is about another one."""
    rest = next((name for name in (thing.chosen, *thing.records) if name != said.value), None)
    if said.wrong is not CorrectionKind.SAME or rest is None:
        raise HTTPException(400, "Enter the right value instead.")
    return replace(said, wrong=CorrectionKind.DIFFERENT, record=rest)


def list_doubts(writable: WritablePortal, sheet: CorrectionSheet) -> tuple[DoubtLine, ...]:
    """Doubtful values, the most informative first. A journal that is doubtful under two names is listed
    once.
    """
    found = Doubts(writable.store.engine, sheet.doubted).first(limit=MOST_DOUBTS)
    things = writable.store.view.entities.many(each.entity for each in found)
    printed = _find_printed(writable, things.values()) if sheet.shows_pages else frozenset()
    lines: dict[tuple[EntityId, str], DoubtLine] = {}
    for each in found:
        if each.entity in things:
            line = _make_line(writable, sheet, things[each.entity], each)
            line = replace(line, clip=_find_clip(writable, things[each.entity], each, printed))
            lines.setdefault((line.entity, line.field), line)
    return tuple(lines.values())


def _make_line(writable: WritablePortal, sheet: CorrectionSheet, thing: Entity, doubt: Doubt) -> DoubtLine:
    typed, named = sheet.values(thing), {**_LABELS, **sheet.labels(thing)}
    about = "venue" if doubt.about in VENUE_FIELDS and "venue" in typed else doubt.about
    value, field, anchor = doubt.value, about, "" if sheet.prefix else about
    if about == _CITATION:
        record = writable.store.view.record(RecordId(value))
        value, field, anchor = record.raw if record else value, value, ""
    elif about == _TOPIC:
        value = value.replace("/", " › ")
    whole = typed.get(field, "")
    return DoubtLine(
        entity=thing.id,
        url=writable.naming.url(thing.id),
        title=writable.naming.title(thing),
        field=field,
        label=named.get(about, about),
        value=value,
        whole=whole.replace("\n", ", ") if "\n" in whole else "",
        excerpt=shorten(thing.value("abstract") or "", _LONGEST_EXCERPT) if about == _TOPIC else "",
        percent=round(100 * doubt.confidence),
        is_match=about == _CITATION,
        anchor=anchor,
        typed=whole,
        clip=None,
    )


def _find_printed(writable: WritablePortal, things: Iterable[Entity]) -> frozenset[DocumentId]:
    """Those documents of these things that a browser can draw."""
    documents = [document for thing in things for document in thing.documents]
    sources = writable.store.view.sources(documents) if PDF_VIEWER else ()
    return frozenset(source.document for source in sources if source.media_type.startswith(_PDF))


def _find_clip(
    writable: WritablePortal, thing: Entity, doubt: Doubt, printed: Collection[DocumentId]
) -> Clip | None:
    """Where on its page a doubtful value is printed; None for topics, matches and values read from other
    papers.
    """
    origin = dict(thing.origins).get(doubt.about, thing.chosen)
    document = DocumentId(origin.partition("#")[0])
    if document not in printed or document not in thing.documents or not thing.all(doubt.about):
        return None
    url, number = writable.naming.url(thing.id), thing.documents.index(document) + 1
    return Clip(f"{url}/file/{number}", f"{url}/read/{number}.json", doubt.about, doubt.value)


def _list_settled(writable: WritablePortal) -> Iterator[tuple[EntityId, str]]:
    """The values that were corrected or confirmed since the queue was computed, as pairs of entity and
    field.
    """
    for each in writable.store.contributions.corrections.accepted(
        CorrectionKind.FIELD, CorrectionKind.TOPIC, CorrectionKind.SAME, CorrectionKind.DIFFERENT
    ):
        said = each.proposal
        named = {
            CorrectionKind.FIELD: said.field,
            CorrectionKind.TOPIC: _TOPIC,
            CorrectionKind.SAME: said.value,
            CorrectionKind.DIFFERENT: said.value,
        }
        yield said.entity, named[said.wrong]
