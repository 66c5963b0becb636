#include "verification/absence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace glovebox::verification {
namespace {

constexpr std::size_t kMostRefusals = 32;  // of the engine; what is beyond is told without its name
constexpr std::size_t kLongPath = 200;     // likewise: a longer one is cut
constexpr std::string_view kLayer = "artifacts";
constexpr std::string_view kPrefix = "artifact ";
constexpr std::string_view kEllipsis = "…";

bool is_beneath(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

// Whether what was not collected is at the path, on the way to it, or below it. Names are compared as they are shown.
bool concerns(const contract::Denial& denial, const std::string& path) {
  std::string_view shown = denial.what;
  if (denial.layer != kLayer || !shown.starts_with(kPrefix)) {
    return denial.layer == kLayer;  // one without a name may be any
  }
  shown.remove_prefix(kPrefix.size());
  const std::string wanted = base::printable(path, path.size() * 4);
  if (shown.ends_with(kEllipsis)) {
    shown.remove_suffix(kEllipsis.size());
    return wanted.starts_with(shown) || is_beneath(shown, wanted);
  }
  if (shown.ends_with('/')) {
    shown.remove_suffix(1);
  }
  return shown.empty() || shown == wanted || is_beneath(wanted, shown) || is_beneath(shown, wanted);
}

}  // namespace

std::string presence_at(const std::string& path, const contract::RunRequest& request, const contract::RunResult& result,
                        const WorkLeft& left) {
  const auto there = [&](std::string_view other) { return other == path || is_beneath(other, path); };
  for (const contract::InputFile& file : request.files) {
    if (there(file.path.str()) && std::holds_alternative<contract::BlobRef>(file.content)) {
      return fmt::format("must not be there, and the request itself puts {} there, read-only",
                         base::printable(file.path.str(), kLongPath));
    }
  }
  if (const auto kept = std::find_if(left.kept_inputs.begin(), left.kept_inputs.end(), there);
      kept != left.kept_inputs.end()) {
    return fmt::format("must not be there, and the input file {} still is", base::printable(*kept, kLongPath));
  }
  if (const auto made = std::find_if(left.written.begin(), left.written.end(), there); made != left.written.end()) {
    return *made == path
               ? "must not be there, and is"
               : fmt::format("must not be there, and is a directory with {} in it", base::printable(*made, kLongPath));
  }
  std::size_t refusals = 0;
  for (const contract::Denial& denial : result.denials) {
    refusals += denial.layer == kLayer ? 1 : 0;
    if (concerns(denial, path)) {
      return fmt::format("it cannot be said that nothing is there: {}: {}", denial.what, denial.target);
    }
  }
  if (refusals >= kMostRefusals) {
    return "it cannot be said that nothing is there: too much was not collected to name all of it";
  }
  return left.unknown.empty() ? "" : fmt::format("it cannot be said that nothing is there: {}", left.unknown);
}

std::vector<std::string> parents_of(const std::string& path) {
  std::vector<std::string> parents;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    parents.push_back(path.substr(0, slash));
  }
  return parents;
}

}  // namespace glovebox::verification
