"""What expressions can hold: the same engine for the provider's bodies and the consumer's."""
