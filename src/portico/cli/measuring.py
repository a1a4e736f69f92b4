"""Commands for researchers: retrain what ships, and measure it on labelled data."""

import typer

train_app = typer.Typer(
    help="Train a part again from labelled data.", rich_markup_mode=None, no_args_is_help=True
)
lab_app = typer.Typer(
    help="Measure the learned parts on labelled data, the papers' figures beside ours.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
