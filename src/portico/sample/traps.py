"""Obstacles as on the real web: robots rules, redirects, loops, dead links, wrong types."""

from collections.abc import Sequence

from portico.sample.department_pages import Campus, add_page
from portico.sample.markup import make_bullets, make_link
from portico.sample.placement import Address, WebFiles

# Lindholm has none: its server answers 404, and everything is allowed.
ROBOTS = {
    "northfield": (
        "# Please be gentle.\nUser-agent: GreedyBot\nDisallow: /\n\n"
        "User-agent: *\nDisallow: /private/\nAllow: /private/welcome.html\nDisallow: /cgi-bin/\n"
    ),
    "eastmere": "User-agent: *\nDisallow: /~*/drafts/\nDisallow: /*.bak$\nCrawl-delay: 0.02\n",
    "harrowgate": "User-agent: *\nCrawl-delay: 0.01\nDisallow: /internal/\nDisallow: /calendar/\n",
    "valmont": "\ufeffuser-agent: *\r\ndisallow: /brouillons/\r\nallow: /\r\n",
}


def add_traps(building: WebFiles, campus: Campus) -> None:
    """Add robots rules and everything that is linked from the page of old URLs."""
    robots = ROBOTS.get(campus.department.key)
    if robots:
        building.add(campus.address("/robots.txt"), robots.encode())
    building.calendars.append(campus.address("/calendar/"))
    building.flaky.append(campus.address("/facilities.html"))
    _add_redirects(building, campus)
    _add_odd_files(building, campus)
    add_page(building, campus, "/archive.html", "Old addresses", _archive(campus))


def add_wrong_types(building: WebFiles, papers: Sequence[Address]) -> None:
    """Serve some papers with a wrong or generic media type."""
    wrong = ("application/octet-stream", "text/plain", "binary/octet-stream")
    for idx, address in enumerate(papers[::9]):
        building.types[address] = wrong[idx % len(wrong)]


def _archive(campus: Campus) -> str:
    host = campus.department.host
    return "<p>These pages have moved; please update your bookmarks.</p>\n" + make_bullets(
        [
            make_link("/old/publications.html", "Publications"),
            make_link("/old/reports.html", "Reports"),
            make_link("/latest", "Our latest news"),
            make_link("/loop/a.html", "Mirror site"),
            make_link("/department.html", "The old home page"),
            make_link(f"http://{host.upper()}:80/about.html#top", "About us"),
            make_link("/courses/../people/./index.html", "People"),
            make_link("/lost/thesis.pdf", "A thesis"),
            make_link("/moved.pdf", "Annual report"),
            make_link("/gone.html", "Guest book"),
            make_link("/search?q=", "Search"),
            make_link("/notes.txt", "Notes on the network"),
            make_link("/private/welcome.html", "Members' page"),
            make_link("/cgi-bin/counter?page=archive", "Visits so far"),
            '<a href="mailto:webmaster">Webmaster</a>, <a href="javascript:history.back()">back</a>',
            '<a href="ftp://ftp.elsewhere.test/pub/">FTP</a>, <a href="http://[broken">map</a>',
        ]
    )


def _add_redirects(building: WebFiles, campus: Campus) -> None:
    host = campus.department.host
    for path, status, target in (
        ("/old/publications.html", 301, f"http://{host}/old/pubs/"),
        ("/old/pubs/", 302, "/pubs/"),  # a chain, and a target without host
        ("/old/reports.html", 301, f"http://{host}/techreports/index.html"),
        ("/latest", 302, "/news/"),
        ("/loop/a.html", 302, "/loop/b.html"),
        ("/loop/b.html", 302, "/loop/a.html"),
    ):
        building.redirects[campus.address(path)] = (status, target)
    building.statuses[campus.address("/gone.html")] = 410
    building.statuses[campus.address("/search")] = 500


def _add_odd_files(building: WebFiles, campus: Campus) -> None:
    refresh = (
        '<html><head><meta http-equiv="refresh" content="3; url=/index.html"></head>'
        "<body>The department has a new home page.</body></html>\n"
    )
    building.add(campus.address("/department.html"), refresh.encode())
    add_page(building, campus, "/private/welcome.html", "Members' page", "<p>Nothing to see here.</p>")
    sorry = b"<html><body>The annual report is being revised. Please come back later.</body></html>\n"
    building.add_other(campus.address("/moved.pdf"), sorry, "page named as PDF")
    building.types[campus.address("/moved.pdf")] = "text/html"
    notes = "The backbone was renewed in 1998. Ask the operator before plugging anything in.\n" * 12
    building.add(campus.address("/notes.txt"), notes.encode())
