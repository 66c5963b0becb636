#include "engine/pool/warm_choice.h"

#include <fnmatch.h>

#include <algorithm>

#include "engine/pool/cell_maker.h"
#include "engine/pool/orders.h"

namespace glovebox::engine {
namespace {

constexpr std::size_t kMaxScanned = 256U << 10U;
constexpr std::size_t kMostNames = 64;  // whoever imports more than that does not do it to be quick

// Memory that a waiting cell holds already, with room to spare: a smaller limit could not be set.
constexpr std::uint64_t kLeastMemory = 16U << 20U;

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }
bool is_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || static_cast<unsigned char>(letter) >= 0x80;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
}

std::string_view take_word(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

void add(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && names.size() < kMostNames && std::find(names.begin(), names.end(), name) == names.end()) {
    names.emplace_back(name);
  }
}

// The rest of a statement after `import`: names with dots and aliases, between commas.
void read_import_list(std::string_view rest, std::vector<std::string>& names) {
  rest = rest.substr(0, rest.find('#'));
  while (!rest.empty() && names.size() < kMostNames) {
    skip_blanks(rest);
    add(names, take_word(rest));
    const std::size_t comma = rest.find(',');
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
}

void read_statement(std::string_view text, std::vector<std::string>& names) {
  skip_blanks(text);
  const std::string_view word = take_word(text);
  if (text.empty() || !is_blank(text.front())) {
    return;
  }
  if (word == "import") {
    read_import_list(text, names);
  } else if (word == "from") {
    skip_blanks(text);
    add(names, take_word(text));
  }
}

bool starts_with_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

bool fits(const contract::RunRequest& request, const LanguageProfile& language) {
  if (request.deterministic) {
    return false;  // what a runtime did while it waited would show
  }
  if (request.limits.memory_bytes < kLeastMemory) {
    return false;
  }
  const contract::Limits standard;
  const WarmProfile& warm = language.warm;
  if (warm.kind == WarmKind::none || (warm.fixed_memory && request.limits.memory_bytes != standard.memory_bytes)) {
    return false;
  }
  if (warm.kind == WarmKind::started &&
      (request.limits.open_files != standard.open_files || request.limits.processes != standard.processes ||
       request.limits.disk_bytes != standard.disk_bytes)) {
    return false;  // resource limits that its runtime has had since its start
  }
  const bool has_blobs = std::any_of(request.files.begin(), request.files.end(), [](const contract::InputFile& file) {
    return std::holds_alternative<contract::BlobRef>(file.content);
  });
  const bool cold_variable = std::any_of(request.env.begin(), request.env.end(), [&](const auto& variable) {
    return starts_with_any(variable.first, warm.cold_env);
  });
  return !has_blobs && !cold_variable && !(request.input_json && language.solve_command.empty()) &&
         orders_of(request).size() <= kMaxOrdersBytes;
}

std::string_view top_level(std::string_view module) { return module.substr(0, module.find('.')); }

// How much a set has of a module: all of it, what it builds on, or nothing.
std::size_t share(const WarmSet& set, std::string_view name) {
  if (std::any_of(set.modules.begin(), set.modules.end(),
                  [&](const std::string& module) { return top_level(module) == name; })) {
    return 2;
  }
  return std::find(set.also_for.begin(), set.also_for.end(), name) != set.also_for.end() ? 1 : 0;
}

// Of the program and of the modules that it brings along.
std::vector<std::string> imported_names(const contract::RunRequest& request, const LanguageProfile& language) {
  std::vector<std::string> names = engine::imported_names(request.code);
  std::size_t left = kMaxScanned - std::min(kMaxScanned, request.code.size());
  for (const contract::InputFile& file : request.files) {
    const std::string* text = std::get_if<std::string>(&file.content);
    const std::string& path = file.path.str();
    const bool is_source = std::any_of(language.extensions.begin(), language.extensions.end(),
                                       [&](const std::string& extension) { return path.ends_with(extension); });
    if (text != nullptr && is_source && text->size() <= left) {
      left -= text->size();
      for (const std::string& name : engine::imported_names(*text)) {
        add(names, name);
      }
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> imported_names(std::string_view code) {
  std::vector<std::string> names;
  code = code.substr(0, kMaxScanned);
  while (!code.empty()) {
    const std::size_t end = code.find_first_of("\n;:");
    read_statement(code.substr(0, end), names);
    code.remove_prefix(end == std::string_view::npos ? code.size() : end + 1);
  }
  return names;
}

std::optional<std::size_t> choose_warm_set(const contract::RunRequest& request, const LanguageProfile& language) {
  if (!fits(request, language)) {
    return std::nullopt;
  }
  const std::vector<WarmSet>& sets = language.warm.sets;
  if (sets.size() <= 1) {
    return 0;
  }
  // The first set is for programs that need nothing of the others.
  const std::vector<std::string> names = imported_names(request, language);
  std::size_t best = 0;
  std::size_t most_found = 0;
  for (std::size_t index = 1; index < sets.size(); ++index) {
    std::size_t found = 0;
    for (const std::string& name : names) {
      found += share(sets[index], name);
    }
    if (found > most_found ||
        (found == most_found && found > 0 && sets[index].modules.size() < sets[best].modules.size())) {
      best = index;
      most_found = found;
    }
  }
  return best;
}

}  // namespace glovebox::engine
