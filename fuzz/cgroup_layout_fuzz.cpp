// mountinfo and /proc/self/cgroup hold names that others choose. The first zero byte parts the two texts, the second
// one the list of controllers. Whatever they say, a place is below a mount point that was named.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "os/cgroup_layout.h"

namespace {

std::string_view cut(std::string_view& rest) {
  const std::size_t zero = rest.find('\0');
  const std::string_view part = rest.substr(0, zero);
  rest.remove_prefix(zero == std::string_view::npos ? rest.size() : zero + 1);
  return part;
}

std::string_view without_slashes_at_end(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  return path;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace glovebox::os;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view mountinfo = cut(rest);
  const std::string_view own = cut(rest);
  const std::string controllers(rest);
  const auto read = [&](const std::string&) { return controllers; };
  const CgroupLayout layout = parse_cgroup_layout(mountinfo, own, read);
  require(parse_cgroup_layout(mountinfo, own, read) == layout);
  if (layout.unified) {
    require(layout.unified->version == 2 && layout.mode() != "none" && layout.mode() != "v1");
    require(layout.unified->directory.starts_with(without_slashes_at_end(layout.unified_mount)));
  }
  for (const auto& place : {layout.memory, layout.pids, layout.cpu}) {
    require(!place || place->version == 1 || (place->version == 2 && place == layout.unified));
  }
  return 0;
}
