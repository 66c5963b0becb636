#include "cli/run_view.h"

#include <fmt/format.h>

#include "base/timestamp.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/moments.h"
#include "cli/table.h"

namespace glovebox::cli {
namespace {

using contract::RunRequest;
using contract::RunResult;
using records::RunRecord;

class View {
 public:
  // Left out when there is nothing to say.
  void line(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      text_ += fmt::format("{:<10} {}\n", name, one_line(value));
    }
  }
  void section(std::string_view name, std::string_view body) {
    if (body.empty()) {
      return;
    }
    text_ += fmt::format("\n{}\n", name);
    std::string clean = base::sanitize_output(body);
    if (clean.ends_with('\n')) {
      clean.pop_back();
    }
    std::string_view rest = clean;
    while (true) {
      const std::size_t end = rest.find('\n');
      text_ += fmt::format("  {}\n", rest.substr(0, end));
      if (end == std::string_view::npos) {
        return;
      }
      rest.remove_prefix(end + 1);
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string outcome_of(const RunRecord& record) {
  if (!record.result) {
    return "";
  }
  const RunResult& result = *record.result;
  std::string text(contract::to_string(result.outcome));
  text += result.signal ? " (" + *result.signal + ")" : "";
  text += !result.signal && result.exit_code ? fmt::format(" (exit status {})", *result.exit_code) : "";
  return text + (result.cached ? ", answered from the cache" : "");
}

std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

void add_header(View& view, const RunRecord& record, std::int64_t now_ms) {
  const records::RunSummary& run = record.summary;
  view.line("run", run.run_id);
  view.line("state", records::to_string(run.state));
  view.line("outcome", outcome_of(record));
  view.line("language", run.language);
  view.line("created", base::format_timestamp_ms(run.created_ms) + " (" + format_ago(run.created_ms, now_ms) + ")");
  if (record.result) {
    const contract::Metrics& metrics = record.result->metrics;
    view.line("took", fmt::format("{:.1f} ms, {:.1f} ms of CPU, {} of memory at most", metrics.wall_ms, metrics.cpu_ms,
                                  base::format_size(metrics.peak_memory_bytes)));
    view.line("image", record.result->provenance.image_digest);
    view.line("policy", record.result->provenance.policy);
    view.line("wall", record.result->provenance.isolation + ": " + words_of(record.result->provenance.enforced));
  }
  view.line("tenant", run.tenant);
  view.line("key", run.key_id);
  view.line("task", run.task_id);
  view.line("replay of", run.replay_of);
  view.line("redacted", run.redactions == 0 ? "" : fmt::format("{} secrets were taken out", run.redactions));
  view.line("audit", record.audit_seq == 0 ? "" : fmt::format("entry {}", record.audit_seq));
}

void add_request(View& view, const RunRequest& request) {
  view.section("arguments", words_of(request.args));
  std::string files;
  for (const contract::InputFile& file : request.files) {
    const auto* bytes = std::get_if<std::string>(&file.content);
    files += file.path.str() + "  " +
             (bytes != nullptr ? base::format_size(bytes->size())
                               : "sha256:" + std::get<contract::BlobRef>(file.content).sha256) +
             "\n";
  }
  view.section("files", files);
  view.section("input", request.input_json.value_or(""));
  view.section("stdin", request.standard_input);
  view.section("code", request.code);
}

std::string error_of(const contract::RunError& error) {
  std::string text =
      fmt::format("{}: {}{}{}", base::to_string(error.code), error.type, error.type.empty() ? "" : ": ", error.message);
  text += error.line ? fmt::format(" (line {})", *error.line) : "";
  return text + (error.hint.empty() ? "" : "\n→ " + error.hint);
}

void add_result(View& view, const RunResult& result) {
  view.section(result.stdout_truncated ? "stdout (cut)" : "stdout", result.standard_output);
  view.section(result.stderr_truncated ? "stderr (cut)" : "stderr", result.standard_error);
  std::string values;
  for (const contract::RichResult& rich : result.results) {
    values += rich.json + "\n";
  }
  view.section("value", values);
  view.section("error", result.error ? error_of(*result.error) : "");
  std::string denials;
  for (const contract::Denial& denial : result.denials) {
    denials +=
        fmt::format("{} ×{}: {} ({}; {})\n", denial.what, denial.count, denial.target, denial.layer, denial.grant);
  }
  view.section("denials", denials);
  std::string artifacts;
  for (const contract::Artifact& artifact : result.artifacts) {
    artifacts += fmt::format("{}  {}, {}, sha256:{}\n", one_line(artifact.path), base::format_size(artifact.bytes),
                             artifact.media_type, artifact.sha256);
  }
  view.section("artifacts", artifacts);
}

}  // namespace

std::string describe_run(const RunRecord& record, std::int64_t now_ms) {
  View view;
  add_header(view, record, now_ms);
  add_request(view, record.request);
  if (record.result) {
    add_result(view, *record.result);
  }
  return view.take();
}

}  // namespace glovebox::cli
