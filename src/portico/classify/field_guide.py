"""Relates fields of research to a topic tree: which documents belong in it, and under which top-level topic.

Names and keywords of the tree determine which fields it covers. A document from another field gets no topic,
even in a portal with very few documents. If the top-level topics are named after fields, as in the tree of
all sciences, the model of fields chooses among them, and keywords only decide between the topics below.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from portico.classify.fields import HOME_FIELD, FieldModel
from portico.classify.keywords import Keywords, compile_keywords, list_neighbor_titles
from portico.learn.counts import Table, Vector, count_columns, to_dense
from portico.learn.linear_text import join_odds, mean_columns, weigh_columns
from portico.learn.shrinkage import TopChances, Tree, reweigh_tops
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

# Maps the share of a document's fields that a tree covers to the probability that it belongs: fitted on the
# tree that ships, four trees of arXiv and one of every field, each left out in turn.
COVERED_SLOPE, COVERED_OFFSET = 1.0, 2.85
# Builders write trees for the documents they have: nine in ten belong (the log odds of nine to one).
BUILDERS_ODDS = 2.2
# For trees in the home field, its own model is used as well, which is more accurate. With this offset, three
# in a hundred abstracts of Cora are judged to be outside, and nine in ten abstracts from other fields.
FIELD_SHARE, HOME_OFFSET = 0.4, 3.5
# A title alone says little about its field: the fewer known words in a text, the less evidence it needs.
SHORT_ODDS, SHORT_WORDS = 1.5, 50.0
# A tree is in the home field if that has at least this share of what the tree covers.
HOME_SHARE = 0.4
# A tree is not judged if its leaves have fewer known words on average, or cover all fields alike: it may be
# in another language, or not about research.
LEAST_WORDS, LEAST_COVERED = 2.0, 0.15
JUDGED_WORDS = 8  # a document with fewer known words is not counted in comparisons of trees
SURE_FIELD = 0.4  # the least probability of a field to be clear
NEAR_SHARE = 0.1  # the least share of neighboring titles with a keyword, and at least two
LEAST_TOPS = 3  # with the name of a field, for a tree of fields


@dataclass(frozen=True, slots=True, eq=False)
class FieldJudgment:
    """The probability of each document that it belongs in a tree; for a tree of fields also that of each
    field.
    """

    belonging: Vector
    fields: "Table | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class FieldGuide:
    """How much of each field a tree covers; for a tree of fields, the node of each field (0: none)."""

    model: FieldModel
    coverage: tuple[float, ...]
    is_home: bool
    tops: tuple[int, ...] = ()
    keywords: Keywords | None = None  # of a tree of fields

    def judge(self, texts: Sequence[TopicText]) -> "FieldJudgment":
        """Whether each document belongs in the tree, judging by its field."""
        if self.tops:
            fields = self.model.chances(texts)
            return FieldJudgment(weigh_columns(fields, [float(top > 0) for top in self.tops]), fields)
        counts = self.model.count(texts)
        covered = weigh_columns(self.model.shares(counts), self.coverage)
        if self.is_home:
            known = zip(self.model.home_odds(counts), self.model.n_known(counts), strict=True)
            odds = [said + SHORT_ODDS * max(0.0, 1.0 - n_known / SHORT_WORDS) for said, n_known in known]
            return FieldJudgment(join_odds(covered, slope=FIELD_SHARE, offset=HOME_OFFSET, odds=odds))
        offset = COVERED_OFFSET + BUILDERS_ODDS
        return FieldJudgment(join_odds(covered, slope=COVERED_SLOPE, offset=offset))

    def place(
        self, texts: Sequence[TopicText], judged: "FieldJudgment", node_chances: Table, tree: Tree
    ) -> Table:
        """The probabilities of the nodes, corrected by the fields of the documents.

        In a tree of fields, the model of fields determines the top-level topics; in other trees,
        probabilities are reduced for documents that may not belong.
        """
        if judged.fields is not None:
            signs = count_columns((self._list_signs(text, tree) for text in texts), len(tree.parents))
            return reweigh_tops(node_chances, tree, TopChances(judged.fields, self.tops), to_dense(signs))
        scaled: Table = node_chances * judged.belonging[:, None]
        return scaled

    def _list_signs(self, text: TopicText, tree: Tree) -> list[int]:
        """The leaf (as a node) of every keyword of a document, repeated according to its weight.

        Keywords in the title count twice, those in the abstract once, those in neighboring titles once if
        enough of these titles contain them.
        """
        if self.keywords is None:
            return []
        near = Counter(self.keywords.near(text))
        least = max(2.0, NEAR_SHARE * len(list_neighbor_titles(text)))
        numbers = [*self.keywords.own(text), *self.keywords.in_title(text)]
        numbers += [number for number, n_titles in near.items() if n_titles >= least]
        return [tree.leaves[leaf] for number in numbers for leaf in self.keywords.all[number].leaves]


def count_belonging(
    texts: Sequence[TopicText], topics: Sequence[Topic], model: FieldModel
) -> tuple[int, int]:
    """How many documents belong in a tree, and how many have enough known words to judge."""
    _, nodes = Tree.of_paths([topic.path for topic in topics])
    guide = find_guide(topics, nodes, model)
    n_known = model.n_known(model.count(texts))
    known = [text for text, n in zip(texts, n_known, strict=True) if n >= JUDGED_WORDS]
    if guide is None or not known:
        return 0, len(known)
    return sum(chance >= 0.5 for chance in guide.judge(known).belonging.tolist()), len(known)


def count_sure(texts: Sequence[TopicText], model: FieldModel) -> tuple[int, int]:
    """How many documents are clearly in one field, and how many of them are in the most frequent field."""
    rows = model.shares(model.count(texts)).tolist() if texts else []
    fields = Counter(row.index(max(row)) for row in rows if max(row) >= SURE_FIELD)
    return fields.total(), max(fields.values(), default=0)


def find_guide(
    topics: Sequence[Topic], nodes: Sequence[tuple[str, ...]], model: FieldModel
) -> FieldGuide | None:
    """The fields that a tree covers; None if the model of fields cannot determine them."""
    named = {name: nodes.index((top,)) for name, top in _named_tops(topics, model).items()}
    tops = tuple(named.get(field, 0) for field in model.fields)
    if len(named) >= LEAST_TOPS and len(named) == len({topic.path[0] for topic in topics}):
        return FieldGuide(model, tuple(float(top > 0) for top in tops), False, tops, compile_keywords(topics))
    leaves = [TopicText(DocumentId(""), " ".join((*topic.path, *topic.keywords))) for topic in topics]
    counts = model.count(leaves)
    shares = mean_columns(model.shares(counts))
    largest = max(shares)
    if sum(model.n_known(counts)) < LEAST_WORDS * len(leaves) or largest < LEAST_COVERED:
        return None
    home = shares[model.fields.index(HOME_FIELD)]
    coverage = tuple((share / largest) ** 2 for share in shares)
    return FieldGuide(model, coverage, is_home=home == largest and home >= HOME_SHARE)


def _named_tops(topics: Sequence[Topic], model: FieldModel) -> dict[str, str]:
    """The top-level topics that have the name of a field, by field."""
    tops = {topic.path[0].casefold(): topic.path[0] for topic in topics}
    return {field: tops[field] for field in model.fields if field in tops}
