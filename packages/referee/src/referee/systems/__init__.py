"""Published entries of the shared tasks: selector + realiser + settings."""
