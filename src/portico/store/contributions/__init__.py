"""Contributions of people: corrections, verdicts, submissions, lessons, searches."""
