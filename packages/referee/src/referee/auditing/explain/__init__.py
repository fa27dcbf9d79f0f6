"""Why something does not follow: single mistakes that explain several failures, told in sentences."""
