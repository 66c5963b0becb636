#include "bench/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace glovebox::bench {
namespace {

using Json = nlohmann::ordered_json;

// Microseconds are as fine as any of these clocks deserves.
double rounded(double value) { return std::round(value * 1000) / 1000; }

Json to_json(const Summary& summary) {
  return {{"runs", summary.runs},           {"min", rounded(summary.min)}, {"mean", rounded(summary.mean)},
          {"p50", rounded(summary.p50)},    {"p95", rounded(summary.p95)}, {"p99", rounded(summary.p99)},
          {"p99_9", rounded(summary.p999)}, {"max", rounded(summary.max)}};
}

void add_tally(Json& row, const Tally& tally) {
  row["failures"] = tally.failures;
  row["first_problem"] = tally.first_problem.empty() ? Json() : Json(tally.first_problem);
  row["warm_runs"] = tally.warm_runs;
}

Json to_json(const LatencyRow& row) {
  Json json = {{"workload", row.workload}, {"peer", row.peer}, {"latency_ms", to_json(row.latency_ms)}};
  add_tally(json, row.tally);
  if (row.cpu_ms_per_run) {
    json["cpu_ms_per_run"] = rounded(*row.cpu_ms_per_run);
  }
  if (row.refill_cpu_ms_per_run) {
    json["refill_cpu_ms_per_run"] = rounded(*row.refill_cpu_ms_per_run);
  }
  if (!row.stages_ms.empty()) {
    for (const auto& [stage, ms] : row.stages_ms) {
      json["stages_ms"][stage] = rounded(ms);
    }
  }
  return json;
}

Json to_json(const StaggeredRow& row) {
  Json json = to_json(row.row);
  json["interval_ms"] = rounded(row.interval_ms);
  return json;
}

Json to_json(const BurstRow& row) {
  Json json = {{"workload", row.workload},
               {"peer", row.peer},
               {"size", row.size},
               {"repeats", row.repeats},
               {"last_end_ms", rounded(row.last_end_ms)},
               {"latency_ms", to_json(row.latency_ms)}};
  add_tally(json, row.tally);
  return json;
}

Json to_json(const SustainedRow& row) {
  Json json = {{"workload", row.workload},
               {"peer", row.peer},
               {"workers", row.workers},
               {"runs", row.runs},
               {"seconds", rounded(row.seconds)},
               {"runs_per_s", rounded(row.runs_per_s)},
               {"cpu_ms_per_run", rounded(row.cpu_ms_per_run)}};
  add_tally(json, row.tally);
  return json;
}

Json to_json(const MemoryRow& row) {
  return {{"workload", row.workload},
          {"kind", row.kind},
          {"idle_cells", row.idle_cells},
          {"measured_private_bytes", row.measured_bytes ? Json(*row.measured_bytes) : Json()},
          {"pool_private_bytes", row.pool_bytes},
          {"zygote_bytes", row.zygote_bytes}};
}

Json to_json(const ResourceSample& sample) {
  return {{"runs", sample.runs},
          {"own_bytes", sample.own_bytes},
          {"launcher_bytes", sample.launcher_bytes},
          {"own_descriptors", sample.own_descriptors},
          {"launcher_descriptors", sample.launcher_descriptors},
          {"groups", sample.groups},
          {"own_mounts", sample.own_mounts},
          {"launcher_mounts", sample.launcher_mounts},
          {"processes", sample.processes},
          {"below_bytes", sample.below_bytes},
          {"below_descriptors", sample.below_descriptors},
          {"below_mounts", sample.below_mounts},
          {"idle_cells", sample.idle_cells}};
}

Json to_json(const Bar& bar) {
  const char* verdict = bar.verdict == BarVerdict::pass   ? "pass"
                        : bar.verdict == BarVerdict::miss ? "miss"
                                                          : "not_measured";
  return {
      {"id", bar.id}, {"promise", bar.promise}, {"limit", bar.limit}, {"measured", bar.measured}, {"verdict", verdict}};
}

Json to_json(const PeerEntry& peer) {
  return {{"id", peer.id}, {"title", peer.title}, {"missing", peer.missing.empty() ? Json() : Json(peer.missing)}};
}

Json to_json(const WorkloadEntry& workload) { return {{"id", workload.id}, {"title", workload.title}}; }

Json to_json(const LeftOut& out) {
  return {{"mode", out.mode}, {"workload", out.workload}, {"peer", out.peer}, {"reason", out.reason}};
}

Json to_json(const PolicyRow& row) {
  return {{"profile", row.profile},
          {"language", row.language},
          {"p50_us", rounded(row.us.p50)},
          {"p99_us", rounded(row.us.p99)},
          {"wrong", row.wrong}};
}

template <typename Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back(to_json(row));
  }
  return list;
}

Json to_json(const EnduranceReport& endurance) {
  Json figures = Json::array();
  for (const FlatFigure& figure : endurance.figures) {
    figures.push_back({{"name", figure.name},
                       {"settled", figure.settled},
                       {"end", figure.end},
                       {"allowed", figure.allowed},
                       {"flat", figure.flat()}});
  }
  Json json = {{"workload", endurance.workload}, {"runs", endurance.runs}, {"seconds", rounded(endurance.seconds)}};
  add_tally(json, endurance.tally);
  json["figures"] = figures;
  json["samples"] = list_of(endurance.samples);
  return json;
}

Json to_json(const engine::PoolMetrics& pool) {
  Json kinds = Json::object();
  for (const auto& [name, kind] : pool.kinds) {
    kinds[name] = {{"hits", kind.hits},
                   {"queued", kind.queued},
                   {"misses", kind.misses},
                   {"made", kind.made},
                   {"discarded", kind.discarded},
                   {"failures", kind.failures},
                   {"zygotes", kind.zygotes},
                   {"idle", kind.idle},
                   {"target", kind.target},
                   {"refill_ms_total", rounded(kind.refill_ms_total)},
                   {"refill_cpu_ms_total", rounded(kind.refill_cpu_ms_total)},
                   {"private_bytes", kind.private_bytes},
                   {"zygote_bytes", kind.zygote_bytes}};
  }
  return {{"kinds", kinds}, {"memory_bytes", pool.memory_bytes}, {"fallbacks", pool.fallbacks}};
}

}  // namespace

std::string report_json(const Report& report) {
  Json root;
  root["version"] = report.version;
  root["started"] = report.started;
  root["command"] = report.command;
  root["machine"] = {
      {"cores", report.machine.cores},   {"cpu", report.machine.cpu},
      {"kernel", report.machine.kernel}, {"memory_bytes", report.machine.memory_bytes},
      {"root", report.machine.root},     {"background_busy_percent", rounded(report.background_busy_percent)}};
  root["peers"] = list_of(report.peers);
  root["workloads"] = list_of(report.workloads);
  root["left_out"] = list_of(report.left_out);
  root["sequential"] = list_of(report.sequential);
  root["staggered"] = list_of(report.staggered);
  root["burst"] = list_of(report.burst);
  root["sustained"] = list_of(report.sustained);
  root["memory"] = list_of(report.memory);
  root["policy"] = list_of(report.policy);
  root["endurance"] = report.endurance ? to_json(*report.endurance) : Json();
  root["pool"] = report.pool ? to_json(*report.pool) : Json();
  root["ratios"] = Json::object();
  for (const auto& [name, value] : ratios(report)) {
    root["ratios"][name] = std::round(value * 1e6) / 1e6;
  }
  root["bars"] = list_of(report.bars);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace glovebox::bench
