#include "os/cgroup_layout.h"

#include <algorithm>
#include <vector>

#include "os/files.h"

namespace glovebox::os {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start) {
      parts.push_back(text.substr(start, end - start));
    }
    start = end + 1;
  }
  return parts;
}

// mountinfo writes space, tab, newline and backslash as \040 and the like.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == '\\' && index + 3 < text.size()) {
      plain += static_cast<char>((text[index + 1] - '0') * 64 + (text[index + 2] - '0') * 8 + (text[index + 3] - '0'));
      index += 3;
    } else {
      plain += text[index];
    }
  }
  return plain;
}

struct CgroupMount {
  std::string root;
  std::string point;
  bool v2 = false;
  std::vector<std::string> options;  // of the superblock: the controllers on v1
};

std::vector<CgroupMount> parse_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    const auto left = split(line.substr(0, dash), ' ');
    const auto right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3 || (right[0] != "cgroup" && right[0] != "cgroup2")) {
      continue;
    }
    CgroupMount mount{unescape(left[3]), unescape(left[4]), right[0] == "cgroup2", {}};
    for (const std::string_view option : split(right[2], ',')) {
      mount.options.emplace_back(option);
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// The path of this process below the mount; nullopt when the mount shows another part of the hierarchy.
std::optional<std::string> directory_in(const CgroupMount& mount, std::string_view own_path) {
  if (mount.root != "/") {
    if (!own_path.starts_with(mount.root)) {
      return std::nullopt;
    }
    own_path.remove_prefix(mount.root.size());
    if (!own_path.empty() && own_path.front() != '/') {
      return std::nullopt;  // a sibling whose name begins alike
    }
  }
  if (own_path.find("/..") != std::string_view::npos) {
    return std::nullopt;  // outside of our cgroup namespace
  }
  std::string directory = mount.point + std::string(own_path);
  while (directory.size() > 1 && directory.back() == '/') {
    directory.pop_back();
  }
  return directory;
}

bool contains_word(std::string_view text, std::string_view word) {
  const auto words = split(text, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string CgroupLayout::mode() const {
  const bool v1 = (memory && memory->version == 1) || (pids && pids->version == 1) || (cpu && cpu->version == 1);
  if (v1) {
    return unified ? "hybrid" : "v1";
  }
  return unified ? "v2" : "none";
}

CgroupLayout parse_cgroup_layout(std::string_view mountinfo, std::string_view self_cgroup,
                                 const std::function<std::string(const std::string&)>& read_controllers) {
  CgroupLayout layout;
  const auto mounts = parse_mounts(mountinfo);
  for (const std::string_view line : split(self_cgroup, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    while (!controllers.empty() && (controllers.back() == '\n' || controllers.back() == '\r')) {
      controllers.remove_suffix(1);
    }
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      for (const CgroupMount& mount : mounts) {
        if (const auto directory = mount.v2 ? directory_in(mount, path) : std::nullopt; directory) {
          layout.unified = ControllerPlace{2, *directory};
          layout.unified_mount = mount.point;
          break;
        }
      }
      continue;
    }
    for (const std::string_view controller : split(controllers, ',')) {
      for (const CgroupMount& mount : mounts) {
        if (mount.v2 || std::find(mount.options.begin(), mount.options.end(), controller) == mount.options.end()) {
          continue;
        }
        const auto directory = directory_in(mount, path);
        if (!directory) {
          continue;
        }
        const ControllerPlace place{1, *directory};
        if (controller == "memory") {
          layout.memory = place;
        } else if (controller == "pids") {
          layout.pids = place;
        } else if (controller == "cpu") {
          layout.cpu = place;
        } else if (controller == "cpuacct") {
          layout.cpuacct = place;
        }
        break;
      }
    }
  }
  if (layout.unified) {
    const std::string available = read_controllers(layout.unified->directory);
    const auto adopt = [&](std::optional<ControllerPlace>& place, std::string_view name) {
      if (!place && contains_word(available, name)) {
        place = layout.unified;
      }
    };
    adopt(layout.memory, "memory");
    adopt(layout.pids, "pids");
    adopt(layout.cpu, "cpu");
  }
  return layout;
}

base::Result<CgroupLayout> find_cgroup_layout() {
  const std::string mountinfo = TRY(read_file("/proc/self/mountinfo"));
  const std::string own = TRY(read_file("/proc/self/cgroup"));
  return parse_cgroup_layout(mountinfo, own, [](const std::string& directory) {
    std::string text = read_file(directory + "/cgroup.controllers").value_or("");
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  });
}

}  // namespace glovebox::os
