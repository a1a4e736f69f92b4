"""Where do documents come from? The web, folders, and which of their pages are wanted."""
