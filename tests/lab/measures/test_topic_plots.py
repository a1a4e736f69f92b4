"""Charts of `lab topics`: drawn where there are figures, and of the figures there are."""

from pathlib import Path
from xml.etree import ElementTree

from portico.lab.measures.topics import write_topic_plots


def figures(*rows: str) -> dict[str, dict[str, object]]:
    return {row: {"leaf": 0.5, "bins": [(0.2, 0.1), (0.8, 0.9)]} for row in rows}


def words(path: Path) -> set[str]:
    return {element.text or "" for element in ElementTree.parse(path).iter()}


def test_both_charts_name_what_they_draw(tmp_path: Path) -> None:
    rows = ("naive Bayes, 100 labels", "naive Bayes, 399 labels", "keyword rules", "default")
    drawn = list(write_topic_plots(figures(*rows), tmp_path / "plots"))
    assert [path.name for path in drawn] == ["labels.svg", "reliability.svg"]
    assert {"keyword rules", "default", "the papers: naive Bayes from labels"} <= words(drawn[0])
    assert {"as it should be", "default"} <= words(drawn[1])
    assert "papers: EM + shrinkage" not in words(drawn[1])


def test_without_labels_there_is_no_learning_curve(tmp_path: Path) -> None:
    assert [path.name for path in write_topic_plots(figures("default"), tmp_path)] == ["reliability.svg"]
    assert list(write_topic_plots(figures("keyword rules"), tmp_path)) == []
