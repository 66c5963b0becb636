// The launcher's only input: arbitrary bytes, and an honest message with some bytes changed. What it accepts must be
// exactly what the supervisor would have sent, and safe to act upon: nothing outside of the new root, nobody root.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
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

void check(std::string_view bytes) {
  const auto spec = glovebox::engine::decode_cell_spec(bytes);
  if (!spec) {
    require(!spec.error().message.empty());
    return;
  }
  const auto again = glovebox::engine::encode_cell_spec(*spec);
  require(again ? *again == bytes : bytes.size() > glovebox::engine::kMaxSpecBytes);
  require(!spec->argv.empty() && spec->uid != 0 && spec->gid != 0 && spec->directory.starts_with('/'));
  for (const auto& entry : spec->root) {
    require(stays_inside(entry.target));
  }
  for (const auto& target : spec->blob_targets) {
    require(stays_inside(target));
  }
}

// A spec as the supervisor sends it, so that a few changed bytes reach every part of the decoder.
std::string honest_spec() {
  using glovebox::engine::RootEntry;
  glovebox::engine::CellSpec spec;
  spec.host_uid = 1;
  spec.host_gid = 1;
  spec.hostname = "h";
  spec.directory = "/work";
  spec.root = {{RootEntry::Kind::bind_directory, "usr", "/usr"}, {RootEntry::Kind::proc, "proc", ""}};
  spec.scratch_parts = {"work"};
  spec.blob_targets = {"work/a"};
  spec.rlimits = {{4, 1}};
  spec.argv = {"/bin/true", "x"};
  spec.env = {"A=b"};
  spec.seccomp = "default";
  return glovebox::engine::encode_cell_spec(spec).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});

  static const std::string kHonest = honest_spec();
  std::string changed = kHonest;
  for (std::size_t index = 0; index + 2 < size; index += 3) {
    const std::size_t place = (data[index] * std::size_t{256} + data[index + 1]) % changed.size();
    changed[place] = static_cast<char>(data[index + 2]);
  }
  check(changed);
  return 0;
}
