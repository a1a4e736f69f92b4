"""Adds links found on pages to the frontier; known ones may move nearer or rank higher."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from portico.store.bulk import execute_many, select_in
from portico.store.crawl.link_ranks import add_kin, pack_families
from portico.store.schema import link
from portico.types.frontier import FrontierChange, LinkState, Offer
from portico.types.page import Url

_LAST_ID = select(func.max(link.c.id))
_ADD = insert(link)
_KNOWN = select(link.c.id, link.c.url, link.c.state, link.c.depth, link.c.chain, link.c.priority, link.c.via)
_IMPROVE = (
    update(link)
    .where(link.c.id == bindparam("of_id"))
    .values(
        state=bindparam("new_state"),
        depth=bindparam("new_depth"),
        chain=bindparam("new_chain"),
        priority=bindparam("new_priority"),
        via=bindparam("new_via"),
    )
)


def take_offers(connection: Connection, offers: Sequence[Offer]) -> FrontierChange:
    """Add new links and update known ones that are now nearer."""
    best = _best(offers)
    # Who ranked a link has asked already whether it is new; only another crawler may have added it since.
    alone = connection.dialect.name == "sqlite"
    unranked = [url for url, offer in best.items() if offer.rank is None or not alone]
    known = {row.url: row for row in select_in(connection, _KNOWN, link.c.url, unranked)}
    new = [offer for url, offer in best.items() if url not in known]
    _add(connection, new)
    changes = [change for url, row in known.items() if (change := _improvement(row, best[url])) is not None]
    execute_many(connection, _IMPROVE, changes)
    was_queued = {row.id for row in known.values() if row.state == LinkState.QUEUED}
    ids = {change["of_id"] for change in changes if change["new_state"] == LinkState.QUEUED} - was_queued
    queued = [best[row.url].host for row in known.values() if row.id in ids]
    queued += [offer.host for offer in new if offer.skip is None]
    return FrontierChange(frozenset(queued), len(queued))


def _add(connection: Connection, offers: Sequence[Offer]) -> None:
    """Write links that are new; those with a rank are added to their families."""
    if not offers:
        return
    # Numbered here, so that the database need not be asked which numbers it gave; whoever adds links does
    # so one transaction after the other.
    first = (connection.scalar(_LAST_ID) or 0) + 1
    execute_many(connection, _ADD, [_new_row(id_, offer) for id_, offer in enumerate(offers, first)])
    ranked = ((id_, offer.rank) for id_, offer in enumerate(offers, first) if offer.skip is None)
    add_kin(connection, [(id_, rank) for id_, rank in ranked if rank is not None])


def _best(offers: Sequence[Offer]) -> dict[Url, Offer]:
    """One offer per URL: the words of the first, and the best of every number."""
    best: dict[Url, Offer] = {}
    for offer in offers:
        first = best.setdefault(offer.url, offer)
        if first is not offer and _adds(offer, first):
            best[offer.url] = replace(
                first,
                depth=min(first.depth, offer.depth),
                chain=min(first.chain, offer.chain),
                priority=max(first.priority, offer.priority),
                via=offer.via if offer.depth < first.depth else first.via,
                rank=first.rank or offer.rank,
            )
    return best


def _adds(offer: Offer, first: Offer) -> bool:
    return offer.depth < first.depth or offer.chain < first.chain or offer.priority > first.priority


def _new_row(id_: int, offer: Offer) -> dict[str, object]:
    return {
        "id": id_,
        "url": offer.url,
        "host": offer.host,
        "state": LinkState.SKIPPED if offer.skip else LinkState.QUEUED,
        "priority": offer.priority,
        "depth": offer.depth,
        "chain": offer.chain,
        "via": offer.via,
        "anchor": offer.anchor,
        "context": offer.context,
        "reason": offer.skip,
        "odds": offer.rank.odds if offer.rank is not None else None,
        "families": pack_families(offer.rank.families) if offer.rank is not None else None,
    }


def _improvement(row: Any, offer: Offer) -> dict[str, object] | None:
    """The update for a known link, None if the offer contains nothing new.

    A link that was done or skipped and is now nearer is processed again: pages beyond a limit may now be
    within it. So what is fetched does not depend on which path was found first.
    """
    nearer = offer.depth < row.depth or offer.chain < row.chain
    if not nearer and (row.state != LinkState.QUEUED or offer.priority <= row.priority):
        return None
    again = nearer and offer.skip is None and row.state in (LinkState.DONE, LinkState.SKIPPED)
    return {
        "of_id": row.id,
        "new_state": LinkState.QUEUED if again else row.state,
        "new_depth": min(row.depth, offer.depth),
        "new_chain": min(row.chain, offer.chain),
        "new_priority": max(row.priority, offer.priority),
        "new_via": offer.via if offer.depth < row.depth else row.via,
    }
