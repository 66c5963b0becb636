// For the tests of this folder: the built-in rules, and cases of tests/redaction.
//
// A file of cases holds blocks. "### each line" begins one in which every line is a case; "### whole: name" begins one
// that is a single case. Other lines that begin with ### are comments. Texts are templates (example_text.h); a secret
// stands between @[rule_id| and @].
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "redaction/example_text.h"
#include "redaction/redactor.h"

namespace glovebox::redaction {

inline const RedactionRules& default_rules() {
  static const RedactionRules rules = default_redaction_rules().value();
  return rules;
}

inline const Redactor& default_redactor() {
  static const Redactor redactor = Redactor::create(default_rules(), {}).value();
  return redactor;
}

inline std::string redacted(std::string_view text) { return default_redactor().redact(text).text; }

// A template as text.
inline std::string made(std::string_view text) { return expand_example(text).value(); }

struct Case {
  std::string where;                 // file and line
  std::string text;                  // as a program would print it
  std::string expected;              // as it should be stored
  std::vector<std::string> secrets;  // what must be gone
  std::vector<std::string> rules;    // by which rule, one per secret
};

inline Case make_case(std::string where, std::string_view marked) {
  Case one;
  one.where = std::move(where);
  const std::string text = made(marked);
  std::size_t copied = 0;
  for (std::size_t open = text.find("@["); open != std::string::npos; open = text.find("@[", copied)) {
    const std::size_t bar = text.find('|', open);
    const std::size_t close = text.find("@]", open);
    EXPECT_TRUE(bar < close && close != std::string::npos) << one.where << ": a mark is not closed";
    if (!(bar < close && close != std::string::npos)) {
      return one;
    }
    one.rules.push_back(text.substr(open + 2, bar - open - 2));
    one.secrets.push_back(text.substr(bar + 1, close - bar - 1));
    one.text += text.substr(copied, open - copied) + one.secrets.back();
    one.expected += text.substr(copied, open - copied) + "[redacted:" + one.rules.back() + "]";
    copied = close + 2;
  }
  one.text += text.substr(copied);
  one.expected += text.substr(copied);
  return one;
}

// Every case of the folder's *.cases files, in order of name.
inline std::vector<Case> read_cases(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(GLOVEBOX_SOURCE_DIR) + "/tests/redaction/" + folder)) {
    if (entry.path().extension() == ".cases") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Case> cases;
  for (const auto& path : paths) {
    std::ifstream stream(path);
    bool each_line = true;
    std::string whole;
    std::string where;
    const auto finish = [&] {
      if (!whole.empty()) {
        cases.push_back(make_case(where, whole));
      }
      whole.clear();
    };
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (line.starts_with("###")) {
        finish();
        each_line = !line.starts_with("### whole");
        where = path.filename().string() + ":" + std::to_string(number);
      } else if (!each_line) {
        whole += line + "\n";
      } else if (!line.empty()) {
        cases.push_back(make_case(path.filename().string() + ":" + std::to_string(number), line));
      }
    }
    finish();
  }
  return cases;
}

}  // namespace glovebox::redaction
