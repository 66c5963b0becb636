// A policy profile that somebody else may write. What is accepted must be usable; what is not must be told with a
// place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "policy/decision.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::policy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto profile = parse_profile(text, "fuzz.toml", "fuzz", ExampleCheck::trust);
  if (!profile.has_value()) {
    if (!profile.error().message.starts_with("fuzz.toml:")) {
      std::abort();
    }
    return 0;
  }
  const auto own = std::make_shared<const Profile>(std::move(*profile));
  auto below = std::make_shared<const Profile>(**built_in_profile("sandboxed_python"));
  // Whatever a workspace says, the answer is never weaker than without it.
  const auto strict = EffectivePolicy::combine("fuzz", {{Layer::built_in, below}}, "");
  const auto both = EffectivePolicy::combine("fuzz", {{Layer::built_in, below}, {Layer::workspace, own}}, "");
  const auto stacked = EffectivePolicy::combine("fuzz", {{Layer::built_in, below}, {Layer::tenant, own}}, "");
  if (!strict.has_value() || !stacked.has_value()) {
    std::abort();
  }
  glovebox::contract::RunRequest request;
  request.code = "import os, json\nos.system('x')\nprint(json.dumps(getattr(os, input())))\n";
  const PolicyQuestion question = question_of(request, "python");
  const Decision without = decide(*strict, question);
  if (decide(*stacked, question).verdict < without.verdict ||
      (both.has_value() && decide(*both, question).verdict < without.verdict)) {
    std::abort();
  }
  return 0;
}
