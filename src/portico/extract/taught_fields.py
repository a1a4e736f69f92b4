"""Combines what marks have taught with what a domain reads without them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from portico.errors import ConfigError
from portico.extract.tagger import Tagged
from portico.extract.words import Row
from portico.learn.committee import Committee
from portico.learn.crf import Crf

_PARTS, _MODEL = "parts.json", "marks.crfsuite"  # the files of an archive

MARKS = "marks"
"""The name of the committee member that is trained on marks alone."""

Tag = Callable[[Sequence[Row]], Tagged]


class Say(StrEnum):
    """How far a taught model decides on one label; labels not listed are read as before."""

    FILL = "fill"  # used on pages where nothing else has the label
    JOIN = "join"  # added to what is read without it
    LEAD = "lead"  # preferred; the other reading is used on pages where this one finds nothing


Parts = Mapping[str, Say]
"""Labels that were taught, and how what was learned for each is used."""


@dataclass(frozen=True, slots=True)
class TaughtFields:
    """A model learned from marked pages, the labels it is used for, and the pages it was learned from."""

    model: Committee
    parts: tuple[tuple[str, Say], ...]
    pages: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Return an archive; the same lesson gives the same bytes."""
        out = BytesIO()
        with ZipFile(out, "w") as archive:
            told = {"parts": self.parts, "pages": self.pages}
            archive.writestr(ZipInfo(_PARTS), json.dumps(told), ZIP_DEFLATED)
            for _, crf in self.model.members:
                archive.writestr(ZipInfo(_MODEL), crf.body, ZIP_DEFLATED, 9)
        return out.getvalue()


def read_taught_fields(body: bytes) -> TaughtFields | None:
    """Read what `to_bytes` wrote; None if the model was not learned from marks as an addition."""
    try:
        with ZipFile(BytesIO(body)) as archive:
            if _PARTS not in archive.namelist():
                return None
            told = json.loads(archive.read(_PARTS))
            model = Committee(((MARKS, Crf(archive.read(_MODEL))),))
            parts = tuple((label, Say(say)) for label, say in told["parts"])
            return TaughtFields(model, parts, tuple(told["pages"]))
    except (BadZipFile, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"the model of marked fields cannot be read ({error}): learn again, or portico models --forget"
        ) from error


@dataclass(frozen=True, slots=True)
class TaughtTagger:
    """Merges two readings of the same page into one."""

    base: Tag
    taught: Tag
    parts: tuple[tuple[str, Say], ...]
    other: str

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        return merge_readings(self.base(rows), self.taught(rows), dict(self.parts), other=self.other)


def merge_readings(base: Tagged, taught: Tagged, parts: Parts, *, other: str) -> Tagged:
    """Merge two labelings. A word keeps its base label unless the taught model leads for that label."""
    in_base, in_taught = set(base.labels), set(taught.labels)
    # For a leading label, the base does not count on pages where the taught model finds the label.
    dropped = {label for label, say in parts.items() if say is Say.LEAD and label in in_taught}
    asked = {label for label, say in parts.items() if say is not Say.FILL or label not in in_base} - {other}
    labels, chances = [], []
    for said, sure, meant, belief in zip(
        base.labels, base.probabilities, taught.labels, taught.probabilities, strict=True
    ):
        if said != other and said not in dropped:
            labels.append(said)
            chances.append(sure)
        else:
            labels.append(meant if meant in asked else other)
            chances.append(belief if meant in asked or said != other else sure)
    return Tagged(base.rows, tuple(labels), tuple(chances))
