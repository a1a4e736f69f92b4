"""The versions of one paper (report, conference paper, article), each where and when it appeared."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.serve.links import outside_url, paper_url
from portico.store.portal_view import Source
from portico.types.record import Edition, Entity

# What an edition is, in a reader's words; a form that has no name here is called by its own.
_FORMS = {
    "journal": "journal article",
    "proceedings": "conference paper",
    "report": "technical report",
    "chapter": "chapter of a book",
}


@dataclass(frozen=True, slots=True)
class Version:
    """One publication of the work, and the file that is it, where the portal has one."""

    form: str
    venue: str
    year: str
    n_citing: int  # references that mean this version
    copy_url: str  # "" where the portal has no file of it
    url: str  # where the file was found; "" where nobody can be sent there


def versions(entity: Entity, sources: Sequence[Source], *, copies: bool) -> tuple[Version, ...]:
    """The oldest first; none where the paper has only one. `copies` tells whether our files are shown."""
    return tuple(_version(entity, edition, sources, copies) for edition in entity.editions)


def _version(entity: Entity, edition: Edition, sources: Sequence[Source], copies: bool) -> Version:
    held = [document for document in edition.documents if document in entity.documents]
    number = entity.documents.index(held[0]) + 1 if held else 0
    addresses = [outside_url(source.name) for source in sources if source.document in held]
    return Version(
        form=_FORMS.get(edition.form, edition.form),
        venue=edition.venue,
        year=str(edition.year or ""),
        n_citing=len(edition.records) - len(edition.documents),
        copy_url=f"{paper_url(entity.id)}/file/{number}" if copies and number else "",
        url=next((address for address in addresses if address), ""),
    )
