"""Why a crawl by learned paths went to an address: what the pages on the way were taken for."""

from collections.abc import Iterator

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.paths.encoding import observe_path_link
from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.paths.states import FAIL
from portico.crawl.policies.policy import Prefix
from portico.pipeline.portal import Portal
from portico.pipeline.sources.link_order import load_path_model
from portico.store.crawl.history import LinkRow
from portico.text.markup import decode
from portico.types.explanation import ExplanationSection
from portico.types.page import PageLink, PageView, Url

_SHOWN_VOICES = 8  # observations that spoke most, for and against together


def explain_way(
    portal: Portal, path: tuple[LinkRow, ...], sighting: PageLink
) -> Iterator[ExplanationSection]:
    """The states of the way, those of the last link with their rewards, and the words that spoke for them."""
    model = load_path_model(portal)
    ways = portal.store.crawl.prefixes.of([row.url for row in path])
    yield _states(portal, model, path, ways)
    prefix = ways.get(path[-1].url)
    if prefix is not None and len(prefix) == len(model.scheme.labels):
        yield _promise(model, path[-1], prefix)
        yield _voices(model, sighting, prefix)


def _states(
    portal: Portal, model: PathModel, path: tuple[LinkRow, ...], ways: dict[Url, Prefix]
) -> ExplanationSection:
    """What each link was expected to lead to, and what its page then looked like."""
    path_scorer = TrainedPathScorer(model)
    rows = []
    for step, row in enumerate(path):
        prefix = ways.get(row.url)
        page = _page(portal, row.url)
        chances = dict(path_scorer.look(page, prefix).chances) if page is not None else {}
        expected = dict(zip(model.scheme.labels, prefix, strict=False)) if prefix else {}
        rows.append((str(step), row.url, _likeliest(expected), _likeliest(chances)))
    return ExplanationSection(
        "What the way was taken for",
        "Links by what they were expected to lead to, pages by what they look like once they are seen.",
        ("step", "address", "expected", "seen"),
        tuple(rows),
    )


def _promise(model: PathModel, link: LinkRow, prefix: Prefix) -> ExplanationSection:
    score = TrainedPathScorer(model).score(prefix)
    rewards = [model.rewards[state] for state in model.scheme.links]
    states = zip(model.scheme.labels, prefix, rewards, strict=True)
    return ExplanationSection(
        "What it promised",
        f"A reward of {score:.3f} by the most promising way to it; {link.priority:.3f} with what all pages "
        f"that show it promise together.",
        ("leads to", "chance", "reward", "adds"),
        tuple(
            (_in_words(label), f"{chance:.1%}", f"{reward:.3f}", f"{chance * reward:.3f}")
            for label, chance, reward in sorted(states, key=lambda state: -state[1] * state[2])
        ),
    )


def _voices(model: PathModel, sighting: PageLink, prefix: Prefix) -> ExplanationSection:
    """The words and signs of the link that speak for what it most likely leads to, if not to nowhere."""
    named = [idx for idx, label in enumerate(model.scheme.labels) if label != FAIL]
    likeliest = max(named, key=lambda idx: prefix[idx])
    here, nowhere = model.scheme.links[likeliest], model.scheme.links[model.scheme.labels.index(FAIL)]
    voices = model.crf.voices(observe_path_link(sighting))
    said = sorted(
        ((name, weights[here] - weights[nowhere]) for name, weights in voices.items()),
        key=lambda voice: -abs(voice[1]),
    )
    name = model.scheme.labels[likeliest]
    return ExplanationSection(
        "What spoke for and against it",
        f'Words and signs of the link by what each adds to the log odds of "{name}" against nowhere.',
        ("observation", "adds"),
        tuple((name, f"{added:+.2f}") for name, added in said[:_SHOWN_VOICES]),
    )


def _page(portal: Portal, url: Url) -> PageView | None:
    kept = portal.store.crawl.frontier.kept(url)
    if kept is None or kept.body is None or not kept.media_type.startswith(media_types.HTML):
        return None
    return view_page(decode(kept.body, kept.media_type), kept.final)


def _likeliest(chances: dict[str, float]) -> str:
    if not any(chances.values()):
        return ""
    label = max(chances, key=lambda name: chances[name])
    return f"{_in_words(label)} ({chances[label]:.0%})"


def _in_words(label: str) -> str:
    """What a label means: a milestone by its name, a distance as what it is one from."""
    if not label.isdecimal():
        return label
    return f"{label} {'link' if label == '1' else 'links'} before a goal"
