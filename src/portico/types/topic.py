"""The topic tree, and the assignment of a document to it."""

from dataclasses import dataclass

from portico.types.document import DocumentId


@dataclass(frozen=True, slots=True)
class Topic:
    """A leaf of the tree: `path` names every node from the top, `keywords` are the builder's.

    `vetoed` are words that must never count as evidence for the topic, whatever its documents say.
    """

    path: tuple[str, ...]
    keywords: tuple[str, ...]
    vetoed: tuple[str, ...] = ()
    hidden: bool = False  # trained, so that its documents are in no other topic, but never shown

    @property
    def name(self) -> str:
        return self.path[-1]

    def __str__(self) -> str:
        return "/".join(self.path)


@dataclass(frozen=True, slots=True)
class TreeChoice:
    """The topic tree of a portal, the reason for it, and the number of documents when it was chosen."""

    name: str
    about: str  # "the tree of computer science"
    reason: str  # "portal.toml says so"
    n_documents: int = 0

    def describe(self) -> str:
        return f"{self.about}, because {self.reason}"


@dataclass(frozen=True, slots=True)
class TopicSuggestion:
    """A possible new leaf, how many documents it would hold, and the titles of some of them."""

    topic: Topic
    n_documents: int
    examples: tuple[str, ...]

    def remarks(self) -> list[str]:
        """Comments for a builder who reads the topics file."""
        return [f"{self.n_documents} documents, among them:", *(f"  {title}" for title in self.examples)]


@dataclass(frozen=True, slots=True)
class TopicText:
    """The text by which a document is classified: its words, its authors, and the titles of its neighbors.

    The field of research also depends on where it was published, where the works it cites were published, its
    printed keywords and the departments of its authors.
    """

    document: DocumentId
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    cited_titles: tuple[str, ...] = ()
    citing_titles: tuple[str, ...] = ()
    venue: str = ""
    cited_venues: tuple[str, ...] = ()
    language: str = ""  # its code; empty if unknown
    keywords: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """A document belongs to this path with this probability; the path may end at an inner node."""

    document: DocumentId
    path: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A change of a node of the tree, requested by the builder.

    "move" it to `target`, its name included; "merge" it with `target`; "split" it into leaves below it;
    "hide" it from visitors, or "show" it again.
    """

    kind: str
    path: tuple[str, ...]
    target: tuple[str, ...] = ()
