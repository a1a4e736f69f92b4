"""Asks for confirmation before a build that would lose many things whose pages still exist."""

from collections.abc import Collection, Mapping

from portico.errors import PortalError
from portico.pipeline.runners import BuildRun
from portico.store.opening import Store

MOST_LOST = 0.1
"""Share of the things of a kind that a build may lose without confirmation."""
LEAST_LOST = 2
"""Fewest lost things that need confirmation, because single ones come and go."""


def check_lost_things(store: Store, after: Mapping[str, int], run: BuildRun) -> None:
    """Ask before things are replaced by far fewer; if refused, raise PortalError and change nothing.

    Things whose pages are gone do not count, because a change of the web is no mistake of the build.
    """
    before = store.catalog.things.count_with_pages()
    _ask([(kind, n_before, after.get(kind, 0)) for kind, n_before in before.items()], run)


def check_lost_papers(store: Store, readable: Collection[str], run: BuildRun) -> None:
    """Ask before many papers are lost; `readable` are the documents with a record."""
    held = store.catalog.things.list_held_documents()
    _ask([("document", len(held), len(held & {*readable}))], run)


def _ask(counts: list[tuple[str, int, int]], run: BuildRun) -> None:
    lost = [
        f"{n_after} of {n_before} ({kind})"
        for kind, n_before, n_after in counts
        if n_before - n_after > MOST_LOST * n_before and n_before - n_after >= LEAST_LOST
    ]
    if not lost:
        return
    said = f"this build would leave only {', '.join(lost)}, although their pages are still there"
    if not run.confirm(f"Careful: {said}."):
        raise PortalError(
            f"{said}: the portal stays as it was. If a lesson or a change in domain.toml caused this, "
            "undo it (portico models lists what was learned) and build again; if it is intended, add --yes"
        )
