"""Rows in blocks that stay where they are: other processes, other machines, or yesterday's."""

from thresher.blocks._protocol import Answer, Engine, Packed, RowBlock

__all__ = ["Answer", "Engine", "Packed", "RowBlock"]
