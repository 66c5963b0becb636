#include "verification/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "verification/refusal.h"

namespace glovebox::verification {
namespace {

using base::Result;

constexpr const char* kCut = "stdout was cut at limits.output_bytes, so it cannot be checked";
constexpr std::array<std::string_view, 5> kDocumentFormats = {"csv", "tsv", "json", "jsonl", "text"};

Result<Value> copied_text(std::string_view bytes, WorkBudget& budget) {
  if (!budget.spend(1 + bytes.size() / 64)) {
    return refuse(kOutOfBudget);
  }
  if (!budget.hold(bytes.size())) {
    return refuse(kOutOfMemory);
  }
  return Value(std::string(bytes));
}

// Whoever reads the message should know which document it is about.
template <typename T>
Result<T> about(std::string_view what, Result<T> result) {
  if (!result) {
    result.error().message = fmt::format("{}: {}", what, result.error().message);
  }
  return result;
}

}  // namespace

bool is_document_format(std::string_view format) {
  return std::find(kDocumentFormats.begin(), kDocumentFormats.end(), format) != kDocumentFormats.end();
}

std::string_view document_format_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view ending = dot == path.npos ? "" : path.substr(dot + 1);
  return is_document_format(ending) ? ending : "text";
}

Result<List> read_json_lines(std::string_view bytes, WorkBudget& budget) {
  if (bytes.size() > kMaxDocumentBytes) {
    return refuse("too large to be checked");
  }
  List list;
  std::size_t values = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    auto value = read_document(bytes.substr(0, end), budget);
    if (!value) {
      return refuse(fmt::format("line {}: {}", list.size() + 1, value.error().message));
    }
    values += count_values(*value);
    if (values > kMaxDocumentValues || !budget.spend(10)) {
      return refuse(fmt::format("too large to be checked: more than {} values", kMaxDocumentValues));
    }
    list.push_back(Value::from_json(std::move(*value)));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return list;
}

Result<Value> read_document_as(std::string_view format, std::string_view bytes, WorkBudget& budget) {
  if (format == "csv" || format == "tsv") {
    return Value(TRY(Table::parse(bytes, format == "csv" ? ',' : '\t', budget)));
  }
  if (format == "json") {
    return Value::from_json(TRY(read_document(bytes, budget)));
  }
  if (format == "jsonl") {
    return Value(TRY(read_json_lines(bytes, budget)));
  }
  if (bytes.size() > kMaxDocumentBytes) {
    return refuse("too large to be checked");
  }
  return copied_text(bytes, budget);
}

const contract::Artifact* Documents::find_artifact(std::string_view path) const {
  const auto found = std::find_if(evidence_.artifacts.begin(), evidence_.artifacts.end(),
                                  [&](const contract::Artifact& artifact) { return artifact.path == path; });
  return found == evidence_.artifacts.end() ? nullptr : &*found;
}

bool Documents::hold_for_now(std::uint64_t bytes) {
  if (!budget_.hold(bytes)) {
    return false;
  }
  held_for_now_ += bytes;
  return true;
}

void Documents::let_go() {
  budget_.let_go(held_for_now_);
  held_for_now_ = 0;
}

Result<Value> Documents::standard_output() const {
  if (evidence_.stdout_truncated) {
    return refuse(kCut);
  }
  return copied_text(evidence_.standard_output, budget_);
}

Result<JsonValue> Documents::output_tree() const {
  if (evidence_.stdout_truncated) {
    return refuse(kCut);
  }
  return about("stdout", read_document(evidence_.standard_output, budget_));
}

Result<JsonValue> Documents::value_tree() const {
  if (!evidence_.value_json) {
    return refuse("there is no value of solve(input)");
  }
  return about("value", read_document(*evidence_.value_json, budget_));
}

Result<Value> Documents::read_named(const std::string& name) const {
  if (name == "stdout") {
    return standard_output();
  }
  if (name == "json") {
    return Value::from_json(TRY(output_tree()));
  }
  if (name == "value") {
    return Value::from_json(TRY(value_tree()));
  }
  if (!evidence_.input_json) {
    return refuse("the request has no input");
  }
  return Value::from_json(TRY(about("input", read_document(*evidence_.input_json, budget_))));
}

// What was held for a document that turned out to be none is free again.
template <typename Read>
Result<Value> Documents::kept(const std::string& key, Read read) {
  if (const auto known = known_.find(key); known != known_.end()) {
    return known->second;
  }
  const std::uint64_t before = budget_.memory_left();
  Result<Value> value = read();
  if (!value) {
    budget_.let_go(before - budget_.memory_left());
  }
  return known_.emplace(key, std::move(value)).first->second;
}

Result<Value> Documents::named(const std::string& name) {
  return kept(name, [&] { return read_named(name); });
}

Result<Value> Documents::artifact(const std::string& path, std::string_view format) {
  const std::string_view chosen = format.empty() ? document_format_of(path) : format;
  return kept(fmt::format("artifact/{}/{}", chosen, path), [&] {
    const contract::Artifact* found = find_artifact(path);
    return about(path, found == nullptr ? Result<Value>(refuse("the program did not make this file"))
                                        : read_document_as(chosen, found->content, budget_));
  });
}

Result<Value> Documents::input(const std::string& path, std::string_view format) {
  const std::string_view chosen = format.empty() ? document_format_of(path) : format;
  const auto read = [&]() -> Result<Value> {
    const std::string bytes = TRY(evidence_.read_input(path));
    return read_document_as(chosen, bytes, budget_);
  };
  return kept(fmt::format("input/{}/{}", chosen, path), [&] { return about("input " + path, read()); });
}

}  // namespace glovebox::verification
