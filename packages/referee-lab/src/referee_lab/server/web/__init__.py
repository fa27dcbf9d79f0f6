"""The study server: routes, limits, headers, and what organisers see."""
