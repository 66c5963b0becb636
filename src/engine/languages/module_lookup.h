// "No module named x": is it in the image, and what is there instead? (X1)
//
// Looks at the image's directories only at the moment an import has failed, reads names and never contents, and is
// bounded in directories, entries and depth. The profile says where modules lie and how a directory entry becomes a
// module's name; for a shell the modules are commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/languages/language_profile.h"

namespace glovebox::engine {

struct ModuleFinding {
  bool in_image = false;             // the module itself
  bool parent_in_image = false;      // for a.b: the package a
  std::vector<std::string> similar;  // at most three, nearest first, all in the image
  std::string import_as;             // the name it has here, when the program used another name of it
  std::string installed_as;          // the package that would bring it, where that has another name
  bool operator==(const ModuleFinding&) const = default;
};

class ModuleLookup {
 public:
  // image_root is the image's root directory as this process sees it.
  explicit ModuleLookup(std::string image_root = "/") : image_root_(std::move(image_root)) {}

  [[nodiscard]] ModuleFinding look_up(const LanguageProfile& profile, std::string_view module) const;

 private:
  std::string image_root_;
};

// "the image has no module 'pandsa'; similar modules it has: pandas". `noun` is "module", "package" or "command".
[[nodiscard]] std::string describe(const ModuleFinding& finding, std::string_view noun, std::string_view module);

// Insertions, deletions, replacements and swaps of neighbours; anything above `limit` counts as limit + 1.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit);

}  // namespace glovebox::engine
