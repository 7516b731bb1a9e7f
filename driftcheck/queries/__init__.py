"""Questions over many releases and consumers: audit, show, impact."""
