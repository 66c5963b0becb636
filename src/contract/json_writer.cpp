#include "contract/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/utf8.h"
#include "contract/json_parse.h"

namespace glovebox::contract {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char letter = text[index];
    if (static_cast<unsigned char>(letter) >= 0x20 && letter != '"' && letter != '\\') {
      continue;
    }
    out += text.substr(copied, index - copied);
    copied = index + 1;
    switch (letter) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[static_cast<unsigned char>(letter) >> 4U];
        out += kHex[static_cast<unsigned char>(letter) & 0x0fU];
    }
  }
  out += text.substr(copied);
  out += '"';
}

void append_quoted(std::string& out, std::string_view bytes) {
  if (base::is_valid_utf8(bytes)) {
    append_escaped(out, bytes);
  } else {
    append_escaped(out, base::to_valid_utf8(bytes));
  }
}

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) {
    text_ += ',';
  }
  needs_comma_ = true;
}

void JsonWriter::begin_object() {
  separate();
  text_ += '{';
  needs_comma_ = false;
}

void JsonWriter::end_object() {
  text_ += '}';
  needs_comma_ = true;
}

void JsonWriter::begin_array() {
  separate();
  text_ += '[';
  needs_comma_ = false;
}

void JsonWriter::end_array() {
  text_ += ']';
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(text_, name);
  text_ += ':';
  needs_comma_ = false;
}

void JsonWriter::null() {
  separate();
  text_ += "null";
}

void JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
}

void JsonWriter::integer(std::uint64_t value) {
  separate();
  text_ += std::to_string(value);
}

void JsonWriter::signed_integer(std::int64_t value) {
  separate();
  text_ += std::to_string(value);
}

void JsonWriter::milliseconds(double value) {
  separate();
  const std::string digits = fmt::format("{}", round_ms(value));
  text_ += digits;
  // A duration stays a real number in every reader, also when it happens to be whole.
  if (digits.find_first_of(".e") == std::string::npos) {
    text_ += ".0";
  }
}

void JsonWriter::string(std::string_view bytes) {
  separate();
  append_quoted(text_, bytes);
}

void JsonWriter::strings(std::string_view name, const std::vector<std::string>& list) {
  key(name);
  begin_array();
  for (const std::string& each : list) {
    string(each);
  }
  end_array();
}

void JsonWriter::string_or_null(std::string_view bytes) {
  if (bytes.empty()) {
    null();
  } else {
    string(bytes);
  }
}

void JsonWriter::free_form(std::string_view json) {
  const auto compact = compact_json(json);
  if (!compact) {
    string(json);
    return;
  }
  separate();
  text_ += *compact;
}

std::string JsonWriter::take(JsonStyle style) {
  if (style == JsonStyle::pretty) {
    return indent_json(text_);
  }
  return std::move(text_);
}

double round_ms(double value) {
  constexpr double kMost = 1e15;  // beyond it a double has no decimals left to round
  if (!(value > 0)) {
    return 0;
  }
  return value > kMost ? kMost : std::round(value * 1000.0) / 1000.0;
}

std::string quote_json(std::string_view bytes) {
  std::string text;
  append_quoted(text, bytes);
  return text;
}

std::string indent_json(std::string_view compact) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(depth * 2, ' ');
  };
  for (std::size_t index = 0; index < compact.size(); ++index) {
    const char letter = compact[index];
    if (letter == '"') {
      std::size_t end = index + 1;
      while (end < compact.size() && compact[end] != '"') {
        end += compact[end] == '\\' ? 2 : 1;
      }
      out += compact.substr(index, end + 1 - index);
      index = end;
    } else if (letter == '{' || letter == '[') {
      out += letter;
      const bool empty = index + 1 < compact.size() && (compact[index + 1] == '}' || compact[index + 1] == ']');
      if (empty) {
        out += compact[++index];
      } else {
        ++depth;
        new_line();
      }
    } else if (letter == '}' || letter == ']') {
      depth -= depth > 0 ? 1 : 0;
      new_line();
      out += letter;
    } else if (letter == ',') {
      out += letter;
      new_line();
    } else if (letter == ':') {
      out += ": ";
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace glovebox::contract
