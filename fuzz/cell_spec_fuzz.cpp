// The launcher's only input on arbitrary bytes. What it accepts must be exactly what the supervisor would have sent, and
// safe to act upon: nothing outside of the new root, nobody root.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/launcher/cell_spec.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool stays_inside(std::string_view target) {
  if (target.empty() || target.front() == '/') {
    return false;
  }
  while (!target.empty()) {
    const std::size_t slash = target.find('/');
    if (target.substr(0, slash) == "..") {
      return false;
    }
    target.remove_prefix(slash == std::string_view::npos ? target.size() : slash + 1);
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto spec = glovebox::engine::decode_cell_spec(bytes);
  if (!spec) {
    require(!spec.error().message.empty());
    return 0;
  }
  const auto again = glovebox::engine::encode_cell_spec(*spec);
  require(again ? *again == bytes : size > glovebox::engine::kMaxSpecBytes);
  require(!spec->argv.empty() && spec->uid != 0 && spec->gid != 0 && spec->directory.starts_with('/'));
  for (const auto& entry : spec->root) {
    require(stays_inside(entry.target));
  }
  for (const auto& target : spec->blob_targets) {
    require(stays_inside(target));
  }
  return 0;
}
