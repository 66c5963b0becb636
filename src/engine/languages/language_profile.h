// A language is one file of data (G6): profiles/languages/<id>.toml.
//
//   id, name, aliases, extensions   what people type, what they read, which files belong to it
//   file_name                       the program's name in the cell: /glovebox/<file_name>, read-only
//   command                         argv; the request's args are appended
//   solve_command                   argv of the solve(input) form; without it the language does not offer that form
//   host_paths                      what the host's image must show beside /usr, read-only and only if it is there
//   [env]                           the whole environment before the request's own additions
//   [[support]] from, to            files that appear below /glovebox: shims, preloads
//   [[requires]] path, package      what the image must have, and the Debian package that brings it
//   [errors] format                 which parser reads stderr of a failed program: python, node, bash, generic
//   [[errors.patterns]]             for generic: RE2 with groups type, message, file, line, column
//   [modules]                       where importable things lie, for "no such module" (module_lookup.h)
//   [deterministic] arguments       for a deterministic run (docs/determinism.md): words behind the command's first,
//   [deterministic.env]             and variables on top of [env]
//   [warm] kind                     how cells wait, loaded, for their program: "zygote" or "started"
//   (docs/warm-cells.md) [warm] command                  argv of the zygote, or of the runtime that waits in its cell
//   [warm] cold_env                 patterns of variables that a runtime reads when it starts: such a run is built cold
//   [warm] fixed_memory             the runtime is told its memory when it starts, so only runs with that limit fit
//   [[warm.support]] from, to       more support files, for the zygote or the waiting runtime
//   [[warm.set]] name, modules      what a zygote has loaded; which one serves a program is decided by its imports
//   [[warm.set]] also_for           modules that are not loaded, but build on these
//   [[warm.set]] rehearsals         little programs; a cell has its own copies of the pages that all of them write to
//
// Commands, arguments and the values of variables may contain {program}, {support}, {input}, {value}, {memory_mib} and
// {heap_mib} (language_command.h). Parsing is strict: an unknown key, a wrong type or a bad name is refused with the
// file, line and column, since a profile decides what runs in a cell.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glovebox::engine {

struct SupportFile {
  std::string from;     // a path beside the profile, or a built-in one such as guest/python/solve.py
  std::string to;       // relative to /glovebox, below support/
  std::string content;  // filled in by the catalogue
  bool operator==(const SupportFile&) const = default;
};

struct Requirement {
  std::string path;     // absolute, in the image
  std::string package;  // Debian package that brings it
  bool operator==(const Requirement&) const = default;
};

enum class ErrorFormat { python, node, bash, generic };

struct ErrorPattern {
  std::string match;  // RE2, multi-line: ^ and $ are the ends of a line
  base::ErrorCode code = base::ErrorCode::runtime_error;
  std::string type;  // when the pattern has no group `type`
  std::string hint;
  bool operator==(const ErrorPattern&) const = default;
};

struct ModulePlaces {
  std::vector<std::string> directories;  // absolute; * matches within one part
  std::string entry;                     // RE2 over a directory entry ("name/" for a directory); group 1 is the module
  std::string separator;                 // between a module and its submodule; empty: there are none
  std::vector<std::string> builtin;      // modules without a file
  std::map<std::string, std::vector<std::string>> known_as;  // module → other names for it
  bool operator==(const ModulePlaces&) const = default;
};

enum class WarmKind { none, zygote, started };

struct WarmSet {
  std::string name;
  std::vector<std::string> modules;
  std::vector<std::string> also_for;  // modules that are not loaded, but would load these
  std::vector<std::string> rehearsals;
  bool operator==(const WarmSet&) const = default;
};

struct WarmProfile {
  WarmKind kind = WarmKind::none;
  std::vector<std::string> command;
  std::vector<std::string> cold_env;
  bool fixed_memory = false;
  std::vector<SupportFile> support;
  std::vector<WarmSet> sets;  // at least one for a zygote
  bool operator==(const WarmProfile&) const = default;
};

struct DeterministicProfile {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> env;
  bool operator==(const DeterministicProfile&) const = default;
};

struct LanguageProfile {
  std::string id;
  std::string name;
  std::vector<std::string> aliases;
  std::vector<std::string> extensions;
  std::string file_name;
  std::vector<std::string> command;
  std::vector<std::string> solve_command;
  std::vector<std::string> host_paths;  // absolute, below /etc
  std::map<std::string, std::string> env;
  std::vector<SupportFile> support;
  std::vector<Requirement> required;  // "requires" in TOML, a keyword in C++
  ErrorFormat error_format = ErrorFormat::generic;
  std::vector<ErrorPattern> error_patterns;
  ModulePlaces modules;
  DeterministicProfile deterministic;
  WarmProfile warm;
  bool operator==(const LanguageProfile&) const = default;
};

// Compiling the patterns of a profile costs as much as the rest of it. Those of the built-in profiles are known to be
// good, held by a test, and are compiled when an error has to be explained.
enum class PatternCheck { compile, trust };

// file_name is for messages only.
[[nodiscard]] base::Result<LanguageProfile> parse_language_profile(std::string_view toml_text,
                                                                   std::string_view file_name,
                                                                   PatternCheck patterns = PatternCheck::compile);
// Lower-case letters, digits, '_', '+', '-', '#'; at most 32. Ids and aliases are such names.
[[nodiscard]] bool is_language_name(std::string_view text);

}  // namespace glovebox::engine
