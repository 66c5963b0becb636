// JSON Schema: the text up to the first NUL is the schema, what follows the document. A check that was given up for
// lack of budget must not pass.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "verification/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::verification;  // NOLINT(google-build-using-namespace): one function, one library
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  const auto schema = Schema::compile(text, "s");
  WorkBudget reading;
  const auto document = read_document(all.substr(std::min(text.size() + 1, all.size())), reading);
  if (!schema || !document) {
    return 0;
  }
  WorkBudget budget(200'000, std::chrono::milliseconds(500));
  if (schema->problems_of(*document, budget).empty() && budget.spent_out()) {
    std::abort();
  }
  return 0;
}
