"""Time and memory of thresher beside other packages; ``python -m benchmarks.speed.run --help``."""
