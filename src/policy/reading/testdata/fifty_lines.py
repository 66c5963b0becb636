import csv
import json
import statistics
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd


def load(path):
    """Reads the sales table and drops what is not complete."""
    frame = pd.read_csv(path, parse_dates=["date"])
    frame = frame.dropna(subset=["region", "amount"])
    frame["month"] = frame["date"].dt.to_period("M")
    return frame


def by_region(frame):
    totals = defaultdict(float)
    for row in frame.itertuples():
        totals[row.region] += float(row.amount)
    return dict(sorted(totals.items(), key=lambda item: -item[1]))


class Report:
    def __init__(self, frame):
        self.frame = frame
        self.lines = []

    def add(self, name, value):
        self.lines.append(f"{name}: {value:.2f}")

    def render(self):
        self.add("mean", np.mean(self.frame["amount"]))
        self.add("median", statistics.median(self.frame["amount"].tolist()))
        self.add("p95", np.percentile(self.frame["amount"], 95))
        return "\n".join(self.lines)


if __name__ == "__main__":
    frame = load(Path("data") / "sales.csv")
    regions = by_region(frame)
    report = Report(frame)
    print(report.render())
    with open("out.json", "w") as out:
        json.dump({"regions": regions, "at": datetime.now().isoformat()}, out, indent=2)
    with open("out.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerows(regions.items())
