"""The court: automatic measures are tried against what hearers did."""
