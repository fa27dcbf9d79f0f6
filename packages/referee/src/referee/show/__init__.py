"""Everything that is shown: drawings, reports and the viewer."""
