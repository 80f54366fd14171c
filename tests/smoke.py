"""Minimal check of an installed package, without any test tool."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer

import thresher
import thresher._core


def main() -> None:
    for name in thresher.__all__:
        getattr(thresher, name)
    X, y = load_breast_cancer(return_X_y=True)
    assert thresher.MRMR(3).fit(X, y).transform(X).shape == (569, 3)
    print(f"thresher {thresher.__version__} works, instruction set {thresher._core.isa_level()}")


if __name__ == "__main__":
    main()
