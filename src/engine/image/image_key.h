// A cheap sign that the image has changed, so that its digest has to be computed again.
//
// It is asked for at every start, so it may look at a few hundred directories and no more: those where packages and
// programs are installed, and each package's own one. A directory changes when a name in it comes, goes or is replaced,
// which is how package managers work. What it does not see: a file that is written in place, and names that come and go
// deeper inside of a package or elsewhere. A digest is not believed for longer than a day for that reason.
#pragma once

#include <string>

namespace glovebox::engine {

// `tree` is /usr, or what looks like it.
[[nodiscard]] std::string image_key(const std::string& package_list, const std::string& tree);

}  // namespace glovebox::engine
