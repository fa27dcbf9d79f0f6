"""The study folder: what a person reads, checks into version control and publishes as the preregistration."""
