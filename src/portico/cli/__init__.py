"""The command line: one short function per command.

Commands import what they work with when they are called: loading all of it takes over ten times as long as
`portico --help` takes without it.
"""
