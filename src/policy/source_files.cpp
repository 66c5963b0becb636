#include "policy/source_files.h"

#include <algorithm>
#include <array>
#include <string>

#include "policy/decision.h"
#include "policy/node_resolution.h"
#include "policy/reading/python_modules.h"

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

constexpr std::array<std::string_view, 10> kOpaqueEndings = {".pyc",  ".pyo",  ".pyw", ".so",  ".pyd",
                                                             ".node", ".wasm", ".ts",  ".mts", ".cts"};

// "pkg/part.py" → "pkg/part", if the file is one of this language.
std::optional<std::string_view> without_ending(std::string_view path, Syntax syntax) {
  for (const Ending& ending : kEndings) {
    if (ending.syntax == syntax && path.ends_with(ending.text)) {
      return path.substr(0, path.size() - ending.text.size());
    }
  }
  return std::nullopt;
}

bool is_python_module(std::string_view module) {
  const auto& names = python_module_names();
  return std::binary_search(names.begin(), names.end(), module.substr(0, module.find('.')));
}

bool is_own_python_module(const std::vector<SourceFile>& files, std::string_view module) {
  if (is_python_module(module)) {
    return false;
  }
  std::string path(module);
  std::replace(path.begin(), path.end(), '.', '/');
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    const auto own = without_ending(file.path, Syntax::python);
    return own && (*own == path || *own == path + "/__init__");
  });
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

bool is_opaque_code(std::string_view path) {
  return std::any_of(kOpaqueEndings.begin(), kOpaqueEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

bool is_own_module(const PolicyQuestion& question, Syntax syntax, std::string_view module, std::string_view from) {
  switch (syntax) {
    case Syntax::python:
      return is_own_python_module(question.files, module);
    case Syntax::javascript:
      return is_own_node_module(question, module, from);
    case Syntax::shell:
      break;
  }
  // Without "./" a shell looks for it elsewhere first.
  return module.starts_with("./") && syntax_of_file(module) == Syntax::shell &&
         std::any_of(question.files.begin(), question.files.end(),
                     [&](const SourceFile& file) { return file.path == module.substr(2); });
}

}  // namespace glovebox::policy
