#include "engine/run_parts.h"

#include "base/sha256.h"
#include "base/stopwatch.h"
#include "engine/languages/embedded.h"
#include "engine/languages/language_command.h"

namespace glovebox::engine {
namespace {

using base::Result;

std::map<std::string, std::string> hashes_of_inputs(const contract::RunRequest& request) {
  std::map<std::string, std::string> hashes;
  for (const contract::InputFile& file : request.files) {
    const auto* bytes = std::get_if<std::string>(&file.content);
    hashes[file.path.str()] = bytes != nullptr ? base::sha256_hex(*bytes) : "";
  }
  return hashes;
}

}  // namespace

Result<std::vector<PlacedFile>> files_to_place(const contract::RunRequest& request, const LanguageProfile& language,
                                               SupportFiles support) {
  std::vector<PlacedFile> files;
  const auto place_beside_code = [&files](std::string_view name, std::string_view content) -> base::Status {
    base::RelPath path = TRY(base::RelPath::parse(name));
    files.push_back({kCodePart, std::move(path), content});
    return {};
  };
  TRY_STATUS(place_beside_code(language.file_name, request.code));
  if (support == SupportFiles::place) {
    for (const SupportFile& file : language.support) {
      TRY_STATUS(place_beside_code(file.to, file.content));
    }
  }
  if (request.deterministic) {
    const base::EmbeddedFile* library = find_embedded_file("guest/determinism/libglovebox_determinism.so");
    if (library == nullptr) {
      return base::fail(base::ErrorCode::internal_error, "the determinism library is missing from this build");
    }
    TRY_STATUS(place_beside_code(kDeterminismLibrary.substr(kProgramDirectory.size() + 1), library->text));
  }
  if (request.input_json) {
    TRY_STATUS(place_beside_code("input.json", *request.input_json));
  }
  for (const contract::InputFile& file : request.files) {
    if (const auto* bytes = std::get_if<std::string>(&file.content); bytes != nullptr) {
      files.push_back({kWorkPart, file.path, *bytes});
    }
  }
  return files;
}

SupervisionOptions supervision_of(const RunInputs& inputs, const SandboxPlan& plan, std::vector<PlacedFile> files) {
  SupervisionOptions options;
  options.limits = plan.limits;
  options.filter = os::find_seccomp_filter(plan.cell.seccomp);
  options.host_uid = plan.cell.host_uid;
  options.host_gid = plan.cell.host_gid;
  options.inputs = std::move(files);
  options.reads_scratch = !inputs.request->artifacts.empty() || !inputs.also_collect.empty() ||
                          inputs.request->input_json.has_value() || inputs.keep_work != nullptr;
  options.latest_end_ms = plan.cell.latest_end_ms;
  options.events = inputs.events;
  options.cancel = inputs.cancel;
  return options;
}

void collect(const RunInputs& inputs, ExecutionReport& report) {
  const auto started = RunClock::now();
  const contract::RunRequest& request = *inputs.request;
  const Scratch& scratch = report.supervision.scratch;
  if (!report.supervision.failure) {
    std::vector<std::string> patterns = request.artifacts;
    patterns.insert(patterns.end(), inputs.also_collect.begin(), inputs.also_collect.end());
    const bool reads_work = !patterns.empty() || inputs.keep_work != nullptr;
    const auto hashes = reads_work ? hashes_of_inputs(request) : std::map<std::string, std::string>();
    report.harvest = collect_artifacts(scratch, patterns, report.plan.limits, hashes);
    if (inputs.keep_work != nullptr && scratch.valid()) {
      report.work = collect_work_tree(scratch, *inputs.keep_work, hashes);
    }
    if (request.input_json) {
      if (auto value = scratch.read_file(kSolveValuePath.substr(1).data(), report.plan.limits.output_bytes); value) {
        report.solve_value = std::move(*value);
      } else {
        report.solve_value_too_large = value.error().code == base::ErrorCode::input_too_large;
      }
    }
  }
  report.stages["collect"] = base::ms_since(started);
}

}  // namespace glovebox::engine
