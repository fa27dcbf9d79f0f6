"""The shipped corpus: scenes in the TUNA design and speakers sampled from published frequencies, labelled synthetic."""
