"""Time and memory of thresher compared with other packages; ``python -m benchmarks.speed.run --help``."""
