#include "policy/source_files.h"

#include <algorithm>
#include <array>
#include <string>

#include "policy/decision.h"

namespace glovebox::policy {
namespace {

struct Ending {
  std::string_view text;
  Syntax syntax;
};
constexpr std::array kEndings = {
    Ending{".py", Syntax::python},      Ending{".js", Syntax::javascript}, Ending{".mjs", Syntax::javascript},
    Ending{".cjs", Syntax::javascript}, Ending{".sh", Syntax::shell},      Ending{".bash", Syntax::shell},
};

// "pkg/part.py" → "pkg/part"
std::string_view without_ending(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.text)) {
      return path.substr(0, path.size() - ending.text.size());
    }
  }
  return path;
}

// Python's dots, and the path of a relative import in JavaScript or a shell.
std::string path_of(std::string_view module) {
  if (module.starts_with("./")) {
    return std::string(without_ending(module.substr(2)));
  }
  std::string path(module);
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

}  // namespace

std::optional<Syntax> syntax_of_file(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.text)) {
      return ending.syntax;
    }
  }
  return std::nullopt;
}

std::string_view language_of(Syntax syntax) {
  switch (syntax) {
    case Syntax::python:
      return "python";
    case Syntax::javascript:
      return "javascript";
    case Syntax::shell:
      return "bash";
  }
  return "";
}

bool is_own_module(const std::vector<SourceFile>& files, std::string_view module) {
  if (files.empty()) {
    return false;
  }
  const std::string path = path_of(module);
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    const std::string_view own = without_ending(file.path);
    return own == path || own == path + "/__init__" || own == path + "/index";
  });
}

}  // namespace glovebox::policy
