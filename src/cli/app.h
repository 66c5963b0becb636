// How every verb parses its flags and prints what went wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/verbs.h"

namespace glovebox::cli {

// nullopt: go on. Otherwise the exit status (help was printed, or a usage error).
inline std::optional<int> parse(CLI::App& app, Arguments arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s\n  → `%s --help` lists the options\n", app.get_name().c_str(), error.what(),
                 app.get_name().c_str());
    return kExitUsage;
  }
  return std::nullopt;
}

inline int report(const base::Error& error) {
  std::fprintf(stderr, "glovebox: %s\n", base::describe(error).c_str());
  return kExitOurs;
}

}  // namespace glovebox::cli
