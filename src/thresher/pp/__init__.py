"""Preprocessing of annotated data (AnnData), for single-cell users."""

from thresher.pp.genes import select_genes

__all__ = ["select_genes"]
