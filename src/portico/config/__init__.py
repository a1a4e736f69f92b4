"""What the builder wants: portal.toml and topics.toml as frozen values, with every mistake named."""
