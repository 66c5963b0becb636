// JSON Schema: draft 7, and 2020-12 as far as one document goes (V1).
//
// A schema is compiled before the run. A keyword that would not be checked (unknown, misspelt, unevaluated*, dynamic
// references, other documents) or that would have no effect where it stands is an error of the request with its JSON
// pointer, because a rule that nobody checks looks like one that holds. Compiling also refuses references that lead
// back to themselves, so that a check ends; what it costs is bounded by the WorkBudget.
//
// Numbers are compared exactly (decimal.h), patterns are RE2's (pattern.h), formats those of text_formats.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/json_tools.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct SchemaNode;

class Schema {
 public:
  // `field` is where the schema stands in the request: errors name field#/json/pointer.
  [[nodiscard]] static base::Result<Schema> compile(std::string_view json, std::string_view field);

  // One sentence per rule that the document breaks, at most 20; empty when it obeys them all.
  [[nodiscard]] std::vector<std::string> problems_of(const JsonValue& document, WorkBudget& budget) const;

 private:
  explicit Schema(std::vector<SchemaNode> nodes);
  std::shared_ptr<const std::vector<SchemaNode>> nodes_;  // the first one is the root
};

}  // namespace glovebox::verification
