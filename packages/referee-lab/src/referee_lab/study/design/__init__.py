"""Designs of studies: lists of trials, their order, and the checks of balance."""
