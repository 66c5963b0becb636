#include "verification/text_formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "base/timestamp.h"
#include "verification/pattern.h"

namespace glovebox::verification {
namespace {

bool is_hex(char letter) {
  return base::is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}

bool is_date_time(std::string_view text) { return text.size() <= 64 && base::parse_timestamp_ms(text).has_value(); }

bool is_date(std::string_view text) { return text.size() == 10 && is_date_time(std::string(text) + "T00:00:00Z"); }

bool is_time(std::string_view text) { return text.size() <= 40 && is_date_time("2000-01-01T" + std::string(text)); }

// Numbers with these units, each at most once and in this order; at least one.
bool has_units(std::string_view text, std::string_view units) {
  bool any = false;
  while (!text.empty()) {
    const auto digits =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), base::is_digit) - text.begin());
    const std::size_t unit = digits < text.size() ? units.find(text[digits]) : units.npos;
    if (digits == 0 || unit == units.npos) {
      return false;
    }
    units.remove_prefix(unit + 1);
    text.remove_prefix(digits + 1);
    any = true;
  }
  return any;
}

// P1Y2M3DT4H5M6S or P4W.
bool is_duration(std::string_view text) {
  if (!text.starts_with('P') || text.size() > 100) {
    return false;
  }
  text.remove_prefix(1);
  const std::size_t mark = text.find('T');
  if (mark == text.npos) {
    return has_units(text, "YMD") || has_units(text, "W");
  }
  return (mark == 0 || has_units(text.substr(0, mark), "YMD")) && has_units(text.substr(mark + 1), "HMS");
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) {
    return false;
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t dot = std::min(text.find('.', start), text.size());
    const std::string_view label = text.substr(start, dot - start);
    const bool good = !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
                      std::all_of(label.begin(), label.end(),
                                  [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '-'; });
    if (!good) {
      return false;
    }
    start = dot + 1;
  }
  return true;
}

// The shape that people use: no quoted names, no comments, no addresses of hosts.
bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == text.npos || at == 0 || at > 64 || text.size() > 254 || !is_hostname(text.substr(at + 1))) {
    return false;
  }
  const std::string_view name = text.substr(0, at);
  constexpr std::string_view kMarks = "!#$%&'*+/=?^_`{|}~-.";
  return name.front() != '.' && name.back() != '.' && name.find("..") == name.npos &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return base::is_letter(c) || base::is_digit(c) || kMarks.find(c) != kMarks.npos; });
}

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return text.size() < INET6_ADDRSTRLEN && text.find('\0') == text.npos &&
         inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}
bool is_ipv4(std::string_view text) { return is_address(AF_INET, text); }
bool is_ipv6(std::string_view text) { return is_address(AF_INET6, text); }

// A scheme, a colon, and only characters that RFC 3986 allows, percent signs with two digits behind them.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || !base::is_letter(text.front())) {
    return false;
  }
  const std::string_view scheme = text.substr(0, colon);
  if (!std::all_of(scheme.begin(), scheme.end(), [](char c) {
        return base::is_letter(c) || base::is_digit(c) || c == '+' || c == '-' || c == '.';
      })) {
    return false;
  }
  constexpr std::string_view kMarks = "-._~:/?#[]@!$&'()*+,;=";
  for (std::size_t index = colon + 1; index < text.size(); ++index) {
    const char letter = text[index];
    if (letter == '%') {
      if (index + 2 >= text.size() || !is_hex(text[index + 1]) || !is_hex(text[index + 2])) {
        return false;
      }
    } else if (!base::is_letter(letter) && !base::is_digit(letter) && kMarks.find(letter) == kMarks.npos) {
      return false;
    }
  }
  return true;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t index = 0; index < text.size(); ++index) {
    const bool dash = index == 8 || index == 13 || index == 18 || index == 23;
    if (dash ? text[index] != '-' : !is_hex(text[index])) {
      return false;
    }
  }
  return true;
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') {
    return false;
  }
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == '~' && (index + 1 >= text.size() || (text[index + 1] != '0' && text[index + 1] != '1'))) {
      return false;
    }
  }
  return true;
}

bool is_regex(std::string_view text) { return Pattern::compile(text).has_value(); }

constexpr std::array kTextFormats = {
    TextFormat{"date-time", is_date_time},
    TextFormat{"date", is_date},
    TextFormat{"time", is_time},
    TextFormat{"duration", is_duration},
    TextFormat{"email", is_email},
    TextFormat{"hostname", is_hostname},
    TextFormat{"ipv4", is_ipv4},
    TextFormat{"ipv6", is_ipv6},
    TextFormat{"uri", is_uri},
    TextFormat{"uuid", is_uuid},
    TextFormat{"json-pointer", is_json_pointer},
    TextFormat{"regex", is_regex, 20'000},  // a short text can be a large automaton
};

}  // namespace

std::span<const TextFormat> text_formats() { return kTextFormats; }

const TextFormat* find_text_format(std::string_view name) {
  const auto* found =
      std::find_if(kTextFormats.begin(), kTextFormats.end(), [&](const TextFormat& f) { return f.name == name; });
  return found == kTextFormats.end() ? nullptr : found;
}

}  // namespace glovebox::verification
