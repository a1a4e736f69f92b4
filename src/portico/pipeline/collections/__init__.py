"""The kinds of collections a portal can hold, one folder each."""
