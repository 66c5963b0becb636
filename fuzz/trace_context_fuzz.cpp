// The header fields traceparent and tracestate on arbitrary bytes: no crash; and whatever is accepted must be harmless
// to pass on: a traceparent that reads back equal, a tracestate of at most 512 visible characters that is accepted
// again unchanged. The first line is the traceparent, every other one a tracestate.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "telemetry/exposition.h"
#include "telemetry/trace_context.h"

namespace {

using namespace glovebox::telemetry;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void check_state(const std::string& state) {
  require(state.size() <= 512);
  require(std::all_of(state.begin(), state.end(), [](char letter) { return letter >= ' ' && letter <= '~'; }));
  const std::vector<std::string_view> again = {state};
  require(accept_tracestate(again) == state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  (void)choose_format(rest);
  std::vector<std::string_view> lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lines.empty()) {
    return 0;
  }
  const std::vector<std::string_view> states(lines.begin() + 1, lines.end());
  check_state(accept_tracestate(states));
  const std::vector<std::string_view> parents = {lines.front()};
  if (const auto context = read_trace_context(parents, states)) {
    require(!context->trace_id.is_zero() && !context->span_id.is_zero());
    check_state(context->state);
    auto again = parse_traceparent(format_traceparent(*context));
    require(again.has_value());
    again->state = context->state;
    require(*again == *context);
  }
  return 0;
}
