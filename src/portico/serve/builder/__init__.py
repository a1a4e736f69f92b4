"""The builder's view: what came, what failed, what is in doubt, and what visitors say."""
