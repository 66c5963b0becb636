#include "runner/approval_detail.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/utf8.h"
#include "contract/json_parse.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "contract/limit_table.h"
#include "policy/source_files.h"
#include "runner/runner.h"

namespace glovebox::runner {
namespace {

using contract::JsonWriter;

// Four times what the built-in profiles that ask allow a program to have.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20U;

class DetailWriter {
 public:
  std::string write(const contract::RunRequest& request, const policy::Decision& decision) {
    json_.begin_object();
    json_.strings("rules", policy::asking_rules(decision));
    json_.free_form("decision", policy::to_json(decision));
    json_.key("request");
    write_request(request);
    json_.strings("cut", cut_);
    json_.end_object();
    return json_.take(contract::JsonStyle::compact);
  }

 private:
  // As much of a text as there is room for; `left` becomes less.
  std::string_view kept(std::string_view text, std::size_t& left, const char* part) {
    if (text.size() > left && std::find(cut_.begin(), cut_.end(), part) == cut_.end()) {
      cut_.emplace_back(part);
    }
    const std::string_view shown = text.substr(0, left);
    left -= shown.size();
    return shown;
  }

  // Data is told by its size and its hash.
  void write_data(std::string_view name, const std::string* bytes) {
    json_.key(name);
    if (bytes == nullptr) {
      return json_.null();
    }
    json_.begin_object();
    json_.integer("bytes", bytes->size());
    json_.string("sha256", base::sha256_hex(*bytes));
    json_.end_object();
  }

  // Code that the program can load is shown like the program.
  void write_code(const contract::InputFile& file, std::size_t& room) {
    const auto* text = std::get_if<std::string>(&file.content);
    if (text == nullptr || !policy::syntax_of_file(file.path.str())) {
      return json_.null();
    }
    json_.string(kept(base::is_valid_utf8(*text) ? *text : base::sanitize_output(*text), room, "files"));
  }

  void write_files(const std::vector<contract::InputFile>& files) {
    std::size_t room = kKeptBytes;
    json_.begin_array();
    for (const contract::InputFile& file : files) {
      const auto* blob = std::get_if<contract::BlobRef>(&file.content);
      json_.begin_object();
      json_.string("path", file.path.str());
      json_.key("bytes");
      if (blob == nullptr) {
        json_.integer(std::get<std::string>(file.content).size());
      } else {
        json_.null();
      }
      json_.string("sha256", blob != nullptr ? blob->sha256 : base::sha256_hex(std::get<std::string>(file.content)));
      json_.key("text");
      write_code(file, room);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_request(const contract::RunRequest& request) {
    json_.begin_object();
    json_.string("language", request.language);
    std::size_t room = kKeptBytes;
    json_.string("code", kept(request.code, room, "code"));
    json_.integer("code_bytes", request.code.size());
    json_.string("code_sha256", base::sha256_hex(request.code));
    json_.boolean("code_cut", !cut_.empty());
    room = kKeptBytes;
    json_.key("args");
    json_.begin_array();
    for (const std::string& argument : request.args) {
      json_.string(kept(argument, room, "args"));
    }
    json_.end_array();
    write_data("stdin", request.standard_input.empty() ? nullptr : &request.standard_input);
    write_data("input", request.input_json ? &*request.input_json : nullptr);
    json_.key("files");
    write_files(request.files);
    room = kKeptBytes;
    json_.key("env");
    json_.begin_object();
    for (const auto& [name, value] : request.env) {
      json_.string(name, kept(value, room, "env"));
    }
    json_.end_object();
    const bool whole = !request.expect_json || request.expect_json->size() <= kKeptBytes;
    json_.key("expect");
    if (request.expect_json && whole) {
      json_.free_form(*request.expect_json);
    } else {
      json_.null();
    }
    json_.boolean("expect_cut", !whole);
    if (!whole) {
      cut_.emplace_back("expect");
    }
    json_.strings("network", request.network.allow);
    json_.key("limits");
    json_.begin_object();
    for (const contract::LimitField& field : contract::kLimitTable) {
      json_.integer(field.name, request.limits.*field.member);
    }
    json_.end_object();
    json_.end_object();
  }

  JsonWriter json_;
  std::vector<std::string> cut_;
};

// How much was taken out, as another member of the detail.
std::string with_notice(const redaction::Redacted& redacted, std::size_t bytes_before) {
  std::uint64_t places = 0;
  std::uint64_t notices = 0;  // bytes that stand there instead
  JsonWriter json;
  json.begin_object();
  json.key("rules");
  json.begin_object();
  for (const auto& [rule, count] : redacted.counts) {
    json.integer(rule, count);
    places += count;
    notices += count * fmt::format("[redacted:{}]", rule).size();
  }
  json.end_object();
  json.integer("places", places);
  json.key("bytes");
  const std::uint64_t after = redacted.text.size();
  json.integer(places == 0 || bytes_before + notices < after ? 0 : bytes_before + notices - after);
  json.end_object();
  std::string text = redacted.text;
  text.pop_back();
  return text + ",\"redacted\":" + json.take(contract::JsonStyle::compact) + "}";
}

}  // namespace

std::string approval_detail(const contract::RunRequest& request, const policy::Decision& decision,
                            const redaction::Redactor& redactor) {
  const std::string whole = DetailWriter().write(request, decision);
  return with_notice(redactor.redact_json(whole), whole.size());
}

std::vector<std::string> cut_parts(std::string_view detail_json) {
  constexpr std::size_t kMostParts = 16;
  constexpr std::size_t kMostMembers = 64;
  static constexpr std::string_view kFreeForm[] = {"decision", "request", "redacted"};
  std::vector<std::string> nothing_shown = {"everything"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  options.bounds.max_depth = 256;  // of "expect", which stands deeper here than where it came from
  auto document = contract::parse_json(detail_json, options);
  if (!document) {
    return nothing_shown;
  }
  const auto members = contract::JsonNode(*document, "").entries(kMostMembers);
  if (!members) {
    return nothing_shown;
  }
  for (const auto& [name, node] : *members) {
    if (name == "cut") {
      return node.take_strings(kMostParts).value_or(nothing_shown);
    }
  }
  return nothing_shown;
}

std::string new_approval_id() { return "appr_" + new_run_id().substr(4); }

}  // namespace glovebox::runner
