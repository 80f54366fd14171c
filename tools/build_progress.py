"""Show a build on one line: ``COMMAND 2>&1 | python tools/build_progress.py LOG``.

Reads the output of a build with ninja, writes all of it to LOG, and shows how many files are compiled. Warnings and
errors of the compiler are shown as they are.
"""

from __future__ import annotations

import re
import sys

# Other steps, such as a search for new files, have a separate total.
STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Building|Linking) ")


def main() -> None:
    on_terminal = sys.stdout.isatty()
    shown, failing = -1, False
    with open(sys.argv[1], "w") as log:
        for line in sys.stdin:
            log.write(line)
            step = STEP.match(line)
            if step:
                done, total = int(step[1]), int(step[2])
                failing = False
                tenth = 10 * done // total
                if on_terminal:
                    print(f"\r  {done} of {total} files", end="", flush=True)
                elif tenth != shown:
                    print(f"  {done} of {total} files", flush=True)
                shown = tenth
            failing = (
                failing or line.startswith("FAILED") or " error: " in line or " warning: " in line
            )
            if failing:
                print(line, end="", flush=True)
    if on_terminal and shown >= 0:
        print()


if __name__ == "__main__":
    main()
