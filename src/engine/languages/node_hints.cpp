// Advice on Node's errors.
#include <fmt/format.h>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/hint_rules.h"

namespace glovebox::engine {
namespace {

constexpr std::array kNodeMessages = {
    HintRule{"is not a function", "the value called is no function; check the name and what was imported"},
    HintRule{"Assignment to constant variable", "declare the variable with let instead of const"},
    HintRule{"is not iterable", "the value is no array or other iterable; check where it comes from"},
    HintRule{"Maximum call stack size", "the recursion never ends or is too deep; check its base case or use a loop"},
    HintRule{"Invalid array length", "an array length is negative or too large; check how it is computed"},
    HintRule{"Cannot use import statement outside a module", "do not mix import with require; use one of them"},
    HintRule{"not defined in ES module scope",
             "the program uses import, so require is not there; use import everywhere"},
    HintRule{"before initialization", "the variable is used above its declaration; move the declaration up"},
    HintRule{"is only valid in async functions", "make the function that contains the await async"},
    HintRule{"has already been declared",
             "the name is declared twice; rename one, or assign without declaring it again"},
    HintRule{"Unexpected end of input", "a bracket or quote is never closed; look for a missing } or ) before the end"},
    HintRule{"Cannot mix BigInt", "convert one of them: BigInt(…) or Number(…)"},
    HintRule{"All promises were rejected", "every promise of Promise.any failed; mend each of those listed"},
    HintRule{"JSON", "the text is not JSON; print its beginning before parsing"},
};

constexpr std::array kNodeTypes = {
    HintRule{"SyntaxError", "the text is not JavaScript at the place given; mend that line or the one before it"},
    HintRule{"TypeError", "a value has another type than the operation needs; check it at the place given"},
    HintRule{"RangeError", "a number lies outside of what is allowed; check it at the place given"},
    HintRule{"AssertionError", "an assertion of the program does not hold; print the values it compares"},
    HintRule{
        "UnhandledPromiseRejection",
        "a promise was rejected with something that is no Error; reject with new Error(…) and await it in try/catch"},
};

// Names that only a browser has.
constexpr std::array<std::string_view, 8> kBrowserNames = {"document", "window", "localStorage", "sessionStorage",
                                                           "alert",    "prompt", "location",     "XMLHttpRequest"};

// Types behind a colon, as generated programs write them.
constexpr std::array<std::string_view, 12> kTypeScript = {": number",  ": string",   ": boolean",  ": any",
                                                          ": void",    ": unknown",  ": Promise<", ": Array<",
                                                          ": Record<", "interface ", "enum ",      " as const"};

bool looks_like_typescript(std::string_view line) {
  return std::any_of(kTypeScript.begin(), kTypeScript.end(),
                     [&](std::string_view part) { return line.find(part) != std::string_view::npos; });
}

std::string hint_for_undefined_name(std::string_view name) {
  if (std::find(kBrowserNames.begin(), kBrowserNames.end(), name) != kBrowserNames.end()) {
    return fmt::format("'{}' is of the browser; this is Node without one, so do it without", name);
  }
  return fmt::format("'{}' is not defined; declare or require it, or check the spelling",
                     base::printable(name, kMaxHintedNameBytes));
}

}  // namespace

std::string hint_for_node(const FailedProgram& failed, std::string_view type, std::string_view message) {
  if (const std::string_view name = between(message, "(reading '", "'"); !name.empty()) {
    return fmt::format("the value before .{} is missing; check that it is set, or use ?.",
                       base::printable(name, kMaxHintedNameBytes));
  }
  if (std::string solve = hint_for_solve(message); !solve.empty()) {
    return solve;
  }
  if (const std::string_view known = find_part(kNodeMessages, message); !known.empty()) {
    return std::string(known);
  }
  if (type == "ReferenceError") {
    return hint_for_undefined_name(message.substr(0, message.find(' ')));
  }
  if (std::string system = hint_for_system_error(failed, message); !system.empty()) {
    return system;
  }
  return std::string(find_same(kNodeTypes, type));
}

std::string hint_for_node_syntax(std::string_view line) {
  return looks_like_typescript(line) ? "the program looks like TypeScript; send plain JavaScript, without types" : "";
}

}  // namespace glovebox::engine
