#include "contract/json_kind.h"

namespace glovebox::contract {

std::string_view kind_name(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return "a boolean";
    case JsonValue::Kind::integer:
    case JsonValue::Kind::real:
      return "a number";
    case JsonValue::Kind::string:
      return "a string";
    case JsonValue::Kind::array:
      return "an array";
    case JsonValue::Kind::object:
      return "an object";
    case JsonValue::Kind::free_form:
      return "a JSON value";
  }
  return "something else";
}

}  // namespace glovebox::contract
