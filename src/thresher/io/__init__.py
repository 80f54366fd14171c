"""Files of every kind as tables, and the temporary files that rows are kept in."""
