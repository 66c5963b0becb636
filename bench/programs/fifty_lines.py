import csv
import json
import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path

INPUT = Path("sales.csv")
OUTPUT = Path("out")


def read_rows(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            row["amount"] = float(row["amount"])
            row["day"] = datetime.strptime(row["day"], "%Y-%m-%d").date()
            yield row


def by_key(rows, key):
    groups = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row["amount"])
    return groups


def describe(amounts):
    return {
        "count": len(amounts),
        "mean": statistics.fmean(amounts),
        "median": statistics.median(amounts),
        "deviation": math.sqrt(statistics.pvariance(amounts)),
    }


def main():
    rows = list(read_rows(INPUT))
    report = {region: describe(amounts) for region, amounts in sorted(by_key(rows, "region").items())}
    best = max(report, key=lambda region: report[region]["mean"])
    weekdays = Counter(row["day"].strftime("%A") for row in rows)
    OUTPUT.mkdir(exist_ok=True)
    (OUTPUT / "report.json").write_text(json.dumps(report, indent=2))
    print(f"{len(rows)} rows, best region {best}")
    for weekday, count in weekdays.most_common(3):
        print(f"{weekday:<10} {count}")


if __name__ == "__main__":
    main()
