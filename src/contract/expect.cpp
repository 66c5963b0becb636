#include "contract/expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/utf8.h"
#include "contract/json_reader.h"
#include "contract/request_rules.h"

namespace glovebox::contract {
namespace {

using base::fail;
using base::Result;
using base::Status;

constexpr std::size_t kMaxColumns = 4096;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::uint64_t kMaxExpectedCount = 1'000'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 42U;

constexpr std::string_view kExpectFields[] = {
    "stdout_json_schema", "value_json_schema", "artifacts", "invariants", "tests", "cross_check"};
constexpr std::string_view kExpectedArtifactFields[] = {
    "path",       "exists",     "format",      "min_bytes", "max_bytes", "rows",      "min_rows",
    "max_rows",   "columns",    "has_columns", "width",     "min_width", "max_width", "height",
    "min_height", "max_height", "pages",       "min_pages", "max_pages", "sha256"};
constexpr std::string_view kTestsFields[] = {"cases", "properties"};
constexpr std::string_view kCaseFields[] = {"name", "input", "expected", "tolerance"};
constexpr std::string_view kPropertyFields[] = {"name", "property", "inputs", "inverse", "tolerance"};
constexpr std::string_view kCrossCheckFields[] = {"language", "code", "compare", "tolerance"};
constexpr std::string_view kFreeFormOfExpect[] = {"stdout_json_schema", "value_json_schema", "tests.cases[].input",
                                                  "tests.cases[].expected", "tests.properties[].inputs[]"};
constexpr std::string_view kPropertyNames[] = {"non_decreasing", "non_increasing", "same_length", "same_elements",
                                               "idempotent",     "repeatable",     "round_trip"};
constexpr std::string_view kFormatNames[] = {"csv",  "tsv", "json", "jsonl", "parquet", "png",
                                             "jpeg", "svg", "pdf",  "html",  "zip",     "text"};
constexpr std::string_view kComparisonNames[] = {"exact", "numeric", "set", "json"};

template <typename Enum>
Result<Enum> read_enum(const JsonNode& node, std::span<const std::string_view> names) {
  const std::string text = TRY(node.take_string());
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    return fail(node.error(fmt::format("expected one of {}", list_names(names))));
  }
  return static_cast<Enum>(found - names.begin());
}

Result<std::string> read_schema(const JsonNode& node) {
  std::string schema = TRY(node.take_free_form());
  if (!schema.starts_with('{')) {
    return fail(node.error("expected a JSON Schema as an object"));
  }
  return schema;
}

Result<std::string> read_name(const JsonObject& object) {
  const auto node = object.find("name");
  if (!node) {
    return std::string();
  }
  std::string name = TRY(node->take_string());
  if (name.empty() || name.size() > kMaxNameBytes || base::has_deceptive_characters(name)) {
    return fail(node->error(fmt::format("expected 1 to {} bytes without control characters", kMaxNameBytes)));
  }
  return name;
}

Result<std::optional<double>> read_tolerance(const JsonObject& object) {
  const auto node = object.find("tolerance");
  if (!node) {
    return std::nullopt;
  }
  return TRY(node->non_negative_number());
}

Result<std::optional<std::uint64_t>> read_count(const JsonObject& object, std::string_view name, std::uint64_t most) {
  const auto node = object.find(name);
  if (!node) {
    return std::nullopt;
  }
  return TRY(node->integer(0, most));
}

// `exact` may be empty for a range that has no such field.
Status read_range(const JsonObject& object, std::string_view exact, std::string_view noun, std::uint64_t most,
                  CountRange& range) {
  const std::string least_name = fmt::format("min_{}", noun);
  const std::string most_name = fmt::format("max_{}", noun);
  range.least = TRY(read_count(object, least_name, most));
  range.most = TRY(read_count(object, most_name, most));
  if (range.least && range.most && *range.least > *range.most) {
    return fail(TRY(object.require(least_name)).error(fmt::format("{} is above {}", least_name, most_name)));
  }
  const auto count = exact.empty() ? std::nullopt : TRY(read_count(object, exact, most));
  if (count && range.given()) {
    return fail(TRY(object.require(exact)).error(fmt::format("give {} or a range, not both", exact)));
  }
  if (count) {
    range.least = range.most = count;
  }
  return {};
}

// An artifact that must not be there has no properties to look at.
Status check_absent(const JsonNode& node, const ExpectedArtifact& artifact) {
  const bool described = !artifact.format.empty() || artifact.bytes.given() || artifact.rows.given() ||
                         artifact.width.given() || artifact.height.given() || artifact.pages.given() ||
                         artifact.columns || !artifact.has_columns.empty() || !artifact.sha256.empty();
  if (!artifact.exists && described) {
    return fail(node.error("a file that must not exist cannot have other expectations"));
  }
  return {};
}

Result<ExpectedArtifact> read_expected_artifact(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kExpectedArtifactFields));
  const JsonNode path_node = TRY(object.require("path"));
  const std::string path_text = TRY(path_node.take_string());
  auto path = base::RelPath::parse(path_text);
  if (!path) {
    return fail(std::move(path.error()).with_field(path_node.path()));
  }
  ExpectedArtifact artifact{.path = std::move(*path)};
  if (const auto exists = object.find("exists")) {
    artifact.exists = TRY(exists->boolean());
  }
  if (const auto format = object.find("format")) {
    artifact.format = TRY(format->take_string());
    if (std::find(std::begin(kFormatNames), std::end(kFormatNames), artifact.format) == std::end(kFormatNames)) {
      return fail(
          format->error(fmt::format("\"{}\" is not a format that can be checked", base::printable(artifact.format, 60)))
              .with_hint("the formats are " + list_names(kFormatNames)));
    }
  }
  TRY_STATUS(read_range(object, "", "bytes", kMaxBytes, artifact.bytes));
  TRY_STATUS(read_range(object, "rows", "rows", kMaxExpectedCount, artifact.rows));
  TRY_STATUS(read_range(object, "width", "width", kMaxExpectedCount, artifact.width));
  TRY_STATUS(read_range(object, "height", "height", kMaxExpectedCount, artifact.height));
  TRY_STATUS(read_range(object, "pages", "pages", kMaxExpectedCount, artifact.pages));
  if (const auto columns = object.find("columns")) {
    artifact.columns = TRY(columns->take_strings(kMaxColumns));
  }
  if (const auto columns = object.find("has_columns")) {
    artifact.has_columns = TRY(columns->take_strings(kMaxColumns));
  }
  if (const auto digest = object.find("sha256")) {
    artifact.sha256 = TRY(digest->take_string());
    if (!is_sha256_hex(artifact.sha256)) {
      return fail(digest->error("expected 64 lower-case hex digits"));
    }
  }
  TRY_STATUS(check_absent(node, artifact));
  return artifact;
}

Result<TestCase> read_case(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kCaseFields));
  TestCase test;
  test.name = TRY(read_name(object));
  const JsonNode input = TRY(object.require("input"));
  test.input_json = TRY(input.take_free_form());
  const JsonNode expected = TRY(object.require("expected"));
  test.expected_json = TRY(expected.take_free_form());
  test.tolerance = TRY(read_tolerance(object));
  return test;
}

bool is_function_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Result<PropertyCheck> read_property(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kPropertyFields));
  PropertyCheck check;
  check.name = TRY(read_name(object));
  const JsonNode property = TRY(object.require("property"));
  check.property = TRY(read_enum<Property>(property, kPropertyNames));
  const JsonNode inputs = TRY(object.require("inputs"));
  for (const JsonNode& input : TRY(inputs.elements(kMaxPropertyInputs))) {
    check.inputs_json.push_back(TRY(input.take_free_form()));
  }
  if (check.inputs_json.empty()) {
    return fail(inputs.error("a property needs at least one input"));
  }
  const auto inverse = object.find("inverse");
  if (inverse.has_value() != (check.property == Property::round_trip)) {
    return fail(inverse ? inverse->error("only round_trip has an inverse")
                        : node.error("round_trip needs \"inverse\", the name of the function that undoes solve"));
  }
  if (inverse) {
    check.inverse = TRY(inverse->take_string());
    if (!is_function_name(check.inverse)) {
      return fail(inverse->error("expected the name of a function: letters, digits and _"));
    }
  }
  check.tolerance = TRY(read_tolerance(object));
  return check;
}

Status read_tests(const JsonNode& node, Expect& expect) {
  const JsonObject object = TRY(node.object(kTestsFields));
  if (const auto cases = object.find("cases")) {
    for (const JsonNode& element : TRY(cases->elements(kMaxTestCases))) {
      expect.cases.push_back(TRY(read_case(element)));
    }
  }
  if (const auto properties = object.find("properties")) {
    for (const JsonNode& element : TRY(properties->elements(kMaxPropertyChecks))) {
      expect.properties.push_back(TRY(read_property(element)));
    }
  }
  return {};
}

Result<CrossCheck> read_cross_check(const JsonNode& node) {
  const JsonObject object = TRY(node.object(kCrossCheckFields));
  CrossCheck check;
  if (const auto language = object.find("language")) {
    check.language = TRY(language->take_string());
    if (!is_language_name(check.language)) {
      return fail(language->error("not a language name"));
    }
  }
  const JsonNode code = TRY(object.require("code"));
  check.code = TRY(code.take_string());
  if (const auto compare = object.find("compare")) {
    check.compare = TRY(read_enum<Comparison>(*compare, kComparisonNames));
  }
  check.tolerance = TRY(read_tolerance(object));
  if (check.tolerance && (check.compare == Comparison::exact || check.compare == Comparison::set)) {
    return fail(TRY(object.require("tolerance")).error("only numeric and json comparisons have a tolerance"));
  }
  return check;
}

}  // namespace

std::string_view to_string(Property property) { return kPropertyNames[static_cast<std::size_t>(property)]; }
std::string_view to_string(Comparison comparison) { return kComparisonNames[static_cast<std::size_t>(comparison)]; }
std::span<const std::string_view> property_names() { return kPropertyNames; }
std::span<const std::string_view> comparison_names() { return kComparisonNames; }
std::span<const std::string_view> artifact_format_names() { return kFormatNames; }

Result<Expect> parse_expect(std::string_view json) {
  JsonOptions options;
  options.free_form = kFreeFormOfExpect;
  options.path = "expect";
  JsonValue root = TRY(parse_json(json, options));
  const JsonObject object = TRY(JsonNode(root, "expect").object(kExpectFields));
  Expect expect;
  if (const auto node = object.find("stdout_json_schema")) {
    expect.stdout_json_schema = TRY(read_schema(*node));
  }
  if (const auto node = object.find("value_json_schema")) {
    expect.value_json_schema = TRY(read_schema(*node));
  }
  if (const auto node = object.find("artifacts")) {
    for (const JsonNode& element : TRY(node->elements(kMaxExpectedArtifacts))) {
      expect.artifacts.push_back(TRY(read_expected_artifact(element)));
    }
  }
  if (const auto node = object.find("invariants")) {
    for (const JsonNode& element : TRY(node->elements(kMaxInvariants))) {
      std::string invariant = TRY(element.take_string());
      if (invariant.size() > kMaxInvariantBytes) {
        return fail(element.error(fmt::format("longer than {} bytes", kMaxInvariantBytes)));
      }
      expect.invariants.push_back(std::move(invariant));
    }
  }
  if (const auto node = object.find("tests")) {
    TRY_STATUS(read_tests(*node, expect));
  }
  if (const auto node = object.find("cross_check")) {
    expect.cross_check = TRY(read_cross_check(*node));
  }
  return expect;
}

}  // namespace glovebox::contract
