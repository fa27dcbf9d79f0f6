"""Files of other programs: plain text, tables, logs of evaluation harnesses and exports of experiment platforms."""
