#include "telemetry/trace_context.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text.h"

namespace glovebox::telemetry {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::size_t kVersionLength = 2;
constexpr std::size_t kLength = 55;  // 2 + 1 + 32 + 1 + 16 + 1 + 2
constexpr std::uint8_t kSampledFlag = 0x01;

// Lower case only, as the recommendation says.
bool decode_hex(std::string_view text, std::span<std::uint8_t> bytes) {
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const std::size_t high = kHex.find(text[2 * index]);
    const std::size_t low = kHex.find(text[2 * index + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      return false;
    }
    bytes[index] = static_cast<std::uint8_t>(high << 4U | low);
  }
  return true;
}

template <typename AnyId>
AnyId random_id() {
  AnyId id;
  while (id.is_zero()) {
    std::size_t filled = 0;
    while (filled < id.bytes.size()) {
      const ssize_t got = ::getrandom(id.bytes.data() + filled, id.bytes.size() - filled, 0);
      // Before the kernel's generator is ready getrandom waits; then it can only be interrupted.
      filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
  }
  return id;
}

bool is_lower_or_digit(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9'); }

bool is_key(std::string_view key) {
  constexpr std::size_t kLongest = 256;
  const auto in_key = [](char letter) {
    return is_lower_or_digit(letter) || std::string_view("_-*/@").find(letter) != std::string_view::npos;
  };
  return !key.empty() && key.size() <= kLongest && is_lower_or_digit(key.front()) &&
         std::all_of(key.begin(), key.end(), in_key);
}

bool is_value(std::string_view value) {
  constexpr std::size_t kLongest = 256;
  const auto in_value = [](char letter) { return letter >= ' ' && letter <= '~' && letter != ',' && letter != '='; };
  return !value.empty() && value.size() <= kLongest && value.back() != ' ' &&
         std::all_of(value.begin(), value.end(), in_value);
}

// Appends the members of one field; false if the grammar is broken. Empty members are allowed, and dropped.
bool split_members(std::string_view text, std::vector<std::string_view>& members) {
  constexpr std::size_t kMostMembers = 32;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view member = base::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (member.empty()) {
      continue;
    }
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || !is_key(member.substr(0, equals)) || !is_value(member.substr(equals + 1))) {
      return false;
    }
    const std::string_view key_and_equals = member.substr(0, equals + 1);
    const auto same_key = [&](std::string_view other) { return other.starts_with(key_and_equals); };
    if (members.size() >= kMostMembers || std::any_of(members.begin(), members.end(), same_key)) {
      return false;
    }
    members.push_back(member);
  }
  return true;
}

std::size_t joined_size(const std::vector<std::string_view>& members) {
  std::size_t size = members.empty() ? 0 : members.size() - 1;
  for (const std::string_view member : members) {
    size += member.size();
  }
  return size;
}

}  // namespace

template <std::size_t N>
std::string Id<N>::hex() const {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 0x0fU];
  }
  return text;
}
template struct Id<16>;
template struct Id<8>;

TraceId random_trace_id() { return random_id<TraceId>(); }
SpanId random_span_id() { return random_id<SpanId>(); }

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  constexpr std::size_t kTraceAt = kVersionLength + 1;
  constexpr std::size_t kSpanAt = kTraceAt + 32 + 1;
  constexpr std::size_t kFlagsAt = kSpanAt + 16 + 1;
  if (text.size() < kLength || text[kVersionLength] != '-' || text[kSpanAt - 1] != '-' || text[kFlagsAt - 1] != '-') {
    return std::nullopt;
  }
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceContext context;
  if (!decode_hex(text, version) || !decode_hex(text.substr(kTraceAt), context.trace_id.bytes) ||
      !decode_hex(text.substr(kSpanAt), context.span_id.bytes) || !decode_hex(text.substr(kFlagsAt), flags)) {
    return std::nullopt;
  }
  // A later version may say more after another dash. The first has said all.
  const bool length_is_good = text.size() == kLength || (version[0] != 0 && text[kLength] == '-');
  if (version[0] == 0xff || !length_is_good || context.trace_id.is_zero() || context.span_id.is_zero()) {
    return std::nullopt;
  }
  context.sampled = (flags[0] & kSampledFlag) != 0;
  return context;
}

std::string format_traceparent(const TraceContext& context) {
  return "00-" + context.trace_id.hex() + "-" + context.span_id.hex() + (context.sampled ? "-01" : "-00");
}

std::string accept_tracestate(std::span<const std::string_view> values) {
  constexpr std::size_t kMostBytes = 512;
  constexpr std::size_t kLongMember = 128;
  std::vector<std::string_view> members;
  for (const std::string_view value : values) {
    if (!split_members(value, members)) {
      return "";
    }
  }
  while (joined_size(members) > kMostBytes) {
    const auto is_long = [](std::string_view member) { return member.size() > kLongMember; };
    const auto last_long = std::find_if(members.rbegin(), members.rend(), is_long);
    members.erase(last_long == members.rend() ? members.end() - 1 : last_long.base() - 1);
  }
  std::string joined;
  for (const std::string_view member : members) {
    joined += joined.empty() ? "" : ",";
    joined += member;
  }
  return joined;
}

std::optional<TraceContext> read_trace_context(std::span<const std::string_view> traceparents,
                                               std::span<const std::string_view> tracestates) {
  if (traceparents.size() != 1) {
    return std::nullopt;
  }
  auto context = parse_traceparent(base::trim(traceparents.front()));
  if (context) {
    context->state = accept_tracestate(tracestates);
  }
  return context;
}

}  // namespace glovebox::telemetry
