#include "server/http/message.h"

#include <algorithm>

#include "base/text.h"
#include "server/http/grammar.h"

namespace glovebox::http {

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(), [](char one, char other) {
           return to_lower(one) == to_lower(other);
         });
}

void Headers::add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }

void Headers::set(std::string name, std::string value) {
  remove(name);
  add(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return equal_ignoring_case(field.first, name); });
}

const std::string* Headers::find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.first, name)) {
      return &field.second;
    }
  }
  return nullptr;
}

std::string_view Headers::get(std::string_view name) const {
  const std::string* value = find(name);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.first, name)) {
      values.emplace_back(field.second);
    }
  }
  return values;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  for (const Field& field : fields_) {
    if (!equal_ignoring_case(field.first, name)) {
      continue;
    }
    std::string_view rest = field.second;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (equal_ignoring_case(base::trim(rest.substr(0, comma)), token)) {
        return true;
      }
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

const std::string* Request::query_value(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

}  // namespace glovebox::http
