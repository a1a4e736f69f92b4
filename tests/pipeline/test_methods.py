"""Published methods that portal.toml asks for take the place of the usual ones, and give it back."""

from pathlib import Path

from portico.cli.progress_lines import ProgressLines
from portico.pipeline.building import build_portal
from portico.pipeline.opening import open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.topics.topic_model import load_topic_model
from portico.pipeline.topics.topic_tree import read_tree
from tests.pipeline.test_few_changes import N_PAPERS, import_papers, read_tables

PUBLISHED = '\n[classify]\nmethod = "bootstrapping"\n\n[match]\nmethod = "words"\n'


def test_methods_change_and_change_back(tmp_path: Path) -> None:
    portal_folder = tmp_path / "portal"
    import_papers(portal_folder, tmp_path / "papers.jsonl", tuple((number, 0) for number in range(N_PAPERS)))
    usual = read_tables(portal_folder)
    settings = portal_folder / "portal.toml"
    written = settings.read_text(encoding="utf-8")
    settings.write_text(written + PUBLISHED, encoding="utf-8")
    build_portal(portal_folder, BuildRequest(), ProgressLines(None))
    with open_portal(portal_folder) as portal:
        model = load_topic_model(portal, read_tree(portal))
        assert model is not None
        assert (model.confidence, model.outside, model.guide) == (None, None, None), (
            "the published one has none"
        )
    assert read_tables(portal_folder)["assignment"] != usual["assignment"]
    settings.write_text(written, encoding="utf-8")
    build_portal(portal_folder, BuildRequest(), ProgressLines(None))
    again = read_tables(portal_folder)
    for table in ("entity", "citation", "assignment", "matched"):
        assert again[table] == usual[table]
