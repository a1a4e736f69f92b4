"""Settings: portal.toml, domain.toml and topics.toml as frozen values, with every mistake reported."""
