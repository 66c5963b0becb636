// How every verb parses its flags and prints what went wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/suggestion.h"
#include "cli/verbs.h"

namespace glovebox::cli {

inline constexpr std::size_t kMaxUsageBytes = 1000;

// With the words that were understood: "glovebox keys create".
inline std::string command_of(const CLI::App& app) {
  std::string name = app.get_name();
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return name;
}

// What could have stood where a word was not understood: flags or the words below the last one that was.
inline std::vector<std::string> known_words(const CLI::App& app, bool flags) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
  }
  std::vector<std::string> words;
  for (const CLI::Option* option : at->get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
    }
  }
  if (flags) {
    return words;
  }
  words.clear();
  for (const CLI::App* below : at->get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(below->get_name());
  }
  return words;
}

// nullopt: go on. Otherwise the exit status (help was printed, or a usage error).
inline std::optional<int> parse(CLI::App& app, Arguments arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    // A word that is not known tells more than the one that is missing because of it.
    const std::vector<std::string> unknown = app.remaining(true);
    std::string what = error.what();
    if (!unknown.empty()) {
      const std::string typed = unknown.front().substr(0, unknown.front().find('='));
      what = "there is no \"" + typed + "\" here" + did_you_mean(typed, known_words(app, typed.starts_with("-")));
    }
    const std::string command = command_of(app);
    std::fprintf(stderr, "%s: %s\n  → `%s --help` lists the options\n", command.c_str(),
                 base::printable(what, kMaxUsageBytes).c_str(), command.c_str());
    return kExitUsage;
  }
  return std::nullopt;
}

inline int report(const base::Error& error) {
  // It may quote a record or a request, and neither may speak to the terminal.
  std::fprintf(stderr, "glovebox: %s\n", base::sanitize_output(base::describe(error)).c_str());
  return kExitOurs;
}

}  // namespace glovebox::cli
