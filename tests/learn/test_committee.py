"""Models that label together: they agree, they are outvoted, they travel as one file."""

import pickle
from pathlib import Path

import pytest

from portico.errors import SetupError
from portico.learn.committee import Committee, MemberOptions, load_committee, mark_openings, train_committee
from portico.learn.crf import CrfOptions, train_crf

EXAMPLES = [
    ([["cap"], ["low"], ["num"]], ["name", "word", "year"]),
    ([["low"], ["low"], ["num"]], ["word", "word", "year"]),
] * 5
OPTIONS = CrfOptions(c1=0.01, c2=0.01, max_iterations=30)
MEMBERS = (MemberOptions("plain", OPTIONS), MemberOptions("openings", OPTIONS, marks_openings=True))


@pytest.fixture(scope="module")
def committee() -> Committee:
    return train_committee(EXAMPLES, MEMBERS)


def test_first_of_a_run_is_marked() -> None:
    assert mark_openings(["a", "a", "b", "a"]) == ("a^", "a", "b^", "a^")
    assert mark_openings([]) == ()


def test_members_agree_on_plain_labels(committee: Committee) -> None:
    (tagging,) = committee.ranked([["cap"], ["low"], ["low"], ["num"]])
    assert tagging.labels == ("name", "word", "word", "year")
    assert all(0.5 < chance <= 1 for chance in tagging.probabilities)
    assert committee.tag([["num"]]) == committee.ranked([["num"]])[0]


def test_the_surer_member_wins_and_the_other_is_runner_up() -> None:
    sure = train_crf([([["x"]], ["yes"])] * 50 + [([["y"]], ["no"])] * 50, options=OPTIONS)
    unsure = train_crf([([["x"]], ["no"])] * 3 + [([["x"]], ["yes"])] * 2, options=OPTIONS)
    best, other = Committee((("unsure", unsure), ("sure", sure))).ranked([["x"]])
    assert (best.labels, other.labels) == (("yes",), ("no",))
    assert best.probabilities[0] > 0.6
    assert best.probabilities[0] + other.probabilities[0] == pytest.approx(1.0)


def test_many_sequences_are_ranked_like_each_alone() -> None:
    unsure = train_crf([([["x"]], ["no"])] * 3 + [([["x"]], ["yes"])] * 2, options=OPTIONS)
    marked_model = train_crf([([["x"], ["y"]], ["yes^", "yes"]), ([["y"]], ["no^"])] * 9, options=OPTIONS)
    committee = Committee((("unsure", unsure), ("openings", marked_model)))
    sequences = [[["x"], ["y"], ["y"]], [], [["y"]], [["x"], ["z"]]]
    for one, many in zip(map(committee.ranked, sequences), committee.ranked_each(sequences), strict=True):
        assert [tagging.labels for tagging in many] == [tagging.labels for tagging in one]
        for ours, theirs in zip(many, one, strict=True):
            assert ours.probabilities == pytest.approx(theirs.probabilities)


def test_travels_between_processes(committee: Committee) -> None:
    committee.ranked_each([[["cap"]]])
    again = pickle.loads(pickle.dumps(committee))
    assert again == committee
    assert again.tag([["cap"]]) == committee.tag([["cap"]])


def test_nothing_to_label(committee: Committee) -> None:
    assert committee.tag([]).labels == ()


def test_travels_as_a_file(committee: Committee, tmp_path: Path) -> None:
    path = tmp_path / "model.crf.zip"
    path.write_bytes(committee.to_bytes())
    again = load_committee(path)
    assert again == committee
    assert again.digest == committee.digest
    assert again.to_bytes() == committee.to_bytes()


def test_not_a_committee(tmp_path: Path) -> None:
    path = tmp_path / "model.crf.zip"
    with pytest.raises(SetupError, match="cannot read the model"):
        load_committee(path)
    path.write_bytes(b"hello")
    with pytest.raises(SetupError, match="not a trained model"):
        load_committee(path)


def test_a_blind_member_never_learns_from_what_it_does_not_see() -> None:
    told = [([["L=name", "x"]], ["name"]), ([["L=word", "x"]], ["word"])] * 20
    members = (MemberOptions("seeing", OPTIONS), MemberOptions("blind", OPTIONS, blind_to=("L=",)))
    seeing, blind = (model for _, model in train_committee(told, members).members)
    assert seeing.tag([["L=name", "x"]]).probabilities[0] > 0.9
    assert blind.tag([["L=name", "x"]]).probabilities[0] == pytest.approx(0.5, abs=0.05)
