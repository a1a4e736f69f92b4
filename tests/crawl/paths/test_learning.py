"""Paths are learned from a few examples: labels on another site, and which links lead to the goal."""

import time
from dataclasses import replace
from pathlib import Path as File

import pytest

from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.paths.states import StateScheme, Supervision, choose_scheme, label_pages
from portico.crawl.policies.policy import Prefix
from portico.errors import ConfigError
from portico.types.page import PageView, Url
from portico.types.path import Path
from tests.crawl.example_paths import SITES, lessons, pages, path

EAST = pages(SITES[2])
TO_LIST = path(EAST, "home", "people", "Ed Moor", "Ed Moor, list", goal=True)
TO_HOBBIES = path(EAST, "home", "people", "Ed Moor", "Ed Moor, hobbies", goal=False)


def options(*, dual: bool, milestones: bool) -> PathOptions:
    supervision = Supervision.MILESTONES if milestones else Supervision.DISTANCES
    return PathOptions(dual=dual, supervision=supervision)


@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize(
    ("milestones", "to_list", "to_hobbies"),
    [
        (True, ("department", "people", "person", "goal"), ("department", "people", "person", "fail")),
        (False, ("3", "2", "1", "goal"), ("3", "2", "1", "fail")),
    ],
)
def test_a_path_through_another_site_is_labeled_as_taught(
    dual: bool, milestones: bool, to_list: tuple[str, ...], to_hobbies: tuple[str, ...]
) -> None:
    model = learn_paths(lessons(milestones=milestones), options(dual=dual, milestones=milestones))
    assert model.label(TO_LIST) == to_list
    assert model.label(TO_HOBBIES) == to_hobbies


def forage(model: PathModel, web: dict[str, PageView], start: str) -> list[str]:
    """Names of pages in the order they are fetched, scores summed over the pages that show a link."""
    by_url = {page.url: (name, page) for name, page in web.items()}
    path_scorer = TrainedPathScorer(model)
    scores: dict[Url, float] = {}
    prefixes: dict[Url, Prefix] = {}
    order, at, prefix = [start], web[start], None
    while True:
        for one in path_scorer.look(at, prefix).link_scores:
            url = one.sighting.link.target
            if by_url[url][0] not in order:
                scores[url] = scores.get(url, 0.0) + one.score
                prefixes.setdefault(url, one.prefix)
        if not scores:
            return order
        best = max(scores, key=lambda url: scores[url])
        del scores[best]
        name, at = by_url[best]
        order.append(name)
        prefix = prefixes[best]


@pytest.mark.parametrize("milestones", [True, False])
@pytest.mark.parametrize("dual", [True, False])
def test_a_forager_goes_straight_to_the_goal_of_another_site(dual: bool, milestones: bool) -> None:
    model = learn_paths(lessons(milestones=milestones), options(dual=dual, milestones=milestones))
    order = forage(model, EAST, "home")
    assert order[:2] == ["home", "people"]
    assert set(order[: 6 if dual else 7]) >= {"Ed Moor, list", "Flo Heath, list"}
    assert len(order) == len(EAST)


def test_three_paths_without_a_dead_end_suffice() -> None:
    shown = [one for one in lessons(milestones=False) if one.ending == "goal"]
    assert forage(learn_paths(shown), EAST, "home")[:2] == ["home", "people"]


def test_pages_that_have_a_name_are_called_by_it_whatever_was_learned() -> None:
    shown = [*lessons(milestones=True), path(EAST, "home", "people", "Ed Moor", "Ed Moor, list", goal=True)]
    assert learn_paths(shown).names == (("1", "person"), ("2", "people"), ("3", "department"))
    assert learn_paths(lessons(milestones=False)).names == ()


def test_a_path_that_ends_is_a_goal_or_leads_nowhere() -> None:
    model = learn_paths(lessons(milestones=False))
    for end in range(1, len(TO_LIST.steps)):
        cut = replace(TO_LIST, steps=TO_LIST.steps[:end])
        assert model.label(cut)[-1] in ("goal", "fail")


def test_a_model_is_kept_and_read_again(tmp_path: File) -> None:
    model = learn_paths(lessons(milestones=True))
    model.save(tmp_path / "models" / "paths.npz")
    again = PathModel.load(tmp_path / "models" / "paths.npz")
    assert again.names == model.names
    assert again.label(TO_LIST) == model.label(TO_LIST)
    assert forage(again, EAST, "home") == forage(model, EAST, "home")
    assert [file.name for file in (tmp_path / "models").iterdir()] == ["paths.npz"]


@pytest.mark.parametrize("damage", [b"", b"no model", b"PK\x03\x04"])
def test_a_damaged_model_is_named(tmp_path: File, damage: bytes) -> None:
    (tmp_path / "paths.npz").write_bytes(damage)
    with pytest.raises(ConfigError, match=r"paths\.npz: .*damaged"):
        PathModel.load(tmp_path / "paths.npz")


def test_without_a_goal_there_is_nothing_to_learn() -> None:
    with pytest.raises(ConfigError, match="no path leads to a goal"):
        learn_paths([TO_HOBBIES])


def test_learning_is_quick_enough_to_wait_for() -> None:
    started = time.process_time()
    learn_paths(lessons(milestones=True) * 5)
    assert time.process_time() - started < 5.0


def test_distances_end_where_the_way_is_left() -> None:
    paths = [TO_LIST, TO_HOBBIES, path(EAST, "home", "courses", "news", goal=False)]
    scheme = choose_scheme(paths, dual=True, supervision=Supervision.DISTANCES)
    assert label_pages(paths, scheme) == [
        ("3", "2", "1", "goal"),
        ("3", "2", "1", "fail"),
        ("3", "fail", "fail"),
    ]


def test_pages_without_a_name_are_between_or_astray() -> None:
    taught = path(
        EAST, "home", "people", "Ed Moor", "Ed Moor, list", goal=True, milestones=(" Home", "", "PERSON")
    )
    dead = path(EAST, "home", "courses", "news", goal=False, milestones=("home",))
    scheme = choose_scheme([taught, dead], dual=True, supervision=Supervision.MILESTONES)
    assert label_pages([taught, dead], scheme) == [
        ("home", "between", "person", "goal"),
        ("home", "astray", "fail"),
    ]


def test_milestones_may_be_called_like_the_ends() -> None:
    taught = path(
        EAST, "home", "people", "Ed Moor", "Ed Moor, list", goal=True, milestones=("goal", "Fail", "x")
    )
    model = learn_paths([taught], options(dual=True, milestones=True))
    assert model.label(taught) == ("between", "between", "x", "goal")


@pytest.mark.parametrize(
    ("n_distances", "groups"),
    [(1, ()), (2, ((0, 1),)), (4, ((0, 1), (2, 3), (0, 1, 2, 3))), (3, ((0, 1), (0, 1, 2)))],
)
def test_distances_form_a_binary_hierarchy(n_distances: int, groups: tuple[tuple[int, ...], ...]) -> None:
    labels = (*(str(one) for one in range(1, n_distances + 1)), "goal", "fail")
    scheme = StateScheme(labels, Supervision.DISTANCES, dual=False)
    assert scheme.topology().groups == groups
    assert replace(scheme, hierarchy=False).topology().groups == ()


@pytest.mark.parametrize("dual", [True, False])
def test_a_page_may_be_reached_without_a_link(dual: bool) -> None:
    typed = replace(TO_LIST, steps=tuple(replace(step, link=None) for step in TO_LIST.steps))
    model = learn_paths([typed, TO_HOBBIES], PathOptions(dual=dual))
    assert model.label(typed) == ("3", "2", "1", "goal")


@pytest.mark.parametrize("dual", [True, False])
def test_a_path_may_go_in_a_circle(dual: bool) -> None:
    round_trip = Path((*TO_HOBBIES.steps[:3], *TO_HOBBIES.steps), TO_HOBBIES.ending)
    model = learn_paths([TO_LIST, round_trip], PathOptions(dual=dual))
    assert model.label(TO_LIST)[-1] == "goal"


def test_a_page_without_links_promises_nothing() -> None:
    bare = TrainedPathScorer(learn_paths(lessons(milestones=False))).look(replace(EAST["home"], sightings=()))
    assert bare.link_scores == ()
    assert sum(bare.chances.values()) == pytest.approx(1.0)


def test_a_path_of_one_page_can_be_taught() -> None:
    only = Path(TO_LIST.steps[-1:], TO_LIST.ending)
    assert learn_paths([only, TO_HOBBIES]).label(only) == ("goal",)
