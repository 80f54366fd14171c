"""Local regression (loess) of one variable, by blending between vertices of a k-d tree.

The fit of Cleveland, Devlin and Grosse, "Regression by local fitting" (1988): local quadratics with tricube weights are
computed at a few vertices only, and cubics through their values and slopes give all others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicHermiteSpline

Floats = npt.NDArray[np.float64]

# Share of the points that a local fit uses.
SPAN = 0.3
# A cell is cut while it has more points than this share of those of a local fit.
CELL = 0.2
# Share of the range by which the outer vertices lie beyond the points.
MARGIN = 0.005


def smooth(x: Floats, y: Floats) -> Floats:
    """Regress y on x by loess of degree 2, and return the fitted values."""
    order = np.argsort(x, kind="stable")
    x_sorted, y_sorted = x[order], y[order]
    vertices = find_vertices(x_sorted)
    fitted = np.array([_fit_at(vertex, x_sorted, y_sorted) for vertex in vertices])
    return np.asarray(CubicHermiteSpline(vertices, fitted[:, 0], fitted[:, 1])(x))


def find_vertices(x: Floats) -> Floats:
    """Return the borders of the cells of a k-d tree of the ascending points, ascending."""
    n = len(x)
    most = int(n * SPAN * CELL)
    size = max(x[-1] - x[0], 1e-10 * max(abs(x[0]), abs(x[-1])) + 1e-30)
    vertices = {x[0] - MARGIN * size, x[-1] + MARGIN * size}
    cells = [(0, n)]
    while cells:
        start, stop = cells.pop()
        if stop - start <= most:
            continue
        last = _last_below_cut(x, start, stop)
        if x[last] not in vertices:
            vertices.add(x[last])
            cells += [(start, last + 1), (last + 1, stop)]
    return np.array(sorted(vertices))


def _last_below_cut(x: Floats, start: int, stop: int) -> int:
    """Return the last point of the lower half: the one nearest to the median that differs from the next."""
    middle = (start + stop - 1) // 2
    step = 0
    while start <= middle + step < stop - 1:
        if x[middle + step] != x[middle + step + 1]:
            return middle + step
        step = -step if step > 0 else 1 - step
    return middle


def _fit_at(vertex: float, x: Floats, y: Floats) -> Floats:
    """Return the value and the slope of the local quadratic at a vertex."""
    n = len(x)
    n_nearest = min(n, max(3, int(n * SPAN + 1e-5)))
    away = x - vertex
    reach = np.partition(np.abs(away), n_nearest - 1)[n_nearest - 1]
    near = np.abs(away) < reach if reach > 0 else away == 0
    away, y = away[near], y[near]
    weight = (1 - np.abs(away / max(reach, 1e-300)) ** 3) ** 3
    root = np.sqrt(weight)
    design = np.stack([np.ones(len(away)), away, away**2], axis=1) * root[:, None]
    return np.asarray(np.linalg.lstsq(design, y * root, rcond=None)[0][:2])
