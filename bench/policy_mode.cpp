#include <vector>

#include "bench/modes.h"
#include "policy/decision.h"

namespace glovebox::bench {
namespace {

constexpr int kRounds = 2000;
constexpr int kQuickRounds = 300;

// 50 lines as a model writes them when it is asked about a table.
constexpr const char* kProgram = R"py(import csv
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
)py";

}  // namespace

void measure_policy(Session& session) {
  contract::RunRequest request;
  request.code = kProgram;
  for (const char* name : {"default", "sandboxed_python"}) {
    auto profile = policy::built_in_profile(name);
    if (!profile || !*profile || session.stopped()) {
      continue;
    }
    auto effective = policy::EffectivePolicy::combine(
        name, {{policy::Layer::built_in, std::make_shared<const policy::Profile>(std::move(**profile))}}, "");
    if (!effective) {
      continue;
    }
    session.progress(std::string("policy ") + name, 0, 0);
    std::vector<double> us;
    PolicyRow row;
    row.profile = name;
    for (int round = 0; round < (session.options.quick() ? kQuickRounds : kRounds); ++round) {
      const auto began = std::chrono::steady_clock::now();
      const policy::Decision decision = policy::decide(*effective, policy::question_of(request, "python"));
      us.push_back(ms_between(began, std::chrono::steady_clock::now()) * 1000);
      row.wrong += decision.verdict == policy::Verdict::allow ? 0 : 1;
    }
    row.us = summarize(us);
    session.report.policy.push_back(std::move(row));
  }
}

}  // namespace glovebox::bench
