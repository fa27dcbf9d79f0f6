"""Human experiments: designs, the server that keeps every answer, and the analysis of what people did."""
