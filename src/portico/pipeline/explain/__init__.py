"""Why was this link followed, this value read, this topic given, this paper matched? One part each."""
