// Directories and files below a data directory, made by its owner or by root at the owner's place.
//
// What root makes there belongs to the owner of the directory that it is made in: a service that runs as somebody else
// must be able to use what a command of root left. That owner may be hostile, so everything goes by descriptors: no
// link is followed, and nothing is given away but what was just made, to whom the directory around it belongs.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace glovebox::os {

// Opens `below` (one or more names, none of them a link) in `root`, making what is missing with mode 0700. The
// descriptor is for names in it (O_PATH).
[[nodiscard]] base::Result<base::Fd> open_private_directory(const std::string& root, std::string_view below);

// A new file of mode 0600, named `prefix` and six random characters; `name` becomes that.
[[nodiscard]] base::Result<base::Fd> create_private_file(int directory, std::string_view prefix, std::string& name);

// Opens a file for reading and writing, and makes an empty one of mode 0600 if there is none. Never through a link.
[[nodiscard]] base::Result<base::Fd> open_private_file(const std::string& directory, const std::string& name);

// As root: gives what we just made to the owner of the directory that it is in.
void give_to_owner(int made, int directory);
void give_to_owner(int made, const std::string& directory);

}  // namespace glovebox::os
