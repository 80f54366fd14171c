"""Rows beyond the memory of one process: what passes and rounds cost."""
