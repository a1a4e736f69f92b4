"""Explains why a URL was or was not fetched: its path from the seed, its value, its outcome."""

import math
from collections.abc import Iterator

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.paths.encoding import observe_path_link
from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.paths.states import FAIL
from portico.crawl.policies.family_ranking import number_families
from portico.crawl.policies.observations import find_families, observe_link
from portico.crawl.policies.policy import Prefix
from portico.crawl.policies.trained import BAYES
from portico.crawl.revisiting import DAY_S, estimate_change_rate
from portico.pipeline.portal import Portal
from portico.pipeline.sources.link_order import load_bayes_spider, load_path_model, load_spider
from portico.pipeline.sources.path_models import PATHS
from portico.store.crawl.history import LinkRow
from portico.text.markup import decode
from portico.types.explanation import ExplanationSection
from portico.types.frontier import LinkState
from portico.types.page import Link, PageLink, PageView, Url

_SHOWN_SHARES = 8  # the strongest observations, for and against together

_STATES = {
    LinkState.QUEUED: "waits to be fetched",
    LinkState.DONE: "was fetched",
    LinkState.FAILED: "could not be fetched",
    LinkState.SKIPPED: "was left out",
}


def explain_link(portal: Portal, url: str) -> Iterator[ExplanationSection]:
    """Explains a URL; yields nothing if the crawl has never seen it."""
    path = portal.store.crawl.history.path(url)
    if not path:
        return
    yield _standing(path[-1])
    yield _way(path)
    yield from _freshness(portal, path[-1])
    if path[-1].odds is not None:
        policy = portal.settings.spider.policy
        if policy in BAYES:
            yield from _bins(portal, path[-1], policy)
        elif policy == PATHS:
            yield from explain_way(portal, path, _seen(portal, path[-1])[1])
        else:
            yield from _foresight(portal, path[-1], path[-1].odds)
    yield from _gain(portal, path[-1])


def _standing(link: LinkRow) -> ExplanationSection:
    reason = f": {link.reason}" if link.reason else ""
    tried = f", after {link.attempts} attempts" if link.attempts > 1 else ""
    return ExplanationSection("Address", f"{link.url} {_STATES[LinkState(link.state)]}{reason}{tried}.")


def _way(path: tuple[LinkRow, ...]) -> ExplanationSection:
    start = "a seed" if path[0].via is None else "a page that is no longer known"
    n_links = len(path) - 1
    return ExplanationSection(
        "Path",
        f"{n_links} link{'' if n_links == 1 else 's'} from {start}.",
        ("step", "address", "anchor", "score then"),
        tuple(
            (str(step), row.url, row.anchor, f"{row.priority:+.2f}" if row.odds is not None else "")
            for step, row in enumerate(path)
        ),
    )


def _freshness(portal: Portal, link: LinkRow) -> Iterator[ExplanationSection]:
    """How often the page was revisited, and its estimated rate of change."""
    record = portal.store.crawl.freshness.record(link.url)
    if record is None:
        return
    days = 1.0 / (estimate_change_rate(record) * DAY_S)
    gone = (
        " It was missing at the last check; if it is missing again, it is removed."
        if record.gone_since
        else ""
    )
    yield ExplanationSection(
        "Freshness",
        f"Asked for again {record.n_visits} times, changed {record.n_changes} times since the first fetch; "
        f"believed to change about every {days:,.0f} days.{gone}",
    )


def _foresight(portal: Portal, link: LinkRow, odds: float) -> Iterator[ExplanationSection]:
    """The model's prediction for the link, and the rewards of similar links."""
    _, sighting = _seen(portal, link)
    told = list(zip(find_families(sighting), number_families(sighting), strict=True))
    records = portal.store.crawl.link_ranks.records([id_ for _, id_ in told])
    yield ExplanationSection(
        "What was foreseen",
        f"By its words, its address and its distance a chance of {_chance(odds):.0%} (log odds {odds:+.2f}); "
        f"{_chance(link.priority):.0%} ({link.priority:+.2f}) with what links like it had brought by then.",
        ("links like it", "brought so far", "was foreseen"),
        tuple(
            (name, f"{records[id_].observed:.1f}", f"{records[id_].foreseen:.1f}")
            for name, id_ in told
            if id_ in records
        ),
    )
    shares = load_spider(portal).shares(observe_link(sighting.link))
    loudest = sorted(shares, key=lambda share: -abs(share[1]))[:_SHOWN_SHARES]
    yield ExplanationSection(
        "Evidence for and against it",
        "Words and other features, with what each adds to the log odds.",
        ("observation", "adds"),
        tuple((name, f"{added:+.2f}") for name, added in loudest),
    )


def _bins(portal: Portal, link: LinkRow, policy: str) -> Iterator[ExplanationSection]:
    """The prediction of a published spider: probabilities of the reward bins, and the words behind them."""
    page, sighting = _seen(portal, link)
    model = load_bayes_spider(portal, policy)
    looked_at = BAYES[policy].words
    words = [*looked_at.of_page(page), *looked_at.of_link(sighting)]
    chances = model.value.membership(model.likelihood(words))
    yield ExplanationSection(
        "What was foreseen",
        f"By the bins of the {policy} spider, from its words on the page where it was first found.",
        ("mean reward of the bin", "chance"),
        tuple(
            (f"{value:.2f}", f"{chance:.1%}")
            for value, chance in zip(model.value.values, chances, strict=True)
        ),
    )
    yield ExplanationSection(
        "Evidence for and against it",
        "Words by what each adds to the log odds of the highest bin against the lowest.",
        ("word", "adds"),
        tuple((word, f"{added:+.2f}") for word, added in model.voices(words)[:_SHOWN_SHARES]),
    )


def _seen(portal: Portal, link: LinkRow) -> tuple[PageView, PageLink]:
    """The link on the page where it was found; if that page is gone, as stored in the frontier."""
    kept = portal.store.crawl.frontier.kept(link.via) if link.via is not None else None
    if kept is not None and kept.body is not None and kept.media_type.startswith(media_types.HTML):
        page = view_page(decode(kept.body, kept.media_type), kept.final)
        for sighting in page.sightings:
            if sighting.link.target == link.url:
                return page, sighting
    return PageView(link.via or Url("")), PageLink(Link(link.url, link.via, link.anchor, link.context))


def _gain(portal: Portal, link: LinkRow) -> Iterator[ExplanationSection]:
    domain = portal.domain
    gain = portal.store.crawl.history.led_to(link.url, domain.target_types)
    if gain.n_links:
        yield ExplanationSection(
            "What it led to",
            f"{gain.n_targets} documents among {gain.n_links} URLs that were first found on it; "
            f"{gain.n_targets_below} among {gain.n_links_below} with everything below.",
        )


def _chance(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-500.0, min(odds, 500.0))))


_SHOWN_VOICES = 8  # the strongest observations, for and against together


def explain_way(
    portal: Portal, path: tuple[LinkRow, ...], sighting: PageLink
) -> Iterator[ExplanationSection]:
    """Explains a path: the states of its links, the rewards of the last one, and the words behind them."""
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
    """The words and features that favor the link's most likely state other than leading nowhere."""
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
        "Evidence for and against it",
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
    """Describe a label: a milestone by its name, a distance by the number of links."""
    if not label.isdecimal():
        return label
    return f"{label} {'link' if label == '1' else 'links'} before a goal"
