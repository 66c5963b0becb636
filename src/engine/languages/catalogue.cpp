#include "engine/languages/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/utf8.h"
#include "engine/languages/embedded.h"

namespace glovebox::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltInDirectory = "profiles/languages/";
constexpr std::string_view kEnding = ".toml";
constexpr std::size_t kMaxFileBytes = 1U << 20U;
constexpr std::size_t kMaxFilesPerDirectory = 256;

base::Result<std::string> read_file(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) {
    return base::fail(base::ErrorCode::invalid_request, fmt::format("{}: not a regular file", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) {
    return base::fail(base::ErrorCode::invalid_request, fmt::format("{}: cannot be read", path));
  }
  if (text.size() > kMaxFileBytes) {
    return base::fail(base::ErrorCode::invalid_request, fmt::format("{}: larger than {} bytes", path, kMaxFileBytes));
  }
  return text;
}

// "python" for profiles/languages/python.toml, empty for other files.
std::string_view built_in_id(const base::EmbeddedFile& file) {
  if (!file.path.starts_with(kBuiltInDirectory) || !file.path.ends_with(kEnding)) {
    return {};
  }
  return file.path.substr(kBuiltInDirectory.size(), file.path.size() - kBuiltInDirectory.size() - kEnding.size());
}

// Whether the built-in profile lists `word` under `key`. The built-in files keep such a list on one line, which a
// test holds, so three lines are searched where parsing three files would cost a start-up its time.
bool built_in_lists(std::string_view text, std::string_view key, std::string_view word) {
  const std::size_t start = text.find(fmt::format("\n{} = [", key));
  if (start == std::string_view::npos) {
    return false;
  }
  const std::string_view line = text.substr(start + 1, text.find('\n', start + 1) - start - 1);
  return line.find(fmt::format("\"{}\"", word)) != std::string_view::npos;
}

base::Status fill(SupportFile& file, const std::string& profile_name, const fs::path& directory) {
  std::error_code failure;
  const std::string beside = (directory / file.from).string();
  if (!directory.empty() && fs::exists(beside, failure)) {
    file.content = TRY(read_file(beside));
  } else if (const base::EmbeddedFile* built_in = find_embedded_file(file.from)) {
    file.content = built_in->text;
  } else {
    return base::fail(base::ErrorCode::invalid_request,
                      fmt::format("{}: there is no support file {}", profile_name, file.from));
  }
  return {};
}

// Without a directory: a built-in profile. Support files lie beside the profile; a name that is not there may be one of
// the built-in ones.
base::Result<LanguageProfile> load(std::string_view text, const std::string& file_name, const fs::path& directory) {
  const PatternCheck patterns = directory.empty() ? PatternCheck::trust : PatternCheck::compile;
  LanguageProfile profile = TRY(parse_language_profile(text, file_name, patterns));
  if (profile.id != fs::path(file_name).stem().string()) {
    return base::fail(base::ErrorCode::invalid_request, fmt::format("{}: the id is '{}', so the file has to be {}.toml",
                                                                    file_name, profile.id, profile.id));
  }
  for (std::vector<SupportFile>* files : {&profile.support, &profile.warm.support}) {
    for (SupportFile& file : *files) {
      TRY_STATUS(fill(file, file_name, directory));
    }
  }
  return profile;
}

base::Result<LanguageProfile> load_from(const fs::path& path) {
  const std::string text = TRY(read_file(path.string()));
  return load(text, path.string(), path.parent_path());
}

// The profiles of one directory, in a stable order; none when it does not exist.
std::vector<fs::path> profiles_in(const std::string& directory) {
  std::vector<fs::path> found;
  std::error_code failure;
  fs::directory_iterator each(directory, failure);
  for (; !failure && each != fs::directory_iterator() && found.size() < kMaxFilesPerDirectory;
       each.increment(failure)) {
    if (each->path().extension() == kEnding && is_language_name(each->path().stem().string())) {
      found.push_back(each->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

base::Result<LanguageProfile> LanguageCatalogue::find(std::string_view id_or_alias) const {
  std::string unreadable;
  if (is_language_name(id_or_alias)) {
    const std::string file_name = std::string(id_or_alias) + std::string(kEnding);
    for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory) {
      std::error_code failure;
      if (const fs::path path = fs::path(*directory) / file_name; fs::exists(path, failure)) {
        return load_from(path);
      }
    }
    if (const base::EmbeddedFile* file = find_embedded_file(fmt::format("{}{}", kBuiltInDirectory, file_name))) {
      return load(file->text, file_name, {});
    }
    for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory) {
      for (const fs::path& path : profiles_in(*directory)) {
        base::Result<LanguageProfile> profile = load_from(path);
        if (profile.has_value() && contains(profile->aliases, id_or_alias)) {
          return profile;
        }
        if (!profile.has_value() && unreadable.empty()) {
          unreadable = profile.error().message;
        }
      }
    }
    for (const base::EmbeddedFile& file : embedded_language_files()) {
      if (!built_in_id(file).empty() && built_in_lists(file.text, "aliases", id_or_alias)) {
        return find(built_in_id(file));  // a directory may override what the alias stands for
      }
    }
  }
  base::Error error = base::make_error(
      base::ErrorCode::unsupported,
      fmt::format("unknown language '{}'; known: {}", base::printable(id_or_alias, 64), fmt::join(ids(), ", ")));
  error.field = "language";
  error.hint = unreadable.empty() ? "name one of the known languages, or add a profile <id>.toml"
                                  : fmt::format("a profile could not be read: {}", unreadable);
  return base::fail(std::move(error));
}

std::optional<std::string> LanguageCatalogue::language_of_file(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) {
    return std::nullopt;
  }
  const std::string_view extension = name.substr(dot);
  if (extension.find('"') != std::string_view::npos) {
    return std::nullopt;
  }
  for (auto directory = directories_.rbegin(); directory != directories_.rend(); ++directory) {
    for (const fs::path& profile_path : profiles_in(*directory)) {
      const auto profile = load_from(profile_path);
      if (profile.has_value() && contains(profile->extensions, extension)) {
        return profile->id;
      }
    }
  }
  for (const base::EmbeddedFile& file : embedded_language_files()) {
    if (!built_in_id(file).empty() && built_in_lists(file.text, "extensions", extension)) {
      return std::string(built_in_id(file));
    }
  }
  return std::nullopt;
}

std::vector<std::string> LanguageCatalogue::ids() const {
  std::set<std::string> all;
  for (const base::EmbeddedFile& file : embedded_language_files()) {
    if (!built_in_id(file).empty()) {
      all.emplace(built_in_id(file));
    }
  }
  for (const std::string& directory : directories_) {
    for (const fs::path& path : profiles_in(directory)) {
      all.insert(path.stem().string());
    }
  }
  return {all.begin(), all.end()};
}

std::vector<std::string> default_language_directories() {
  std::vector<std::string> directories = {"/etc/glovebox/languages"};
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && config[0] == '/') {
    directories.push_back(fmt::format("{}/glovebox/languages", config));
  } else if (home != nullptr && home[0] == '/') {
    directories.push_back(fmt::format("{}/.config/glovebox/languages", home));
  }
  return directories;
}

}  // namespace glovebox::engine
