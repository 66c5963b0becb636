// What a run left behind, read when somebody asks and then kept: output, value, artifacts, input files.
//
// Everything here was written by the program. A document that does not parse is an error for each check that needs it.
// What is kept counts against one amount of memory, however many documents there are.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "contract/run_result.h"
#include "verification/value.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct Evidence {
  std::string_view standard_output;
  bool stdout_truncated = false;
  std::optional<std::string_view> value_json;  // of solve(input)
  std::optional<std::string_view> input_json;
  std::span<const contract::Artifact> artifacts;
  // The bytes of an input file of the request. Only asked for files that the request has.
  std::function<base::Result<std::string>(const std::string& path)> read_input;
};

class Documents {
 public:
  Documents(const Evidence& evidence, WorkBudget& budget) : evidence_(evidence), budget_(budget) {}

  [[nodiscard]] const contract::Artifact* find_artifact(std::string_view path) const;
  [[nodiscard]] base::Result<Value> standard_output() const;
  // Standard output, or the value, as a JSON tree for a schema. It is not kept: a MemoryScope goes with it.
  [[nodiscard]] base::Result<JsonValue> output_tree() const;
  [[nodiscard]] base::Result<JsonValue> value_tree() const;
  // stdout, json, value, input: the names of the language of invariants.
  [[nodiscard]] base::Result<Value> named(const std::string& name);
  // `format` may be empty: by the name of the file.
  [[nodiscard]] base::Result<Value> artifact(const std::string& path, std::string_view format);
  [[nodiscard]] base::Result<Value> input(const std::string& path, std::string_view format);

  [[nodiscard]] WorkBudget& budget() { return budget_; }
  // What one invariant makes on its way, until its end.
  [[nodiscard]] bool hold_for_now(std::uint64_t bytes);
  void let_go();

 private:
  [[nodiscard]] base::Result<Value> read_named(const std::string& name) const;
  template <typename Read>
  [[nodiscard]] base::Result<Value> kept(const std::string& key, Read read);

  const Evidence& evidence_;
  WorkBudget& budget_;
  std::map<std::string, base::Result<Value>> known_;
  std::uint64_t held_for_now_ = 0;
};

// csv, tsv, json, jsonl or text.
[[nodiscard]] bool is_document_format(std::string_view format);
// By the end of the name; text for what is none of these.
[[nodiscard]] std::string_view document_format_of(std::string_view path);
[[nodiscard]] base::Result<Value> read_document_as(std::string_view format, std::string_view bytes, WorkBudget& budget);
// One JSON value per line; empty lines are refused, but for the end of the last one.
[[nodiscard]] base::Result<List> read_json_lines(std::string_view bytes, WorkBudget& budget);

}  // namespace glovebox::verification
