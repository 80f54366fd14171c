"""Time and memory of thresher beside other packages; ``python -m benchmarks.run --help``."""
