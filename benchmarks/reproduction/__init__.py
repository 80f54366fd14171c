"""Published experiments, repeated: ``make reproduce-NAME`` runs ``benchmarks/reproduction/NAME.py``."""
