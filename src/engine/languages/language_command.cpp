#include "engine/languages/language_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace glovebox::engine {
namespace {

constexpr std::uint64_t kMib = 1ULL << 20U;

// A managed heap beside the runtime's own memory: three quarters of the limit, and never less than a start needs.
std::uint64_t heap_mib(std::uint64_t memory_bytes) { return std::max<std::uint64_t>(16, memory_bytes / kMib * 3 / 4); }

std::string fill_in(const LanguageProfile& profile, std::uint64_t memory_bytes, std::string_view text) {
  if (text.find('{') == std::string_view::npos) {
    return std::string(text);
  }
  const std::array<std::pair<std::string_view, std::string>, 6> places = {{
      {"{program}", program_path(profile)},
      {"{support}", std::string(kSupportDirectory)},
      {"{input}", std::string(kSolveInputPath)},
      {"{value}", std::string(kSolveValuePath)},
      {"{memory_mib}", std::to_string(memory_bytes / kMib)},
      {"{heap_mib}", std::to_string(heap_mib(memory_bytes))},
  }};
  std::string filled;
  while (!text.empty()) {
    const auto place =
        std::find_if(places.begin(), places.end(), [&](const auto& each) { return text.starts_with(each.first); });
    if (place != places.end()) {
      filled += place->second;
      text.remove_prefix(place->first.size());
    } else {
      filled += text.front();
      text.remove_prefix(1);
    }
  }
  return filled;
}

}  // namespace

std::string program_path(const LanguageProfile& profile) {
  return fmt::format("{}/{}", kProgramDirectory, profile.file_name);
}

base::Result<std::vector<std::string>> command_line(const LanguageProfile& profile, ProgramForm form,
                                                    std::uint64_t memory_bytes, const std::vector<std::string>& args,
                                                    Repeatability repeatability) {
  const std::vector<std::string>& words = form == ProgramForm::solve ? profile.solve_command : profile.command;
  if (words.empty()) {
    return base::fail(
        base::make_error(base::ErrorCode::unsupported, fmt::format("{} has no solve(input) form", profile.name))
            .with_field("input")
            .with_hint("leave out \"input\" and pass the data as a file or on standard input"));
  }
  std::vector<std::string> command = fill_in_command(profile, words, memory_bytes);
  if (repeatability == Repeatability::deterministic) {
    const auto more = fill_in_command(profile, profile.deterministic.arguments, memory_bytes);
    command.insert(command.begin() + 1, more.begin(), more.end());
  }
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

std::vector<std::string> fill_in_command(const LanguageProfile& profile, const std::vector<std::string>& words,
                                         std::uint64_t memory_bytes) {
  std::vector<std::string> filled;
  filled.reserve(words.size());
  for (const std::string& word : words) {
    filled.push_back(fill_in(profile, memory_bytes, word));
  }
  return filled;
}

std::map<std::string, std::string> environment(const LanguageProfile& profile, std::uint64_t memory_bytes,
                                               Repeatability repeatability) {
  std::map<std::string, std::string> variables;
  if (repeatability == Repeatability::deterministic) {
    for (const auto& [name, value] : profile.deterministic.env) {
      variables.emplace(name, fill_in(profile, memory_bytes, value));
    }
  }
  for (const auto& [name, value] : profile.env) {
    variables.emplace(name, fill_in(profile, memory_bytes, value));
  }
  return variables;
}

base::Status check_requirements(const LanguageProfile& profile, std::string_view image_root) {
  for (const Requirement& need : profile.required) {
    const std::string path = (image_root == "/" ? std::string() : std::string(image_root)) + need.path;
    // A link is enough: in an image that is not mounted, an absolute one points outside of it.
    std::array<char, 1> target{};
    if (::access(path.c_str(), F_OK) != 0 && ::readlink(path.c_str(), target.data(), target.size()) < 0) {
      return base::fail(base::make_error(base::ErrorCode::image_unavailable,
                                         fmt::format("{} is missing: the image has no {}", need.package, need.path))
                            .with_field("language")
                            .with_hint(fmt::format("apt-get install {}", need.package)));
    }
  }
  return {};
}

}  // namespace glovebox::engine
