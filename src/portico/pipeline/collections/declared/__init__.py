"""Things of declared kinds, matched by the identity their domain declares."""
