"""New leaves for a topic tree: groups of documents with names, keywords and examples."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from portico.classify.features import vocabulary
from portico.learn.clusters import cluster, telling_columns, weighed
from portico.text.words import tokens, words
from portico.types.topic import TopicText

N_KEYWORDS = 8
N_EXAMPLES = 4
LEAST_DOCUMENTS = 3  # a group of fewer is no topic


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A leaf that could be: its name, keywords, how many documents it gathers, and titles of some."""

    name: str
    keywords: tuple[str, ...]
    n_documents: int
    examples: tuple[str, ...]

    def toml(self, above: tuple[str, ...] = ()) -> str:
        """As a topic to paste into a file of topics."""
        path = "/".join((*above, self.name))
        lines = [f"# {self.n_documents} documents, among them:", *(f"#   {title}" for title in self.examples)]
        keywords = ", ".join(json.dumps(word, ensure_ascii=False) for word in self.keywords)
        lines += ["[[topic]]", f"path = {json.dumps(path, ensure_ascii=False)}", f"keywords = [{keywords}]"]
        return "\n".join(lines) + "\n"


def suggest(texts: Sequence[TopicText], *, n_topics: int) -> tuple[Suggestion, ...]:
    """At most so many groups of the documents, the largest first; none where there are too few of them."""
    if len(texts) < LEAST_DOCUMENTS:
        return ()
    known = vocabulary(texts)
    groups = cluster(weighed(known.count(texts)), n_topics)
    members: dict[int, list[int]] = {}
    for row, number in enumerate(groups.hard()):
        members.setdefault(number, []).append(row)
    found = []
    for number, rows in members.items():
        if len(rows) < LEAST_DOCUMENTS:
            continue
        columns = telling_columns(groups, number, least=3 * N_KEYWORDS)
        telling = [word for column in columns if not (word := known.words[column]).startswith("@")]
        if not telling:
            continue
        phrase = _phrase([texts[row].title for row in rows], telling)
        keywords = tuple(dict.fromkeys([*phrase, *telling]))[:N_KEYWORDS]
        name = phrase[0] if phrase else " ".join(telling[:2])
        middle = sorted(rows, key=lambda row: (-float(groups.similarity[row, number]), row))
        titles = [texts[row].title for row in middle if texts[row].title]
        found.append(Suggestion(name.title(), keywords, len(rows), tuple(titles[:N_EXAMPLES])))
    return _told_apart(sorted(found, key=lambda each: (-each.n_documents, each.name)))


def _phrase(titles: Sequence[str], telling: Sequence[str]) -> list[str]:
    """The two words, one of them telling, that stand side by side in most titles; none where that is one."""
    pairs = Counter[str]()
    for title in titles:
        spoken = [token for token in tokens(title) if words(token)]
        pairs.update(
            {f"{a} {b}" for a, b in pairwise(spoken) if set(words(f"{a} {b}")) & set(telling[:N_KEYWORDS])}
        )
    best = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:1]
    return [pair for pair, n_titles in best if n_titles >= 2]


def _told_apart(found: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Of suggestions with the same name the first keeps it, others add a keyword to it."""
    named: dict[str, Suggestion] = {}
    for each in found:
        names = (each.name, *(f"{each.name} ({word})" for word in each.keywords))
        name = next((name for name in names if name not in named), None)
        if name:
            named[name] = Suggestion(name, each.keywords, each.n_documents, each.examples)
    return tuple(named.values())
