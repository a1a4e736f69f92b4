"""Everything through which people change a portal: corrections, submissions, and the builder's view."""

from collections.abc import Callable
from dataclasses import replace

from starlette.routing import Route

from portico.serve import builder_doubts, corrections, signing_in, submissions
from portico.serve.builder import BuilderRoom
from portico.serve.desk import Desk
from portico.serve.directory.wrong import ThingSheet
from portico.serve.limits import Throttle
from portico.serve.live import Remembered
from portico.serve.portal import Portal
from portico.serve.query_counting import QueryCounts
from portico.serve.rendering import Renderer
from portico.serve.signing_in import Guard

# What one visitor may propose and submit: enough for somebody who goes through a list of their own papers.
_SENT, _SENT_WITHIN_S = 30, 3600.0

# Doubts read every paper of the portal.
_DOUBTS_AGE_S = 30.0


def routes(
    portal: Portal, desk: Desk, renderer: Renderer, counts: QueryCounts, *, clock: Callable[[], float]
) -> list[Route]:
    """The rooms, which share one guard; pages link to them from now on."""
    renderer.offer(takes_part=True)
    desk = replace(desk, naming=portal.naming)
    guard = Guard(desk)
    sheet = ThingSheet(portal.kinds) if portal.kinds else corrections.PaperSheet()
    throttle = Throttle(desk.store.people.rate_events, "sent", _SENT, _SENT_WITHIN_S, desk.now)
    found = Remembered(lambda: builder_doubts.doubts(desk, sheet), max_age_s=_DOUBTS_AGE_S, clock=clock)
    doubts = builder_doubts.DoubtQueue(desk, sheet, found)
    return [
        *submissions.routes(desk, renderer, throttle),
        *corrections.routes(corrections.Room(portal, desk, guard, renderer, throttle, sheet)),
        *signing_in.routes(guard, renderer),
        *BuilderRoom(desk, guard, renderer, counts, doubts).routes(),
    ]
