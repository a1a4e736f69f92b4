"""The shipped model of paths knows the way to officers and contact pages of a company it has never seen."""

from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.domains.registry import find_domain
from portico.types.page import Link, PageLink, PageView, Url

HOME = Url("http://www.harrow-pumps.test/")
LINKS = {
    "products.html": "Products",
    "news/spring-fair.html": "We are at the spring fair",
    "about/management.html": "Management team",
    "contact.html": "Contact us",
    "privacy.html": "Privacy policy",
}


def test_it_goes_to_management_and_contact_first() -> None:
    domain = find_domain("organisations")
    model = PathModel.load(domain.models / domain.paths)
    sightings = tuple(PageLink(Link(Url(HOME + to), HOME, said, said)) for to, said in LINKS.items())
    home = PageView(HOME, "Harrow Pumps Ltd", "Welcome", "Pumps and valves since 1921", sightings)
    link_scores = sorted(TrainedPathScorer(model).look(home).link_scores, key=lambda one: -one.score)
    assert {one.sighting.link.anchor for one in link_scores[:2]} == {"Management team", "Contact us"}
    assert link_scores[0].label == "goal"


def test_it_is_small_and_has_a_card() -> None:
    domain = find_domain("organisations")
    assert (domain.models / domain.paths).stat().st_size < 300_000
    assert (domain.models / domain.paths).with_suffix(".md").read_text().startswith("# Model card")
