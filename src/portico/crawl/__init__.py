"""1. Where are the pages? Links in, pages out, politely."""
