"""The study server: routes, limits, headers, and the organisers' dashboard."""
