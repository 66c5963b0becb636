#include "mcp/tools/run_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "contract/error_catalogue.h"
#include "contract/json_writer.h"
#include "contract/run_result_codec.h"
#include "mcp/tools/run_uri.h"
#include "mcp/tools/tool_answer.h"

namespace glovebox::mcp {
namespace {

using contract::RunResult;

constexpr std::size_t kMostOutput = 24U << 10U;
constexpr std::size_t kMostValues = 64U << 10U;
// An answer may have to fit the buffer of a stream: ServerLimits::stream_buffer_bytes.
constexpr std::size_t kMostImageBytes = 480U << 10U;
constexpr std::array<std::string_view, 4> kImages = {"image/png", "image/jpeg", "image/gif", "image/webp"};

// What MCP says beside the contract's result.
std::string extra_members(const RunAnswer& told, const std::vector<std::string>& shortened) {
  contract::JsonWriter json;
  json.begin_object();
  if (!told.workspace.empty()) {
    json.string("workspace", told.workspace);
    json.strings("files_written", told.changes.written);
    json.strings("files_removed", told.changes.removed);
    if (!told.changes.kept_old.empty()) {
      json.string("workspace_unchanged", told.changes.kept_old);
    }
  }
  if (!shortened.empty()) {
    json.strings("shortened", shortened);
  }
  if (!told.fell_back.empty()) {
    json.string(
        "fallback",
        "The program was written to a file and run by a shell in a fresh cell, behind the same walls, because " +
            told.fell_back + ".");
  }
  json.end_object();
  std::string object = json.take(contract::JsonStyle::compact);
  return object.substr(1, object.size() - 2);
}

bool is_image(const contract::Artifact& artifact) {
  return std::find(kImages.begin(), kImages.end(), artifact.media_type) != kImages.end();
}

// Nobody could be asked: say how whoever started this server can approve beforehand.
void name_approval(RunResult& result, const std::string& command) {
  if (command.empty() || !result.error || result.error->code != base::ErrorCode::approval_needed) {
    return;
  }
  std::string& hint = result.error->hint;
  constexpr std::string_view kOther = "glovebox run";
  if (const std::size_t at = hint.find(kOther); at != hint.npos) {
    hint.replace(at, kOther.size(), command);
  }
}

}  // namespace

RunResult refused_run(const base::Error& error, std::string run_id) {
  RunResult result;
  result.run_id = std::move(run_id);
  result.outcome = contract::catalogue_entry(error.code).outcome;
  result.error = contract::run_error_of(error);
  return result;
}

void answer_run(Call& call, RunResult result, const RunAnswer& told) {
  name_approval(result, told.approve_command);
  result.denials.insert(result.denials.end(), told.changes.not_taken.begin(), told.changes.not_taken.end());
  const std::string out_uri = to_string(RunUri{result.run_id, RunUri::Part::standard_output, ""});
  const std::string err_uri = to_string(RunUri{result.run_id, RunUri::Part::standard_error, ""});
  const std::size_t out_bytes = result.standard_output.size();
  const std::size_t err_bytes = result.standard_error.size();
  std::vector<std::string> shortened;
  if (shorten(result.standard_output, kMostOutput, out_uri)) {
    shortened.emplace_back("stdout");
  }
  if (shorten(result.standard_error, kMostOutput, err_uri)) {
    shortened.emplace_back("stderr");
  }
  const std::string result_uri = to_string(RunUri{result.run_id, RunUri::Part::result, ""});
  std::size_t value_bytes = 0;
  for (contract::RichResult& value : result.results) {
    value_bytes += value.json.size();
    if (value_bytes > kMostValues) {
      value.json = contract::quote_json("left out: it is in the resource " + result_uri);
      shortened.emplace_back("results");
    }
  }
  if (result.error) {
    shorten(result.error->message, kMostOutput, result_uri);
    shorten(result.error->traceback, kMostOutput, result_uri);
  }
  ToolAnswer answer;
  answer.structure(with_members(contract::to_json(result), extra_members(told, shortened)));
  std::size_t image_bytes = 0;
  for (const contract::Artifact& artifact : result.artifacts) {
    if (is_image(artifact) && !artifact.content.empty() && image_bytes + artifact.content.size() <= kMostImageBytes) {
      image_bytes += artifact.content.size();
      answer.image(artifact.content, artifact.media_type);
    }
    answer.link(to_string(RunUri{result.run_id, RunUri::Part::artifact, artifact.path}), artifact.path,
                artifact.media_type, artifact.bytes);
  }
  for (const std::string& name : shortened) {
    if (name == "results") {
      answer.link(result_uri, name, "application/json", value_bytes);
      continue;
    }
    const bool out = name == "stdout";
    answer.link(out ? out_uri : err_uri, name, "text/plain", out ? out_bytes : err_bytes);
  }
  if (!result.success) {
    answer.set_error();
  }
  answer.send(call);
}

std::string run_output_schema() {
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"run_id":{"type":"string","description":"Name of this run, for get_run and replay_run."},
"outcome":{"type":"string","description":"ok, program_failed, timeout, cpu_limit, memory_limit, disk_limit, process_limit, output_limit, denied, rejected, invalid_output, cancelled, setup_failed or internal_error."},
"success":{"type":"boolean"},
"stdout":{"type":"string"},"stderr":{"type":"string"},
"exit_code":{"type":["integer","null"]},
"error":{"type":["object","null"],"description":"Code, message, line and a hint that says how to mend it."},
"artifacts":{"type":"array","items":{"type":"object"}},
"results":{"type":"array","items":{"type":"object"},"description":"What solve(input) returned."},
"metrics":{"type":"object"},"validation":{"type":"object"},
"denials":{"type":"array","items":{"type":"object"},"description":"What the wall refused, and which single grant would allow it."},
"shortened":{"type":"array","items":{"type":"string"},"description":"Output that is shown as its beginning and its end; the rest is a resource."},
"workspace":{"type":"string"},"files_written":{"type":"array","items":{"type":"string"}},
"files_removed":{"type":"array","items":{"type":"string"}},
"workspace_unchanged":{"type":"string","description":"Why the workspace is as it was before the run."},
"fallback":{"type":"string","description":"That the program was run another way, and why."}},
"required":["run_id","outcome","success","stdout","stderr"]})";
}

}  // namespace glovebox::mcp
