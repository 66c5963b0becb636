// Is a text well-formed XML, and what is its root?
//
// There are no entities but the five of XML itself. A document type without an internal part is allowed and ignored,
// because common tools write one; nothing is ever fetched.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "verification/work_budget.h"

namespace glovebox::verification {

struct XmlAttribute {
  std::string_view name;
  std::string_view value;  // as written
};

struct XmlElement {
  std::string_view name;
  std::vector<XmlAttribute> attributes;
};

// The root element, as views into the text, which is valid UTF-8.
[[nodiscard]] base::Result<XmlElement> read_xml(std::string_view text, WorkBudget& budget);

}  // namespace glovebox::verification
