// What the flags of several verbs have in common.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace glovebox::cli {

// A name that is there and empty is a variable that was not set in somebody's script, and no wish for the default.
inline CLI::Validator not_empty() {
  return {[](std::string& given) { return given.empty() ? std::string("must not be empty") : std::string(); }, ""};
}

}  // namespace glovebox::cli
