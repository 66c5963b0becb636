#include "engine/languages/module_lookup.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/utf8.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxDirectories = 64;
constexpr std::size_t kMaxEntries = 20'000;  // over all directories of one lookup
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxPackageDepth = 8;
constexpr std::size_t kMaxSimilar = 3;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!separator.empty() && parts.size() < kMaxPackageDepth) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) {
      break;
    }
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

// One lookup: how much of the image it has read so far.
class Scan {
 public:
  Scan(std::string image_root, const ModulePlaces& places)
      : image_root_(image_root == "/" ? std::string() : std::move(image_root)), entry_(places.entry, options()) {}

  // Directories that a path with * in its parts stands for.
  std::vector<std::string> expand(std::string_view pattern) {
    std::vector<std::string> found = {image_root_};
    for (const std::string_view part : split_path(pattern)) {
      std::vector<std::string> next;
      for (const std::string& base : found) {
        if (part.find('*') == std::string_view::npos) {
          next.push_back(fmt::format("{}/{}", base, part));
          continue;
        }
        for (const std::string& name : entries(base.empty() ? "/" : base)) {
          const std::string plain = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
          if (name.ends_with('/') && ::fnmatch(std::string(part).c_str(), plain.c_str(), FNM_PERIOD) == 0) {
            next.push_back(fmt::format("{}/{}", base, plain));
          }
        }
      }
      next.resize(std::min(next.size(), kMaxDirectories));
      found = std::move(next);
    }
    return found;
  }

  // Names of the modules that lie in one directory.
  void add_modules(const std::string& directory, std::set<std::string>& modules) {
    for (const std::string& name : entries(directory)) {
      std::string module;
      if (entry_.ok() && RE2::FullMatch(name, entry_, &module)) {
        modules.insert(std::move(module));
      }
    }
  }

 private:
  static RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    return options;
  }

  static std::vector<std::string_view> split_path(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty() && parts.size() < 32) {
      const std::size_t slash = std::min(path.find('/'), path.size());
      if (slash > 0) {
        parts.push_back(path.substr(0, slash));
      }
      path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return parts;
  }

  // Entry names; a directory's ends with '/'.
  std::vector<std::string> entries(const std::string& path) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
    while (directory != nullptr && entries_read_ < kMaxEntries) {
      const dirent* entry = ::readdir(directory.get());
      if (entry == nullptr) {
        break;
      }
      ++entries_read_;
      std::string name = entry->d_name;
      if (name == "." || name == ".." || name.size() > kMaxNameBytes || !base::is_valid_utf8(name)) {
        continue;
      }
      bool is_directory = entry->d_type == DT_DIR;
      if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) {
        struct stat status {};
        is_directory = ::stat(fmt::format("{}/{}", path, name).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
      }
      names.push_back(is_directory ? name + "/" : std::move(name));
    }
    return names;
  }

  std::string image_root_;
  RE2 entry_;
  std::size_t entries_read_ = 0;
};

// Where a name has few letters, one slip is already half of it.
std::size_t tolerance(std::string_view name) { return name.size() <= 2 ? 0 : name.size() <= 4 ? 1 : 2; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return result;
}

std::vector<std::string> nearest(std::string_view name, const std::set<std::string>& modules, std::string_view prefix) {
  std::vector<std::pair<std::size_t, std::string>> candidates;
  const std::string wanted = lower(name);
  for (const std::string& module : modules) {
    if (module.starts_with('_') && !name.starts_with('_')) {
      continue;
    }
    const std::size_t distance = edit_distance(wanted, lower(module), tolerance(name));
    if (distance <= tolerance(name)) {
      candidates.emplace_back(distance, fmt::format("{}{}", prefix, module));
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> similar;
  for (auto& [distance, module] : candidates) {
    if (similar.size() < kMaxSimilar) {
      similar.push_back(std::move(module));
    }
  }
  return similar;
}

}  // namespace

ModuleFinding ModuleLookup::look_up(const LanguageProfile& profile, std::string_view module) const {
  ModuleFinding finding;
  const ModulePlaces& places = profile.modules;
  if (module.empty() || module.size() > kMaxNameBytes) {
    return finding;
  }
  Scan scan(image_root_, places);
  std::vector<std::string> directories;
  for (const std::string& pattern : places.directories) {
    for (std::string& directory : scan.expand(pattern)) {
      if (directories.size() < kMaxDirectories) {
        directories.push_back(std::move(directory));
      }
    }
  }
  // Walks a.b.c from the outside in: the first part that is missing decides what is similar.
  std::string prefix;
  const std::vector<std::string_view> parts = split(module, places.separator);
  for (std::size_t depth = 0; depth < parts.size(); ++depth) {
    std::set<std::string> modules;
    for (const std::string& directory : directories) {
      scan.add_modules(directory, modules);
    }
    if (depth == 0) {
      modules.insert(places.builtin.begin(), places.builtin.end());
    }
    const std::string part(parts[depth]);
    if (modules.find(part) == modules.end() || part.empty() || part.find('/') != std::string::npos) {
      finding.similar = nearest(part, modules, prefix);
      for (const auto& [name, others] : places.known_as) {
        const bool another_name = depth == 0 && std::find(others.begin(), others.end(), part) != others.end();
        if (another_name && modules.find(name) != modules.end()) {
          finding.import_as = name;
        }
      }
      if (const auto known = places.known_as.find(part); depth == 0 && known != places.known_as.end()) {
        finding.installed_as = known->second.empty() ? std::string() : known->second.front();
      }
      finding.parent_in_image = depth > 0;
      return finding;
    }
    prefix += part + places.separator;
    for (std::string& directory : directories) {
      directory += "/" + part;
    }
  }
  finding.in_image = true;
  finding.parent_in_image = true;
  return finding;
}

std::string describe(const ModuleFinding& finding, std::string_view noun, std::string_view module) {
  const std::string name = base::printable(module, kMaxNameBytes);
  if (finding.in_image) {
    return fmt::format("the image has the {} '{}', but loading it failed", noun, name);
  }
  std::string text = fmt::format("the image has no {} '{}'", noun, name);
  if (!finding.import_as.empty()) {
    return text + fmt::format("; here it is called '{}'", finding.import_as);
  }
  if (!finding.installed_as.empty()) {
    text += fmt::format(" (package {})", finding.installed_as);
  }
  if (!finding.similar.empty()) {
    text += fmt::format("; similar {}s it has: {}", noun, fmt::join(finding.similar, ", "));
  }
  return text;
}

std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit) {
  const std::size_t difference = left.size() > right.size() ? left.size() - right.size() : right.size() - left.size();
  if (difference > limit || left.size() > kMaxNameBytes || right.size() > kMaxNameBytes) {
    return limit + 1;
  }
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t column = 0; column <= right.size(); ++column) {
    previous[column] = column;
  }
  for (std::size_t row = 1; row <= left.size(); ++row) {
    current[0] = row;
    for (std::size_t column = 1; column <= right.size(); ++column) {
      const std::size_t replace = previous[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1);
      current[column] = std::min({replace, previous[column] + 1, current[column - 1] + 1});
      if (row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]) {
        current[column] = std::min(current[column], before[column - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return std::min(previous[right.size()], limit + 1);
}

}  // namespace glovebox::engine
