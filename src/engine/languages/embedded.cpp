#include "engine/languages/embedded.h"

#include <algorithm>

namespace glovebox::engine {

const base::EmbeddedFile* find_embedded_file(std::string_view path) {
  const auto files = embedded_language_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const base::EmbeddedFile& each) { return each.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace glovebox::engine
