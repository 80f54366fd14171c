"""The most anonymous memory a piece of work has at a time: pages of mapped files are not counted."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self


def anonymous_memory() -> int:
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.split("RssAnon:")[1].split()[0])


class Watch:
    """A thread that watches the memory of this process; afterwards `before` and `most` are bytes."""

    def __enter__(self) -> Self:
        self.before = self.most = anonymous_memory()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            self.most = max(self.most, anonymous_memory())
