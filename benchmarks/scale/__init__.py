"""Rows beyond the memory of one process, and columns that are nearly empty: what they cost."""
