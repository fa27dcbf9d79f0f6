"""The study folder: plain files to read, to put under version control, and to publish as the preregistration."""
