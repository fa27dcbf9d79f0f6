"""The commands `referee study`, `referee tangram` and `referee play`."""
