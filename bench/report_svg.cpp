#include "bench/report_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/report_text.h"

namespace glovebox::bench {
namespace {

constexpr double kWidth = 980;
constexpr double kMargin = 32;
constexpr double kLabelRight = 190;  // labels end here, plots begin a little later
constexpr double kPlotLeft = 204;
constexpr double kPlotRight = 800;
constexpr double kRowHeight = 19;
constexpr double kGroupGap = 30;  // above the rows of a workload, with its title
constexpr const char* kInk = "#1f2933";
constexpr const char* kFaint = "#7b8794";
constexpr const char* kGrid = "#e4e7eb";

std::string color_of(const std::string& peer) {
  static const std::map<std::string, std::string> colors = {
      {"warm", "#0b8f6a"},   {"cold", "#3dbb95"}, {"command", "#8fd6c0"}, {"bare", "#3e4c59"},
      {"bare-s", "#9aa5b1"}, {"runc", "#b44d12"}, {"pyodide", "#7048b6"}, {"bubblewrap", "#e08a1e"},
  };
  const auto found = colors.find(peer);
  return found == colors.end() ? kFaint : found->second;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

class Canvas {
 public:
  double y = 0;  // where the next thing goes

  void text(double x, double at, std::string_view words, std::string_view style) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, at, style, escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view color, double width) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", x1, y1,
        x2, y2, color, width);
  }
  void dot(double x, double at, std::string_view color, double radius) {
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", x, at, radius, color);
  }
  void bar(double x, double at, double width, double height, std::string_view color) {
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" fill=\"{}\"/>\n",
                         x, at, std::max(width, 1.0), height, color);
  }
  void heading(std::string_view words, std::string_view explanation) {
    y += 34;
    text(kMargin, y, words, fmt::format("font-size=\"15\" font-weight=\"700\" fill=\"{}\"", kInk));
    y += 17;
    text(kMargin, y, explanation, fmt::format("font-size=\"12\" fill=\"{}\"", kFaint));
    y += 8;
  }
  void group_title(const std::string& title) {
    y += kGroupGap;
    text(kMargin, y + 2, title, fmt::format("font-size=\"13\" font-weight=\"600\" fill=\"{}\"", kInk));
  }
  void row_label(const std::string& title, const std::string& peer) {
    const bool ours = peer == "warm";
    text(kLabelRight, y + 4, title,
         fmt::format("font-size=\"12\" text-anchor=\"end\" fill=\"{}\"{}", kInk, ours ? " font-weight=\"700\"" : ""));
  }
  void row_ratio(double ratio) {
    text(kWidth - kMargin, y + 4, fmt::format("{:.3g} ×", ratio),
         fmt::format("font-size=\"12\" text-anchor=\"end\" fill=\"{}\"", kFaint));
  }
  void row_value(const std::string& value, const std::string& peer) {
    text(kPlotRight + 12, y + 4, value,
         fmt::format("font-size=\"12\" fill=\"{}\"{}", kInk, peer == "warm" ? " font-weight=\"700\"" : ""));
  }

  [[nodiscard]] std::string finish() const {
    const double height = y + kMargin;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, sans-serif\" "
               "role=\"img\" aria-label=\"Benchmark of Glovebox and its peers\">\n"
               "<rect x=\"0.5\" y=\"0.5\" width=\"{2:.0f}\" height=\"{3:.0f}\" rx=\"10\" fill=\"#ffffff\" "
               "stroke=\"{4}\"/>\n",
               kWidth, height, kWidth - 1, height - 1, kGrid) +
           body_ + "</svg>\n";
  }

 private:
  std::string body_;
};

class LogAxis {
 public:
  explicit LogAxis(const std::vector<LatencyRow>& rows) {
    double low = 1;
    double high = 10;
    for (const LatencyRow& row : rows) {
      if (row.latency_ms.runs > 0) {
        low = std::min(low, row.latency_ms.p50);
        high = std::max(high, row.latency_ms.p99);
      }
    }
    first_ = std::floor(std::log10(std::max(low, 1e-3)));
    last_ = std::ceil(std::log10(high));
  }
  [[nodiscard]] double x(double ms) const {
    const double share = (std::log10(std::max(ms, 1e-3)) - first_) / (last_ - first_);
    return kPlotLeft + std::clamp(share, 0.0, 1.0) * (kPlotRight - kPlotLeft);
  }
  void draw(Canvas& canvas, double top, double bottom) const {
    for (double decade = first_; decade <= last_; ++decade) {
      const double at = x(std::pow(10, decade));
      canvas.line(at, top, at, bottom, kGrid, 1);
      const double ms = std::pow(10, decade);
      const std::string label = ms >= 1000 ? fmt::format("{:g} s", ms / 1000)
                                : ms >= 1  ? fmt::format("{:g} ms", ms)
                                           : fmt::format("{:g} µs", ms * 1000);
      canvas.text(at, bottom + 14, label, fmt::format("font-size=\"11\" text-anchor=\"middle\" fill=\"{}\"", kFaint));
    }
  }

 private:
  double first_ = 0;
  double last_ = 1;
};

double latency_height(const Report& report) {
  double height = 0;
  std::string workload;
  for (const LatencyRow& row : report.sequential) {
    height += row.workload == workload ? kRowHeight : kRowHeight + kGroupGap;
    workload = row.workload;
  }
  return height + 8;
}

void draw_latency(Canvas& canvas, const Report& report) {
  canvas.heading("Latency of one run",
                 "● p50, whisker to p99, logarithmic axis; behind the time: its ratio to the bare "
                 "interpreter in the same run of the benchmark");
  const LogAxis axis(report.sequential);
  axis.draw(canvas, canvas.y, canvas.y + latency_height(report));
  std::string workload;
  for (const LatencyRow& row : report.sequential) {
    if (row.workload != workload) {
      workload = row.workload;
      canvas.group_title(report.title_of_workload(workload));
    }
    canvas.y += kRowHeight;
    canvas.row_label(report.title_of_peer(row.peer), row.peer);
    if (row.latency_ms.runs == 0) {
      canvas.row_value("all runs failed", row.peer);
      continue;
    }
    const std::string color = color_of(row.peer);
    const double middle = axis.x(row.latency_ms.p50);
    const double tail = axis.x(row.latency_ms.p99);
    canvas.line(middle, canvas.y, tail, canvas.y, color, 2);
    canvas.line(tail, canvas.y - 4, tail, canvas.y + 4, color, 2);
    canvas.dot(middle, canvas.y, color, row.peer == "warm" ? 6 : 5);
    canvas.row_value(short_ms(row.latency_ms.p50) + " ms", row.peer);
    const LatencyRow* bare = report.sequential_row(row.workload, "bare");
    if (bare != nullptr && bare->latency_ms.p50 > 0 && row.peer != "bare") {
      canvas.row_ratio(row.latency_ms.p50 / bare->latency_ms.p50);
    }
  }
  canvas.y += 24;
}

template <typename Row, typename Value, typename Label>
void draw_bars(Canvas& canvas, const Report& report, const std::vector<Row>& rows, Value value, Label label) {
  double most = 0;
  for (const Row& row : rows) {
    most = std::max(most, value(row));
  }
  std::string workload;
  for (const Row& row : rows) {
    if (row.workload != workload) {
      workload = row.workload;
      canvas.group_title(report.title_of_workload(workload));
    }
    canvas.y += kRowHeight;
    canvas.row_label(report.title_of_peer(row.peer), row.peer);
    const double width = most > 0 ? value(row) / most * (kPlotRight - kPlotLeft) : 0;
    canvas.bar(kPlotLeft, canvas.y - 6, width, 12, color_of(row.peer));
    canvas.row_value(label(row), row.peer);
  }
}

}  // namespace

std::string report_svg(const Report& report) {
  Canvas canvas;
  canvas.y = 42;
  canvas.text(kMargin, canvas.y, "Glovebox and its peers",
              fmt::format("font-size=\"20\" font-weight=\"700\" fill=\"{}\"", kInk));
  canvas.y += 20;
  canvas.text(
      kMargin, canvas.y,
      fmt::format("{} cores{}{} · {} · {} · all peers in turns in one run", report.machine.cores,
                  report.machine.cpu.empty() ? "" : " of ", report.machine.cpu, report.machine.kernel, report.started),
      fmt::format("font-size=\"12\" fill=\"{}\"", kFaint));
  if (!report.sequential.empty()) {
    draw_latency(canvas, report);
  }
  if (!report.sustained.empty()) {
    canvas.heading("Sustained throughput",
                   fmt::format("runs per second, {} workers; the making of warm cells is on the clock; CPU time of the "
                               "whole machine per run",
                               report.sustained.front().workers));
    draw_bars(
        canvas, report, report.sustained, [](const SustainedRow& row) { return row.runs_per_s; },
        [](const SustainedRow& row) {
          return fmt::format("{:.0f}/s  {:.3g} ms CPU", row.runs_per_s, row.cpu_ms_per_run);
        });
  }
  if (!report.burst.empty()) {
    canvas.heading(fmt::format("Burst of {}", report.burst.front().size),
                   "until the last of them has ended; shorter is better");
    draw_bars(
        canvas, report, report.burst, [](const BurstRow& row) { return row.last_end_ms; },
        [](const BurstRow& row) {
          return short_ms(row.last_end_ms) + " ms" +
                 (row.tally.failures > 0 ? fmt::format("  {} failed", row.tally.failures) : "");
        });
  }
  return canvas.finish();
}

}  // namespace glovebox::bench
