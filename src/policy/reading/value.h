// What the reader knows of an expression's value.
#pragma once

#include <cstdint>

#include "policy/reading/names.h"
#include "policy/reading/syntax_tree.h"

namespace glovebox::policy {

struct Value {
  enum class Is : std::uint8_t {
    unknown,
    name,      // what a dotted name stands for: id is its NameId
    result,    // what calling that name gave; what its methods give counts as the same thing
    method,    // a member of such a result: id is the name's member ("pathlib.Path.unlink")
    literal,   // a string in the program's text, decoded when somebody asks: id is its node
    text,      // a string that was put together: id is its number
    sequence,  // a list or tuple whose elements are known: id is its node
    several,   // any of these: id is the number of the list
  };
  Is is = Is::unknown;
  std::uint32_t id = 0;

  [[nodiscard]] bool has_name() const { return is == Is::name || is == Is::result || is == Is::method; }
  [[nodiscard]] bool known() const { return is != Is::unknown; }
  bool operator==(const Value&) const = default;

  static Value name(NameId id) { return {Is::name, id}; }
  static Value result(NameId id) { return {Is::result, id}; }
  static Value method(NameId id) { return {Is::method, id}; }
};

}  // namespace glovebox::policy
