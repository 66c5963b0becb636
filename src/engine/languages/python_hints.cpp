// Advice on Python's errors.
#include <fmt/format.h>

#include "base/utf8.h"
#include "engine/languages/error_hints.h"
#include "engine/languages/hint_rules.h"

namespace glovebox::engine {
namespace {

constexpr std::string_view kShapeHint =
    "shapes or lengths do not agree; print .shape (or len) of both values before this line";

// What a message says is more than what its type says.
constexpr std::array kPythonMessages = {
    HintRule{"'NoneType' object",
             "a value is None: what made it found nothing, or returns nothing; test it for None before this line"},
    HintRule{"'coroutine'", "a coroutine was not awaited; write await before the call, inside of an async function"},
    HintRule{"positional argument", "the call does not fit the function; pass exactly the arguments that it takes"},
    HintRule{"unexpected keyword argument", "the function has no argument of this name; check its signature"},
    HintRule{"can only concatenate str", "convert the other value with str(…), or use an f-string"},
    HintRule{"is not JSON serializable", "convert the value to plain data first, or pass default=str to json.dumps"},
    HintRule{"could not be broadcast", kShapeHint},
    HintRule{"mismatch in its core dimension", kShapeHint},
    HintRule{"must have same first dimension", kShapeHint},
    HintRule{"must be of the same length", kShapeHint},
    HintRule{"does not match length of index", kShapeHint},
    HintRule{"inconsistent numbers of samples", kShapeHint},
    HintRule{"not aligned", kShapeHint},
    HintRule{"Cannot convert non-finite values",
             "there are missing values; use fillna() or dropna() before converting"},
    HintRule{"cannot convert float NaN to integer",
             "there are missing values; use fillna() or dropna() before converting"},
    HintRule{"contains NaN", "there are missing values; use fillna() or dropna() first"},
    HintRule{"No columns to parse from file", "the file is empty; check that it was given with its content"},
    HintRule{"does not match format",
             "the text is not in this format; print it, and write the format as it stands there"},
    HintRule{"truth value of a", "a whole column or array was used as a condition; use .any(), .all() or & and |"},
    HintRule{"values to unpack", "a row has another number of values than names; print it before this line"},
};

constexpr std::array kSyntaxMessages = {
    HintRule{"invalid character", "the character only looks like code; use plain quotes, dashes and spaces"},
    HintRule{"invalid non-printable character", "an invisible character stands there; use plain spaces"},
    HintRule{"'return' outside function",
             "there is nothing to return to here; print the value, or put the code into a function"},
    HintRule{"'await' outside", "put it into async def main() and call asyncio.run(main())"},
    HintRule{"Missing parentheses in call to", "this is Python 3; write it as a call: print(…)"},
    HintRule{"Maybe you meant '=='", "= assigns; compare with =="},
    HintRule{"was never closed", "close the bracket that is opened at the place given"},
    HintRule{"unmatched", "the bracket at the place given closes nothing; remove it, or open one"},
    HintRule{"does not match opening", "the brackets are closed in another order than they were opened"},
    HintRule{"unterminated string", "close the quote on its line, or use triple quotes"},
    HintRule{"unterminated triple-quoted", "the triple quote opened at the place given is never closed"},
    HintRule{"expected ':'", "the line that opens a block ends with a colon"},
    HintRule{"forgot a comma", "a comma or an operator is missing between two values on this line"},
};

constexpr std::array kPythonTypes = {
    HintRule{"IndexError", "an index lies outside of the list; check its length before the access"},
    HintRule{"ZeroDivisionError", "a divisor is zero; handle the empty or zero case before dividing"},
    HintRule{"RecursionError", "the recursion never ends or is too deep; check its base case or use a loop"},
    HintRule{"MemoryError", "one allocation was larger than the memory there is; work in smaller pieces"},
    HintRule{"UnicodeDecodeError",
             "the bytes are not in the expected encoding; open the file with its encoding= or errors=\"replace\""},
    HintRule{"UnicodeEncodeError", "the text has characters the encoding lacks; open the file with encoding=\"utf-8\""},
    HintRule{"JSONDecodeError", "the text is not JSON; print its beginning (repr) before parsing"},
    HintRule{"EOFError", "the program reads more from standard input than it was given; pass stdin with the request"},
    HintRule{"AssertionError", "an assertion of the program does not hold; print the values it compares"},
    HintRule{"CalledProcessError",
             "a command that the program started failed; look at what it wrote on stderr and at its arguments"},
    HintRule{"KeyboardInterrupt", "the program raised KeyboardInterrupt or sent SIGINT to itself"},
    HintRule{"TimeoutError", "an operation waited too long inside of the program"},
    HintRule{"StopIteration", "next() was called on an exhausted iterator; give it a default"},
    HintRule{"UnboundLocalError",
             "the variable is assigned somewhere in this function; assign it first, or declare it global or nonlocal"},
    HintRule{"AttributeError", "the object has no such attribute; check its type and the spelling"},
    HintRule{"TypeError", "a value has another type than the operation needs; check or convert it at the line given"},
    HintRule{"ValueError", "a value has the right type but not an allowed content; check it at the line given"},
    HintRule{"IndentationError", "indent the block consistently with four spaces"},
    HintRule{"TabError", "do not mix tabs and spaces; indent with four spaces"},
    HintRule{"SyntaxError", "the text is not Python at the place given; mend that line or the one before it"},
};

// Names that programs use without importing them.
constexpr std::array kPythonImports = {
    HintRule{"np", "import numpy as np"},
    HintRule{"pd", "import pandas as pd"},
    HintRule{"plt", "import matplotlib.pyplot as plt"},
    HintRule{"sns", "import seaborn as sns"},
    HintRule{"defaultdict", "from collections import defaultdict"},
    HintRule{"Counter", "from collections import Counter"},
    HintRule{"datetime", "from datetime import datetime"},
    HintRule{"Path", "from pathlib import Path"},
    HintRule{"os", "import os"},
    HintRule{"sys", "import sys"},
    HintRule{"re", "import re"},
    HintRule{"json", "import json"},
    HintRule{"math", "import math"},
    HintRule{"csv", "import csv"},
    HintRule{"time", "import time"},
    HintRule{"random", "import random"},
    HintRule{"itertools", "import itertools"},
    HintRule{"collections", "import collections"},
    HintRule{"io", "import io"},
};

// Python's own guess: "name 'totl' is not defined. Did you mean: 'total'?"
std::string hint_for_guess(std::string_view message) {
  const std::string_view guess = between(message, "Did you mean: '", "'?");
  return guess.empty()
             ? std::string()
             : fmt::format("did you mean {}? check the spelling", base::printable(guess, kMaxHintedNameBytes));
}

// A file of the request that has the name of a library is found first.
std::string hint_for_hidden_module(const FailedProgram& failed, std::string_view message) {
  const std::string_view module = between(message, "module '", "'");
  const std::string file = fmt::format("{}.py", module);
  for (const std::string& given : failed.program.files) {
    if (!module.empty() && given == file) {
      return fmt::format("the program's own /work/{} hides the module of this name; rename the file",
                         base::printable(file, kMaxHintedNameBytes));
    }
  }
  return {};
}

std::string hint_for_undefined_name(std::string_view name, std::string_view message) {
  if (const std::string_view import = find_same(kPythonImports, name); !import.empty()) {
    return fmt::format("add this line at the top: {}", import);
  }
  if (std::string guess = hint_for_guess(message); !guess.empty()) {
    return guess;
  }
  return fmt::format("'{}' is used before it is defined; define or import it, or check the spelling",
                     base::printable(name, kMaxHintedNameBytes));
}

}  // namespace

std::string hint_for_python(const FailedProgram& failed, std::string_view type, std::string_view message) {
  if (type == "KeyError") {
    return fmt::format("there is no key {}; print the keys (or columns) there are, or use .get()",
                       clip_end(message.substr(0, message.find('\n')), kMaxHintedNameBytes));
  }
  if (type == "NameError" && message.starts_with("name '")) {
    return hint_for_undefined_name(between(message, "name '", "'"), message);
  }
  if (std::string solve = hint_for_solve(message); !solve.empty()) {
    return solve;
  }
  if (std::string system = hint_for_system_error(failed, message); !system.empty()) {
    return system;
  }
  if (type == "AttributeError") {
    if (std::string hidden = hint_for_hidden_module(failed, message); !hidden.empty()) {
      return hidden;
    }
    if (std::string guess = hint_for_guess(message); !guess.empty()) {
      return guess;
    }
  }
  const bool syntax = type == "SyntaxError";
  const std::string_view said = syntax ? find_part(kSyntaxMessages, message) : find_part(kPythonMessages, message);
  return std::string(said.empty() ? find_same(kPythonTypes, type) : said);
}

}  // namespace glovebox::engine
