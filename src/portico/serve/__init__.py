"""7. The portal people see: reads store and index, writes nothing."""
