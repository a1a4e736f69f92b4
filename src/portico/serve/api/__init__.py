"""What every portal answers to programs, whatever it holds: JSON, feeds, the sitemap."""
