"""Where documents come from: the web, folders, and which of the pages are sought."""
