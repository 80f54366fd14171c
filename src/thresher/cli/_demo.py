"""The command ``thresher demo``: a selection, a comparison and a report on built-in data."""

from __future__ import annotations

import timeit
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_breast_cancer

import thresher
from thresher import evaluate
from thresher._utils.types import Estimator, Values
from thresher.cli._evaluate import estimators_for
from thresher.cli._options import InputOptions
from thresher.cli._output import Console, check_output, write_all
from thresher.cli._select import check_jinja, selected_rows

SIZES = (2, 3, 5, 10)


def demo(out: Path, force: bool, console: Console) -> None:
    """Select, compare with plain ranking, and write a report."""
    from thresher.report import render_report

    check_output(out, force, (".html",))
    check_jinja()
    data = load_breast_cancer()
    names, y = data.feature_names.tolist(), data.target_names[data.target]
    X = pa.table(dict(zip(names, data.data.T, strict=True)))
    print("569 samples of breast tissue, 30 measurements of their cells, and the diagnosis:")
    print(f"  {', '.join(names[:4])}, ...\n")

    selector = thresher.Ensemble(thresher.MRMR(5))
    milliseconds = 1000 * min(timeit.repeat(lambda: selector.fit(X, y), number=1, repeat=5))
    rows = selected_rows(selector)
    console.table(
        [{name: row[name] for name in row if name != "reason"} for row in rows],
        f"1. Five measurements, by the vote of 20 mRMR selections, in {milliseconds:.0f} ms",
    )
    _show_left_out(thresher.MRMR(5).fit(X, y))

    model = estimators_for(y, [], InputOptions())["logistic"]
    with console.working("comparing with plain ranking"):
        comparison = evaluate.compare(
            {"mRMR": thresher.MRMR(), "plain ranking": thresher.Univariate()},
            {"breast cancer": (X, y)},
            {"logistic": model},
            k=SIZES,
            random_state=0,
            progress=False,
        )
    print()
    console.table(
        _side_by_side(comparison.table("dict")),
        "2. Comparison with a ranking of single features: accuracy of logistic regression on unseen samples",
    )
    print(
        "   A ranking selects similar features repeatedly. mRMR selects features with new information."
    )

    with console.working("finding the number of features"):
        number = evaluate.select_k(thresher.MRMR(), X, y, model, random_state=0)
        page = render_report(
            selector,
            X,
            y,
            title="Breast cancer: five of thirty measurements",
            source="the breast cancer data of scikit-learn",
            target="diagnosis",
            notes=console.notes,
            number=number,
        )
    write_all({out: page.encode()}, force)
    print(f"\n3. The report: open {out} in a browser.")


def _show_left_out(selector: Estimator) -> None:
    """Print the most relevant features that one mRMR selection left out, with the reason."""
    relevance = np.where(selector.support_, -np.inf, selector.relevance_)
    names = selector.feature_names_in_
    print("   Relevant, but not selected by mRMR:")
    for feature in np.argsort(-relevance, kind="stable")[:3]:
        print(f"     {names[feature]:22} {selector.reason(int(feature))}")


def _side_by_side(table: Values) -> list[Values]:
    """Return one row per number of features, with a column per selector."""
    rows: dict[int, Values] = {k: {"features": k} for k in SIZES}
    for selector, k, score in zip(table["selector"], table["k"], table["score"], strict=True):
        rows[k][selector] = score
    return list(rows.values())
