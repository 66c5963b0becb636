// The zero set-up image: the host's own /usr, read-only, and the few files of /etc that a runtime needs (I4).
//
// Nothing else of the host is visible in a cell. The digest covers the list of installed packages and the metadata
// (path, type, mode, size, modification time, link target) of every file below /usr. It takes a second or two on a full
// system, so it is computed once and cached beside a cheap key (image_key.h), for a day at most. A process that lives
// longer keeps the digest that it started with.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launcher/cell_spec.h"

namespace glovebox::engine {

struct Image {
  std::string name = "host";
  std::string digest;              // sha256:…
  std::vector<RootEntry> entries;  // for the root of a cell, parents first
};

// `cache_directory` may be empty: then nothing is cached.
[[nodiscard]] base::Result<Image> open_host_image(const std::string& cache_directory);

// What a language wants of the host's /etc, read-only; what is not there is left out. Follows the image's own entries.
[[nodiscard]] std::vector<RootEntry> show_host_paths(const std::vector<std::string>& paths);

}  // namespace glovebox::engine
