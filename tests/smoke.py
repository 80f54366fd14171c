"""What an installed package must do at least; ``make check-sdist`` runs it without test tools."""

from __future__ import annotations

import thresher
import thresher._core


def main() -> None:
    for name in thresher.__all__:
        getattr(thresher, name)
    print(f"thresher {thresher.__version__} works, instruction set {thresher._core.isa_level()}")


if __name__ == "__main__":
    main()
