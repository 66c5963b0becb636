#include "verification/artifact_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "verification/json_tools.h"

namespace glovebox::verification {
namespace {

using contract::CountRange;
using contract::ExpectedArtifact;

std::string expected_count(const CountRange& range) {
  if (range.least == range.most) {
    return fmt::format("{} expected", *range.least);
  }
  if (range.least && range.most) {
    return fmt::format("{} to {} expected", *range.least, *range.most);
  }
  return range.least ? fmt::format("at least {} expected", *range.least)
                     : fmt::format("at most {} expected", *range.most);
}

// Adds a problem unless the number is known and within the range.
void check_range(const CountRange& range, std::optional<std::uint64_t> count, std::string_view noun,
                 std::vector<std::string>& problems) {
  if (!range.given()) {
    return;
  }
  if (!count) {
    problems.push_back(fmt::format("this file does not tell its {}; {}", noun, expected_count(range)));
  } else if ((range.least && *count < *range.least) || (range.most && *count > *range.most)) {
    problems.push_back(fmt::format("{} {}, {}", *count, noun, expected_count(range)));
  }
}

std::string shown_names(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < names.size() && text.size() <= kShownBytes; ++index) {
    text += (index == 0 ? "" : ", ") + names[index].substr(0, kShownBytes);
  }
  return shown_text(text);
}

void check_columns(const ExpectedArtifact& expected, const FileFacts& facts, WorkBudget& budget,
                   std::vector<std::string>& problems) {
  if (!expected.columns && expected.has_columns.empty()) {
    return;
  }
  if (!facts.columns) {
    problems.emplace_back("it is not a table with the same columns in every row");
    return;
  }
  if (expected.columns) {
    std::vector<std::string> wanted = *expected.columns;
    if (!facts.columns_have_order) {
      std::sort(wanted.begin(), wanted.end());
    }
    if (wanted != *facts.columns) {
      problems.push_back(
          fmt::format("the columns are {}; expected {}", shown_names(*facts.columns), shown_names(*expected.columns)));
    }
  }
  for (const std::string& name : expected.has_columns) {
    if (!budget.spend(1 + facts.columns->size())) {
      problems.emplace_back(kOutOfBudget);
      return;
    }
    if (std::find(facts.columns->begin(), facts.columns->end(), name) == facts.columns->end()) {
      problems.push_back(
          fmt::format("there is no column {}; the columns are {}", shown_text(name), shown_names(*facts.columns)));
    }
  }
}

}  // namespace

const FileFormat* format_of(const ExpectedArtifact& expected) {
  if (!expected.format.empty()) {
    return find_file_format(expected.format);
  }
  const bool asked = expected.rows.given() || expected.columns || !expected.has_columns.empty() ||
                     expected.width.given() || expected.height.given() || expected.pages.given();
  const std::string_view path = expected.path.str();
  const std::size_t dot = path.rfind('.');
  if (!asked || dot == path.npos) {
    return nullptr;
  }
  const std::string_view ending = path.substr(dot + 1);
  return find_file_format(ending == "jpg" ? "jpeg" : ending);
}

std::vector<std::string> problems_of(const ExpectedArtifact& expected, const contract::Artifact* found,
                                     WorkBudget& budget) {
  if (found == nullptr) {
    return expected.exists ? std::vector<std::string>{"the program did not make this file"}
                           : std::vector<std::string>();
  }
  if (!expected.exists) {
    return {fmt::format("the file must not be there, and has {} bytes", found->bytes)};
  }
  std::vector<std::string> problems;
  check_range(expected.bytes, found->bytes, "bytes", problems);
  if (!expected.sha256.empty() && expected.sha256 != found->sha256) {
    problems.push_back(fmt::format("its sha256 is {}, {} expected", found->sha256, expected.sha256));
  }
  const FileFormat* format = format_of(expected);
  if (format == nullptr) {
    return problems;
  }
  const MemoryScope scope(budget);
  const auto facts = format->read(found->content, budget);
  if (!facts) {
    problems.push_back(fmt::format("not a valid {} file: {}", format->name, facts.error().message));
    return problems;
  }
  check_range(expected.rows, facts->rows, "rows", problems);
  check_range(expected.width, facts->width, "pixels of width", problems);
  check_range(expected.height, facts->height, "pixels of height", problems);
  check_range(expected.pages, facts->pages, "pages", problems);
  check_columns(expected, *facts, budget, problems);
  return problems;
}

}  // namespace glovebox::verification
