"""Commands about the topic tree: counts, keywords, suggestions, induced trees."""

from typing import Annotated

import typer

from portico.cli.options import Portal

topics_app = typer.Typer(
    help="Show, choose and extend the topic tree.", rich_markup_mode=None, no_args_is_help=True
)
Count = Annotated[int, typer.Option("--count", "-n", min=1, max=200, help="Maximum number of topics.")]


@topics_app.command("show", short_help="Show the tree with the number of papers of each topic.")
def show(
    portal: Portal,
    every: Annotated[bool, typer.Option("--all", help="Topics without documents, too.")] = False,
) -> None:
    """Show the tree, with the number of documents at or under every node."""
    from portico.pipeline.opening import open_portal
    from portico.pipeline.topics.topic_suggestions import describe_tree

    with open_portal(portal) as opened:
        typer.echo("\n".join(describe_tree(opened, with_empty=every)))


@topics_app.command("keywords", short_help="Show the keywords of every topic.")
def keywords(
    portal: Portal,
    node: Annotated[str, typer.Argument(help='Only this topic and those below it ("AI/Planning").')] = "",
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=200, help="Words per topic.")] = 12,
) -> None:
    """Show the keywords of every topic, how many documents contain them, and the words learned.

    To exclude a misleading word from a topic, add not = ["word"] below its keywords in topics.toml.

    \b
      portico topics keywords my-portal
      portico topics keywords my-portal "Databases" -n 30
    """
    from portico.pipeline.opening import open_portal
    from portico.pipeline.topics.topic_words import describe_keywords

    with open_portal(portal) as opened:
        typer.echo("\n".join(describe_keywords(opened, node, count)))


@topics_app.command("use", short_help="Choose the topic tree.")
def use(
    tree: Annotated[str, typer.Argument(help="auto, computer-science, all-sciences or induced.")],
    portal: Portal,
) -> None:
    """Choose the topic tree: one that ships, one induced from the documents, or the best fit (auto).

    \b
      portico topics use all-sciences my-portal
    """
    from portico.config.settings import TREES
    from portico.pipeline.opening import open_for_building
    from portico.pipeline.topics.tree_choice import use_tree

    if tree not in TREES:
        raise typer.BadParameter(f"{tree!r}; allowed: {', '.join(TREES)}", param_hint="TREE")
    with open_for_building(portal) as opened:
        use_tree(opened, tree)
        typer.echo(f'portal.toml says tree = "{tree}" from now on. `portico build` assigns all papers again.')


@topics_app.command("suggest", short_help="Suggest new topics.")
def suggest(
    portal: Portal,
    node: Annotated[str, typer.Argument(help='A topic ("AI/Planning"), or "other".')] = "other",
    count: Count = 6,
    accept: Annotated[
        list[int] | None,
        typer.Option("--accept", min=1, help="Add the suggestion with this number to the tree."),
    ] = None,
) -> None:
    """Suggest new topics under an overfull node, or for documents in no topic.

    Paste them into topics.toml, or use --accept, which adds them there and changes nothing else in the
    file. A portal that uses a shipped tree gets its own copy. The next build learns the new topics.

    \b
      portico topics suggest my-portal
      portico topics suggest my-portal "Databases/Query Evaluation" -n 4
      portico topics suggest my-portal --accept 1 --accept 3
    """
    from portico.pipeline.opening import open_for_building, open_portal
    from portico.pipeline.topics.topic_suggestions import accept_suggestion as write
    from portico.pipeline.topics.topic_suggestions import describe_suggestions, suggest_topics

    if not accept:
        with open_portal(portal) as opened:
            typer.echo("\n".join(describe_suggestions(suggest_topics(opened, node, count))))
        return
    with open_for_building(portal) as opened:
        found = suggest_topics(opened, node, count)
        if max(accept) > len(found):
            raise typer.BadParameter(f"there are {len(found)} suggestions", param_hint="--accept")
        for number in dict.fromkeys(accept):
            path = write(opened, found[number - 1])
            typer.echo(f'Wrote "{found[number - 1].topic}" into {path}. `portico build` learns it.')


@topics_app.command("induce", short_help="Make a topic tree from the portal's own papers.")
def induce(
    portal: Portal,
    count: Annotated[
        int,
        typer.Option(
            "--count", "-n", min=0, max=200, help="Maximum number of topics; 0 means as many as fit."
        ),
    ] = 0,
    write: Annotated[bool, typer.Option("--write", help="Use it as the portal's tree.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Replace the portal's own tree instead of adding to it.")
    ] = False,
) -> None:
    """Induce a two-level topic tree from the portal's own papers, named in their language.

    With --write it is saved as topics.toml and named in portal.toml, and the next build uses it. An
    existing tree of the portal's own is kept, and topics are added for papers that contain none of its
    keywords; with --fresh it is replaced, and the old file is kept as topics.toml.before.

    \b
      portico topics induce my-portal
      portico topics induce my-portal --write
    """
    from portico.pipeline.opening import open_for_building, open_portal
    from portico.pipeline.topics.topic_suggestions import describe_suggestions, induce_tree, write_tree

    if not write:
        with open_portal(portal) as opened:
            typer.echo("\n".join(describe_suggestions(induce_tree(opened, count or None, fresh=fresh))))
        return
    with open_for_building(portal) as opened:
        found = induce_tree(opened, count or None, fresh=fresh)
        path = write_tree(opened, found, fresh=fresh)
        for each in found:
            typer.echo(f"{each.n_documents:>5}  {str(each.topic).replace('/', ' › ')}")
        typer.echo(f"Wrote {len(found)} topics into {path}. `portico build` places the papers in them.")
