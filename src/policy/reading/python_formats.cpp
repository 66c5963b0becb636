// Texts with fields: "{0.name}" takes a member of what it is given.
#include <algorithm>

#include "policy/reading/escapes.h"
#include "policy/reading/python_reader.h"

namespace glovebox::policy {

// string.Formatter().format("{0.name}", x), get_field("0.name", …), and str.format, which gives nothing but a string.
void PythonReader::call_format(NodeId node, NameId name, const Arguments& arguments) {
  const bool is_string = special(name) == PythonSpecial::format_string;
  Arguments rest = arguments;
  const auto take_first = [&] {
    const Value first = argument(rest, 0, "field_name");
    rest.positional.erase(rest.positional.begin(), rest.positional.begin() + (rest.positional.empty() ? 0 : 1));
    return first;
  };
  Value format = take_first();
  if (format.is == Value::Is::result && special(format.id) == PythonSpecial::formatter) {
    format = take_first();  // called by its class, it gets the object first
  }
  each_possible(format, [&](Value each) {
    const auto constant = text(each);
    if (!constant) {
      if (!is_string) {
        add_dynamic(node, name, "the names of the members are computed");
      }
    } else if (special(name) == PythonSpecial::format_field) {
      report_field(node, *constant, {});
    } else {
      report_fields(node, *constant, is_string ? rest : Arguments());
    }
  });
}

// Each field's name ends at a colon, an exclamation mark or a brace; what is behind may hold fields again.
void PythonReader::report_fields(NodeId node, std::string_view format, const Arguments& arguments) {
  std::uint32_t number = 0;
  for (std::size_t at = format.find('{'); at < format.size(); at = format.find('{', at)) {
    ++at;
    if (format.substr(at, 1) == "{") {
      ++at;
      continue;
    }
    bool in_brackets = false;
    const std::size_t start = at;
    for (; at < format.size(); ++at) {
      in_brackets = format[at] == '[' || (in_brackets && format[at] != ']');
      if (!in_brackets && std::string_view("!:{}").find(format[at]) != std::string_view::npos) {
        break;
      }
    }
    const std::string_view field = format.substr(start, at - start);
    const std::string_view head = field.substr(0, field.find_first_of(".["));
    const auto index = head.empty() ? std::optional<std::uint32_t>(number++) : parse_integer(head);
    const std::size_t place = index ? static_cast<std::size_t>(*index) : arguments.positional.size();
    if (head.size() < field.size()) {
      report_field(node, field, argument(arguments, place, head));
    }
  }
}

void PythonReader::report_field(NodeId node, std::string_view field, Value object) {
  const std::string_view steps = names_.keep(std::string(field));
  for (std::size_t at = steps.find_first_of(".["); at < steps.size();) {
    if (steps[at] == '[') {
      object = {};
      at = steps.find_first_of(".[", std::min(steps.find(']', at), steps.size()));
      continue;
    }
    const std::size_t end = std::min(steps.find_first_of(".[", at + 1), steps.size());
    object = take_member(node, object, steps.substr(at + 1, end - at - 1));
    add_touched(node, object);
    at = end;
  }
}

}  // namespace glovebox::policy
