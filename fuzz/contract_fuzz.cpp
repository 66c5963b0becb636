// Both readers of the contract on arbitrary bytes: no crash, no hang, no leak; and whatever is accepted must come
// back equal after being written. Good seeds: contract/examples/requests and contract/examples/results.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "contract/run_request_codec.h"
#include "contract/run_result_codec.h"

namespace {

template <typename Parse>
void check_round_trip(std::string_view text, Parse parse) {
  const auto value = parse(text);
  if (!value) {
    return;
  }
  for (const auto style : {glovebox::contract::JsonStyle::compact, glovebox::contract::JsonStyle::pretty}) {
    const auto again = parse(to_json(*value, style));
    if (!again || !(*again == *value)) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_round_trip(text, [](std::string_view json) { return glovebox::contract::parse_run_request(json); });
  check_round_trip(text, [](std::string_view json) { return glovebox::contract::parse_run_result(json); });
  return 0;
}
