"""What the pages of paths are called: by chains, and by classifiers that look at each page alone."""

from collections.abc import Callable, Sequence

from portico.crawl.paths.features import observe_path_link, observe_path_page
from portico.lab.scores import Scores, label_scores
from portico.learn import naive_bayes
from portico.learn.chain_crf import Moment, Seen, Topology
from portico.learn.chain_training import ChainExample, ChainOptions, train_chain
from portico.learn.counts import count_columns, to_dense, to_presence
from portico.types.path import Path, Step

Labels = tuple[str, ...]
Labeler = Callable[[Path], Labels]


def labeling_scores(paths: Sequence[Path], truths: Sequence[Labels], label: Labeler) -> Scores:
    """How well the pages of paths are labeled; F1 of a label is over all positions that have it."""
    return label_scores([(truth, label(path)) for path, truth in zip(paths, truths, strict=True)])


def bayes_labeler(paths: Sequence[Path], truths: Sequence[Labels]) -> Labeler:
    """Naive Bayes: each page by its words and those of the link to it, whatever comes before and after."""
    rows, labels = _pages(paths, truths)
    names = sorted(set(labels))
    columns: dict[str, int] = {}
    cells = [[columns.setdefault(name, len(columns)) for name, _ in row] for row in rows]
    table = to_presence(count_columns(cells, len(columns)))
    model = naive_bayes.train_naive_bayes(
        table, to_dense(count_columns([[names.index(one)] for one in labels], len(names)))
    )

    def label(path: Path) -> Labels:
        seen = [[columns[name] for name, _ in step_features(step) if name in columns] for step in path.steps]
        chances = model.posterior(to_presence(count_columns(seen, len(columns))))
        return tuple(names[int(row.argmax())] for row in chances)

    return label


def entropy_labeler(paths: Sequence[Path], truths: Sequence[Labels], *, variance: float) -> Labeler:
    """Maximum entropy: the same pages by weights of the same observations, each page alone."""
    rows, labels = _pages(paths, truths)
    names = tuple(sorted(set(labels)))
    topology = Topology(names, tuple(range(len(names))), ((0, 0),))
    examples = [
        ChainExample((Moment(row),), (names.index(one),)) for row, one in zip(rows, labels, strict=True)
    ]
    model = train_chain(examples, topology, ChainOptions(variance=variance, max_iterations=50))
    return lambda path: tuple(names[model.label([Moment(step_features(step))])[0]] for step in path.steps)


def step_features(step: Step) -> Seen:
    """A page and the link that led to it, as one."""
    return (*observe_path_page(step.page), *(observe_path_link(step.link) if step.link is not None else ()))


def _pages(paths: Sequence[Path], truths: Sequence[Labels]) -> tuple[list[Seen], list[str]]:
    """The pages of all paths, as often as a chain sees them."""
    seen: dict[tuple[int, int], Seen] = {}
    rows: list[Seen] = []
    labels: list[str] = []
    for path, called in zip(paths, truths, strict=True):
        for step, label in zip(path.steps, called, strict=True):
            key = (id(step.page), id(step.link))
            if key not in seen:
                seen[key] = step_features(step)
            rows.append(seen[key])
            labels.append(label)
    return rows, labels
