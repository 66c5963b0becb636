#include "policy/node_resolution.h"

#include <linux/limits.h>

#include <algorithm>
#include <vector>

#include "contract/json_parse.h"
#include "policy/decision.h"
#include "policy/source_files.h"

namespace glovebox::policy {
namespace {

constexpr std::string_view kPackageFile = "package.json";
constexpr std::size_t kMaxPackageBytes = std::size_t{256} << 10U;

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string join(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder).append("/").append(name);
}

// "sub" and "../x/./y" → "x/y"; nothing: it leads out of the work directory, or is longer than any path.
std::optional<std::string> resolve_path(std::string_view folder, std::string_view relative) {
  if (folder.size() + relative.size() >= PATH_MAX) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts;
  const std::string whole = join(folder, relative);
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part.empty() || part == ".") {
      continue;
    }
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string result;
  for (const std::string_view part : parts) {
    result.append(result.empty() ? "" : "/").append(part);
  }
  return result;
}

bool exists(const PolicyQuestion& question, std::string_view path) {
  return std::find(question.paths.begin(), question.paths.end(), path) != question.paths.end();
}

bool is_judged_or_data(std::string_view path) {
  return syntax_of_file(path) == Syntax::javascript || path.ends_with(".json");
}

std::optional<std::string> find_file(const PolicyQuestion& question, const std::string& path) {
  for (const std::string_view ending : {"", ".js", ".json", ".node"}) {
    if (std::string candidate = path + std::string(ending); exists(question, candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_index(const PolicyQuestion& question, const std::string& folder) {
  for (const std::string_view name : {"index.js", "index.json", "index.node"}) {
    if (std::string candidate = join(folder, name); exists(question, candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<contract::JsonValue> parse_package(std::optional<std::string_view> text) {
  if (!text || text->size() > kMaxPackageBytes) {
    return std::nullopt;
  }
  auto parsed = contract::parse_json(*text, {});
  if (!parsed || parsed->kind != contract::JsonValue::Kind::object) {
    return std::nullopt;
  }
  return std::move(*parsed);
}

const contract::JsonValue* member_of(const contract::JsonValue& object, std::string_view key) {
  const auto found = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const contract::JsonMember& each) { return each.key == key; });
  return found == object.members.end() ? nullptr : &found->value;
}

// What package.json says is the folder's main file; nothing: Node goes on to index.js.
std::optional<std::string> find_main(const PolicyQuestion& question, const std::string& folder,
                                     const contract::JsonValue& package) {
  const contract::JsonValue* main = member_of(package, "main");
  if (main == nullptr || main->kind != contract::JsonValue::Kind::string || main->text.empty()) {
    return std::nullopt;
  }
  const auto path = resolve_path(folder, main->text);
  if (!path || main->text.starts_with('/')) {
    return main->text;  // outside of what is judged
  }
  const auto file = find_file(question, *path);
  return file ? file : find_index(question, *path);
}

// The file that is loaded from a folder; nothing: none, or nobody knows.
std::optional<std::string> find_in_folder(const PolicyQuestion& question, const std::string& folder) {
  const std::string package_path = join(folder, kPackageFile);
  if (exists(question, package_path)) {
    const auto file = std::find_if(question.packages.begin(), question.packages.end(),
                                   [&](const SourceFile& each) { return each.path == package_path; });
    const auto package = file == question.packages.end() ? std::nullopt : parse_package(file->text);
    if (!package) {
      return std::nullopt;
    }
    if (auto main = find_main(question, folder, *package)) {
      return main;
    }
  }
  return find_index(question, folder);
}

// Every text in "exports" or "imports" is something that may be loaded; so is what nobody had time to follow.
bool leads_elsewhere(const PolicyQuestion& question, std::string_view folder, const contract::JsonValue& targets,
                     std::chrono::steady_clock::time_point deadline) {
  std::vector<const contract::JsonValue*> todo = {&targets};
  while (!todo.empty()) {
    const contract::JsonValue& each = *todo.back();
    todo.pop_back();
    if (each.kind == contract::JsonValue::Kind::string) {
      const auto path = each.text.starts_with("./") ? resolve_path(folder, each.text) : std::nullopt;
      if (!path || !exists(question, *path) || !is_judged_or_data(*path) ||
          std::chrono::steady_clock::now() > deadline) {
        return true;
      }
    }
    for (const contract::JsonMember& member : each.members) {
      todo.push_back(&member.value);
    }
  }
  return false;
}

}  // namespace

bool is_package_file(std::string_view path) {
  return path == kPackageFile || path.ends_with("/" + std::string(kPackageFile));
}

bool is_own_node_module(const PolicyQuestion& question, std::string_view module, std::string_view from) {
  // Without a dot it is a module of Node's own, or of whoever put it into one of Node's folders.
  if (!module.starts_with("./") && !module.starts_with("../")) {
    return false;
  }
  const auto path = resolve_path(folder_of(from), module);
  if (!path) {
    return false;
  }
  auto loaded = module.ends_with('/') ? std::nullopt : find_file(question, *path);
  if (!loaded) {
    loaded = find_in_folder(question, *path);
  }
  return loaded && exists(question, *loaded) && is_judged_or_data(*loaded);
}

std::optional<std::string> find_redirection(const PolicyQuestion& question, std::string_view path,
                                            std::optional<std::string_view> text,
                                            std::chrono::steady_clock::time_point deadline) {
  if (std::chrono::steady_clock::now() > deadline) {
    return "nobody had time to read it, and it may say what Node loads";
  }
  const auto package = parse_package(text);
  if (!package) {
    return "it cannot be read, and it may say what Node loads";
  }
  const std::string folder(folder_of(path));
  if (const auto main = find_main(question, folder, *package);
      main && (!exists(question, *main) || !is_judged_or_data(*main))) {
    return "its \"main\" leads to something that is not read";
  }
  for (const std::string_view key : {"exports", "imports"}) {
    const contract::JsonValue* targets = member_of(*package, key);
    if (targets != nullptr && leads_elsewhere(question, folder, *targets, deadline)) {
      return "its \"" + std::string(key) + "\" lead to something that is not read";
    }
  }
  return std::nullopt;
}

}  // namespace glovebox::policy
