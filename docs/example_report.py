"""Write the report that docs/report.md shows."""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import MRMR, Ensemble
from thresher.evaluate import select_k
from thresher.report import render_report

FOLDER = Path(__file__).parent / "api" / "html"


def write_example_report() -> None:
    """Write the report as a separate HTML page."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    page = render_report(
        Ensemble(MRMR(5)).fit(X, y),
        X,
        y,
        title="Breast cancer: five of thirty measurements",
        source="the breast cancer data of scikit-learn",
        target="diagnosis",
        number=select_k(MRMR(), X, y, model, random_state=0),
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "example_report.html").write_text(page, encoding="utf-8")
