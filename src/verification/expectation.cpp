#include "verification/expectation.h"

#include <fmt/format.h>

#include <algorithm>

#include "verification/absence.h"
#include "verification/artifact_check.h"
#include "verification/file_format.h"
#include "verification/trials.h"

namespace glovebox::verification {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using contract::RunRequest;

tl::unexpected<base::Error> refuse_field(std::string field, std::string message, std::string hint = {}) {
  return base::fail(base::make_error(ErrorCode::invalid_request, std::move(message))
                        .with_field(std::move(field))
                        .with_hint(std::move(hint)));
}

Status check_artifact(const contract::ExpectedArtifact& artifact, const std::string& field) {
  const FileFormat* format = format_of(artifact);
  struct Asked {
    bool asked;
    bool told;
    std::string_view what;
  };
  const bool columns = artifact.columns || !artifact.has_columns.empty();
  const Asked questions[] = {{artifact.rows.given(), format != nullptr && format->has_rows, "rows"},
                             {columns, format != nullptr && format->has_rows, "columns"},
                             {artifact.width.given(), format != nullptr && format->has_size, "width"},
                             {artifact.height.given(), format != nullptr && format->has_size, "height"},
                             {artifact.pages.given(), format != nullptr && format->has_pages, "pages"}};
  for (const Asked& question : questions) {
    if (question.asked && !question.told) {
      return refuse_field(field,
                          format == nullptr
                              ? fmt::format("{} can be told only of a file whose format is known", question.what)
                              : fmt::format("a {} file has no {}", format->name, question.what),
                          "say the format, such as csv, json or png");
    }
  }
  return {};
}

Status check_needs(const Invariant& invariant, const RunRequest& request, const std::string& field) {
  const Invariant::Needs needs = invariant.needs();
  if (needs.solve && !request.input_json) {
    return refuse_field(field, "value and input are there only when the request has an input",
                        "use json or stdout for what the program prints");
  }
  for (const std::string& path : needs.inputs) {
    const bool known = std::any_of(request.files.begin(), request.files.end(),
                                   [&](const contract::InputFile& file) { return file.path.str() == path; });
    if (!known) {
      return refuse_field(field, fmt::format("input(\"{}\"): the request has no such file", shown_text(path)));
    }
  }
  return {};
}

Status check_tests(const contract::Expect& expect, const RunRequest& request) {
  for (std::size_t index = 0; index < expect.properties.size(); ++index) {
    const contract::PropertyCheck& property = expect.properties[index];
    if (!property.inverse.empty() && !program_calling(request, property.inverse)) {
      return refuse_field(fmt::format("expect.tests.properties[{}].inverse", index),
                          "a function other than solve can be called in python and javascript only");
    }
  }
  if (const std::size_t cells = cells_of_tests(expect); cells > kMaxTrials) {
    return refuse_field("expect.tests",
                        fmt::format("{} cells would be needed, at most {} are allowed", cells, kMaxTrials),
                        "give fewer cases or inputs");
  }
  return {};
}

// The characters that mean something in a pattern, taken literally.
std::string literal_pattern(std::string_view path) {
  std::string pattern;
  for (const char letter : path) {
    if (letter == '*' || letter == '?' || letter == '[') {
      pattern += {'[', letter, ']'};
    } else {
      pattern += letter;
    }
  }
  return pattern;
}

}  // namespace

Result<Expectation> Expectation::compile(const RunRequest& request) {
  Expectation compiled;
  if (!request.expect_json) {
    return compiled;
  }
  compiled.expect = TRY(contract::parse_expect(*request.expect_json));
  const contract::Expect& expect = compiled.expect;
  if (!expect.stdout_json_schema.empty()) {
    compiled.output_schema = TRY(Schema::compile(expect.stdout_json_schema, "expect.stdout_json_schema"));
  }
  if (!expect.value_json_schema.empty()) {
    if (!request.input_json) {
      return refuse_field("expect.value_json_schema", "there is a value only when the request has an input",
                          "use stdout_json_schema for what the program prints");
    }
    compiled.value_schema = TRY(Schema::compile(expect.value_json_schema, "expect.value_json_schema"));
  }
  for (std::size_t index = 0; index < expect.artifacts.size(); ++index) {
    TRY_STATUS(check_artifact(expect.artifacts[index], fmt::format("expect.artifacts[{}]", index)));
  }
  for (std::size_t index = 0; index < expect.invariants.size(); ++index) {
    const std::string field = fmt::format("expect.invariants[{}]", index);
    auto invariant = Invariant::parse(expect.invariants[index]);
    if (!invariant) {
      return base::fail(std::move(invariant.error()).with_field(field));
    }
    TRY_STATUS(check_needs(*invariant, request, field));
    compiled.invariants.push_back(std::move(*invariant));
  }
  TRY_STATUS(check_tests(expect, request));
  return compiled;
}

std::vector<std::string> Expectation::artifact_patterns() const {
  std::vector<std::string> patterns;
  for (const contract::ExpectedArtifact& artifact : expect.artifacts) {
    patterns.push_back(literal_pattern(artifact.path.str()));
    for (const std::string& parent : artifact.exists ? std::vector<std::string>() : parents_of(artifact.path.str())) {
      patterns.push_back(literal_pattern(parent));
    }
  }
  for (const Invariant& invariant : invariants) {
    for (const std::string& path : invariant.needs().artifacts) {
      patterns.push_back(literal_pattern(path));
    }
  }
  return patterns;
}

bool Expectation::needs_whole_work() const {
  return std::any_of(expect.artifacts.begin(), expect.artifacts.end(),
                     [](const contract::ExpectedArtifact& artifact) { return !artifact.exists; });
}

}  // namespace glovebox::verification
