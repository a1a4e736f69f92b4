"""The builder's page of topics that could be: suggestions of the last build, to edit, accept or turn down."""

from dataclasses import dataclass

from starlette.exceptions import HTTPException

from portico.errors import PorticoError
from portico.serve.contributions.forms import Form, one_line
from portico.serve.contributions.writable_portal import WritablePortal
from portico.store.meta import read_suggested, settle_suggested
from portico.types.topic import Topic, TopicSuggestion

LONGEST_PATH, LONGEST_KEYWORDS = 400, 2000  # characters


@dataclass(frozen=True, slots=True)
class SuggestionLine:
    """One suggestion as the builder reads and edits it."""

    path: str
    keywords: str
    n_documents: int
    examples: tuple[str, ...]


def suggestion_lines(writable: WritablePortal) -> tuple[SuggestionLine, ...]:
    return tuple(
        SuggestionLine(str(each.topic), ", ".join(each.topic.keywords), each.n_documents, each.examples)
        for each in read_suggested(writable.store.meta)
    )


def settle(writable: WritablePortal, form: Form) -> None:
    """Writes an accepted suggestion, as edited, into the tree; one turned down is not made again."""
    chosen = tuple(form.get("topic", "").split("/"))
    found = next((each for each in read_suggested(writable.store.meta) if each.topic.path == chosen), None)
    if found is None:
        raise HTTPException(404, "This suggestion is gone; a build may have made others.")
    if form.get("decision") != "accept":
        settle_suggested(writable.store.meta, chosen, turned_down=True)
        return
    if writable.grow is None:
        raise HTTPException(404, "This portal's folder cannot be written.")
    try:
        writable.grow(TopicSuggestion(_edited(form, found.topic), found.n_documents, found.examples))
    except PorticoError as fault:
        raise HTTPException(400, f"The topic could not be written: {fault}") from fault
    settle_suggested(writable.store.meta, chosen, turned_down=False)


def _edited(form: Form, topic: Topic) -> Topic:
    """The topic in the builder's words; what the form leaves out stays as it was suggested."""
    path = one_line(form.get("path", str(topic)), LONGEST_PATH)
    keywords = one_line(form.get("keywords", ", ".join(topic.keywords)), LONGEST_KEYWORDS)
    names = tuple(name.strip() for name in path.split("/"))
    if not all(names) or len(set(names)) < len(names):
        raise HTTPException(400, "Write the names from the top down to the topic, with / between them.")
    return Topic(names, tuple(word for each in keywords.split(",") if (word := each.strip())))
