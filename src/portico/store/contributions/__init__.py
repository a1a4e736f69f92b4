"""What people say: corrections, verdicts, submissions, lessons, searches."""
