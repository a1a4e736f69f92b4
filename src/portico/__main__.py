"""`python -m portico` and the `portico` command."""


def main() -> None:
    """Runs the command line; the import is late so that `import portico` stays free."""
    from portico.cli.app import run

    run()


if __name__ == "__main__":
    main()
