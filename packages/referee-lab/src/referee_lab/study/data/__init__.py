"""The collected data of a study: read, marked by exclusion rules, exported, and converted to run folders."""
