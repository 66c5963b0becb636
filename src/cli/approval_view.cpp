#include "cli/approval_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "cli/table.h"
#include "contract/limit_table.h"

namespace glovebox::cli {
namespace {

using base::Result;
using contract::JsonNode;

constexpr std::size_t kMaxMembers = 10'000;
constexpr std::size_t kMaxReadRows = 100'000;

contract::JsonOptions deep_json() {
  contract::JsonOptions options;
  options.bounds.max_depth = 256;
  return options;
}

// The program as it was sent, made harmless line by line. No line is cut: what stands far to the right runs too.
std::string shown_code(std::string_view code) {
  std::string text;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < code.size(); ++number) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string_view line = code.substr(begin, end - begin);
    text += fmt::format("{:>5} | {}\n", number, base::printable(line, line.size() * 4));
    begin = end + 1;
  }
  return text;
}

// A number of an object, or "-".
std::string number_of(const JsonNode& object, std::string_view name) {
  const auto node = part_of(object, name);
  const auto number = node ? node->integer(0, UINT64_MAX) : base::fail(base::ErrorCode::internal_error, "");
  return number ? std::to_string(*number) : "-";
}

// In the program itself, in one of its files, or in the second program.
std::string place_of(const JsonNode& finding) {
  const std::string file = text_of(finding, "file");
  const std::string line = number_of(finding, "line");
  if (file.empty() && line == "-") {
    return "";
  }
  return fmt::format(" at {}:{}:{}", file.empty() ? "program" : one_line(file), line, number_of(finding, "column"));
}

Result<std::string> findings_text(const JsonNode& decision) {
  std::string text;
  if (const auto findings = part_of(decision, "findings"); findings) {
    for (const JsonNode& finding : TRY(findings->elements(kMaxReadRows))) {
      text += fmt::format("\n{}[{}] {}{}\n  {}\n", one_line(text_of(finding, "verdict")),
                          one_line(text_of(finding, "rule")), one_line(text_of(finding, "subject")), place_of(finding),
                          one_line(text_of(finding, "reason")));
    }
  }
  if (const std::string more = number_of(decision, "findings_left_out"); more != "0" && more != "-") {
    text += fmt::format("\n{} findings more are not listed\n", more);
  }
  return text;
}

// What is not shown comes first and cannot be overlooked.
Result<std::string> missing_text(const JsonNode& detail) {
  std::string text;
  if (const auto cut = part_of(detail, "cut"); cut) {
    for (const std::string& part : TRY(cut->take_strings(kMaxReadRows))) {
      text += fmt::format("!! CUT: {} is longer than what is kept. This cannot be approved.\n", one_line(part));
    }
  }
  const auto redacted = part_of(detail, "redacted");
  const std::string places = redacted ? number_of(*redacted, "places") : "0";
  if (places != "0") {
    text += fmt::format("!! HIDDEN: {} places, {} bytes, look like secrets and are not shown:", places,
                        number_of(*redacted, "bytes"));
    if (const auto rules = part_of(*redacted, "rules"); rules) {
      for (const auto& [rule, count] : TRY(rules->entries(kMaxMembers))) {
        text += fmt::format(" {} {}", one_line(rule), count.integer(0, UINT64_MAX).value_or(0));
      }
    }
    text += ".\n   They may be more than that: the program runs with what was there.\n";
  }
  return text.empty() ? text : "\n" + text;
}

void add_data(std::string& text, const JsonNode& request, std::string_view name) {
  if (const auto data = part_of(request, name); data && !data->is_null()) {
    text += fmt::format("{:<10} {} bytes, sha256 {}\n", name, number_of(*data, "bytes"),
                        one_line(text_of(*data, "sha256")));
  }
}

// Those that are not what every run gets.
std::string limits_text(const JsonNode& request) {
  std::string text;
  const auto limits = part_of(request, "limits");
  const contract::Limits usual;
  for (const contract::LimitField& field : contract::kLimitTable) {
    const std::string given = limits ? number_of(*limits, field.name) : "-";
    const std::string otherwise = std::to_string(usual.*field.member);
    if (given != "-" && given != otherwise) {
      text += fmt::format("limit      {} {} (usually {})\n", field.name, given, otherwise);
    }
  }
  return text;
}

Result<std::string> inputs_text(const JsonNode& request) {
  std::string text;
  if (const auto args = part_of(request, "args"); args) {
    for (const std::string& argument : TRY(args->take_strings(kMaxReadRows))) {
      text += fmt::format("arg        {}\n", base::printable(argument, argument.size() * 4));
    }
  }
  if (const auto env = part_of(request, "env"); env) {
    for (const auto& [name, value] : TRY(env->entries(kMaxMembers))) {
      const std::string given = TRY(value.take_string_or_null());
      text += fmt::format("env        {}={}\n", one_line(name), base::printable(given, given.size() * 4));
    }
  }
  add_data(text, request, "stdin");
  add_data(text, request, "input");
  if (const auto files = part_of(request, "files"); files) {
    for (const JsonNode& file : TRY(files->elements(kMaxReadRows))) {
      const std::string bytes = number_of(file, "bytes");
      text += fmt::format("file       {}  {}, sha256 {}\n", one_line(text_of(file, "path")),
                          bytes == "-" ? "a stored blob" : bytes + " bytes", one_line(text_of(file, "sha256")));
    }
  }
  if (const auto network = part_of(request, "network"); network) {
    for (const std::string& place : TRY(network->take_strings(kMaxReadRows))) {
      text += fmt::format("network    {}\n", one_line(place));
    }
  }
  text += limits_text(request);
  return text.empty() ? text : "\n" + text;
}

// Files that the program can load.
Result<std::string> loaded_code_text(const JsonNode& request) {
  std::string text;
  if (const auto files = part_of(request, "files"); files) {
    for (const JsonNode& file : TRY(files->elements(kMaxReadRows))) {
      if (const auto code = part_of(file, "text"); code && !code->is_null()) {
        text += fmt::format("\n{}:\n{}", one_line(text_of(file, "path")), shown_code(text_of(file, "text")));
      }
    }
  }
  return text;
}

// The second program as a program, and the whole as it was sent.
Result<std::string> expect_text(const JsonNode& request) {
  const auto expect = part_of(request, "expect");
  const std::string whole = expect ? TRY(expect->take_free_form()) : "null";
  if (whole == "null") {
    return std::string();
  }
  contract::JsonValue tree = TRY(contract::parse_json(whole, deep_json()));
  std::string text;
  if (const auto check = part_of(JsonNode(tree, ""), "cross_check"); check) {
    const std::string language = text_of(*check, "language");
    text +=
        fmt::format("\nexpect.cross_check, a second program in {}:\n{}",
                    language.empty() ? "the same language" : one_line(language), shown_code(text_of(*check, "code")));
  }
  return text + fmt::format("\nexpect:\n  {}\n", base::printable(whole, whole.size() * 4));
}

}  // namespace

std::string text_of(const JsonNode& object, std::string_view name) {
  const auto part = part_of(object, name);
  return part ? part->take_string_or_null().value_or("") : "";
}

std::optional<JsonNode> part_of(const JsonNode& object, std::string_view name) {
  if (auto fields = object.entries(kMaxMembers); fields) {
    for (auto& [key, node] : *fields) {
      if (key == name) {
        return std::move(node);
      }
    }
  }
  return std::nullopt;
}

contract::JsonOptions approval_json() {
  static constexpr std::string_view kFreeForm[] = {"detail.request.expect"};
  contract::JsonOptions options = deep_json();
  options.free_form = kFreeForm;
  return options;
}

Result<std::string> approval_text(std::string_view json) {
  contract::JsonValue root = TRY(contract::parse_json(json, approval_json()));
  const JsonNode approval(root, "");
  std::string text;
  for (const std::string_view field : {"id", "state", "tenant", "run_id", "asked_by", "policy", "created", "expires",
                                       "answered_by", "note", "used_by"}) {
    if (const std::string value = text_of(approval, field); !value.empty()) {
      text += fmt::format("{:<12} {}\n", field, one_line(value));
    }
  }
  const auto detail = part_of(approval, "detail");
  if (!detail) {
    return text;
  }
  text += TRY(missing_text(*detail));
  if (const auto decision = part_of(*detail, "decision"); decision) {
    text += TRY(findings_text(*decision));
  }
  const auto request = part_of(*detail, "request");
  if (!request) {
    return text;
  }
  text += TRY(inputs_text(*request));
  text += fmt::format("\n{}, {} bytes, sha256 {}:\n", one_line(text_of(*request, "language")),
                      number_of(*request, "code_bytes"), one_line(text_of(*request, "code_sha256")));
  text += shown_code(text_of(*request, "code"));
  text += TRY(loaded_code_text(*request));
  text += TRY(expect_text(*request));
  return text;
}

}  // namespace glovebox::cli
