#include <fmt/format.h>

#include <cstdio>

#include "base/utf8.h"
#include "cli/app.h"
#include "cli/json_fields.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/service_call.h"
#include "cli/table.h"
#include "contract/json_reader.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::fail;
using base::Result;
using contract::JsonNode;

constexpr std::size_t kMaxFields = 64;
constexpr std::size_t kMaxRows = 1000;
constexpr std::size_t kMaxLine = 2000;
constexpr std::size_t kMaxNoteBytes = 1000;

struct ApprovalFlags {
  RecordsFlags records;
  ServiceFlags service;
  std::string id;
  std::string note;
  bool all = false;
};

void add_flags(CLI::App& app, ApprovalFlags& flags, const std::string& scope) {
  add_service_flags(app, flags.service, scope);
  add_records_flags(app, flags.records);
}

Result<std::string> call(const ApprovalFlags& flags, const std::string& target, const std::string& body,
                         const std::string& scope) {
  const ServicePlace place = TRY(place_of(flags.service, flags.records.data));
  auto answer = call_service(place, target, body, scope);
  if (!answer && answer.error().hint.empty() && place.url.empty()) {
    answer.error().hint = "approvals belong to a running service; none answers on " + place.directory +
                          ", or name it with --url http://…";
  }
  return answer;
}

// A text of an object that a service sent; empty when it is not there or no text.
std::string text_of(const JsonNode& object, std::string_view name) {
  if (const auto fields = object.entries(kMaxFields); fields) {
    for (const auto& [key, node] : *fields) {
      if (key == name) {
        return node.take_string_or_null().value_or("");
      }
    }
  }
  return "";
}

std::optional<JsonNode> part_of(const JsonNode& object, std::string_view name) {
  if (auto fields = object.entries(kMaxFields); fields) {
    for (auto& [key, node] : *fields) {
      if (key == name) {
        return std::move(node);
      }
    }
  }
  return std::nullopt;
}

std::string rules_of(const JsonNode& approval) {
  const auto detail = part_of(approval, "detail");
  const auto rules = detail ? part_of(*detail, "rules") : std::nullopt;
  std::string text;
  if (rules) {
    for (const std::string& rule : rules->take_strings(kMaxRows).value_or(std::vector<std::string>())) {
      text += (text.empty() ? "" : " ") + rule;
    }
  }
  return text;
}

std::string until(const std::string& time) {
  const auto moment = base::parse_timestamp_ms(time);
  if (!moment) {
    return "";
  }
  const std::int64_t left_s = (*moment - runner::unix_ms()) / 1000;
  return left_s <= 0 ? "over" : fmt::format("{} s", left_s);
}

Result<int> list(const ApprovalFlags& flags) {
  const std::string target = flags.all ? "/v1/approvals?limit=1000" : "/v1/approvals?limit=1000&state=pending";
  const std::string body = TRY(call(flags, target, "", "read"));
  if (flags.records.json) {
    return print(body + "\n");
  }
  contract::JsonValue root = TRY(contract::parse_json(body, {}));
  const auto entries = part_of(JsonNode(root, ""), "approvals");
  if (!entries) {
    return fail(base::ErrorCode::internal_error, "the service's answer cannot be read");
  }
  Table table({{"APPROVAL"}, {"STATE"}, {"TENANT", 8}, {"RULES", 12}, {"POLICY", 8}, {"LEFT"}, {"BY", 8}});
  for (const JsonNode& approval : TRY(entries->elements(kMaxRows))) {
    const std::string policy = text_of(approval, "policy");
    const std::string state = text_of(approval, "state");
    table.add_row({text_of(approval, "id"), state, text_of(approval, "tenant"), rules_of(approval),
                   policy.substr(0, policy.find('@')), state == "pending" ? until(text_of(approval, "expires")) : "",
                   text_of(approval, "answered_by")});
  }
  if (table.empty()) {
    std::fprintf(stderr, "glovebox: nothing waits for an answer\n");
    return 0;
  }
  return print(table.text());
}

// The program as it was sent, made harmless line by line.
std::string shown_code(std::string code) {
  std::string text;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < code.size(); ++number) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    text += fmt::format("{:>5} | {}\n", number, base::printable(code.substr(begin, end - begin), kMaxLine));
    begin = end + 1;
  }
  return text;
}

Result<int> show(const ApprovalFlags& flags) {
  const std::string body = TRY(call(flags, "/v1/approvals/" + http::encode_segment(flags.id), "", "read"));
  if (flags.records.json) {
    return print(body + "\n");
  }
  contract::JsonValue root = TRY(contract::parse_json(body, {}));
  const JsonNode approval(root, "");
  std::string text;
  for (const std::string_view field :
       {"id", "state", "tenant", "run_id", "policy", "created", "expires", "answered_by", "note", "used_by"}) {
    if (const std::string value = text_of(approval, field); !value.empty()) {
      text += fmt::format("{:<12} {}\n", field, one_line(value));
    }
  }
  const auto detail = part_of(approval, "detail");
  const auto decision = detail ? part_of(*detail, "decision") : std::nullopt;
  const auto findings = decision ? part_of(*decision, "findings") : std::nullopt;
  if (findings) {
    for (const JsonNode& finding : TRY(findings->elements(kMaxRows))) {
      text +=
          fmt::format("\n{}[{}] {}\n  {}\n", one_line(text_of(finding, "verdict")), one_line(text_of(finding, "rule")),
                      one_line(text_of(finding, "subject")), one_line(text_of(finding, "reason")));
    }
  }
  if (const auto request = detail ? part_of(*detail, "request") : std::nullopt; request) {
    text += fmt::format("\n{}:\n{}", one_line(text_of(*request, "language")), shown_code(text_of(*request, "code")));
  }
  return print(text);
}

Result<int> answer(const ApprovalFlags& flags, const char* word) {
  if (flags.note.size() > kMaxNoteBytes || !base::is_valid_utf8(flags.note) ||
      base::has_deceptive_characters(flags.note)) {
    return fail(flag_error("--note", "a note is at most 1000 bytes of text without control characters"));
  }
  contract::JsonWriter json;
  json.begin_object();
  write_text(json, "answer", word);
  write_text(json, "note", flags.note);
  json.end_object();
  const std::string body = TRY(call(flags, "/v1/approvals/" + http::encode_segment(flags.id),
                                    json.take(contract::JsonStyle::compact), "approve"));
  if (flags.records.json) {
    return print(body + "\n");
  }
  contract::JsonValue root = TRY(contract::parse_json(body, {}));
  std::fprintf(stderr, "glovebox: %s is %s\n", one_line(flags.id).c_str(),
               one_line(text_of(JsonNode(root, ""), "state")).c_str());
  return 0;
}

}  // namespace

int approvals_verb(Arguments arguments) {
  ApprovalFlags flags;
  CLI::App app("Runs that a person has to approve before they start: look at them, and answer.", "glovebox approvals");
  app.require_subcommand(0, 1);
  app.add_flag("--all", flags.all, "answered ones too");
  add_flags(app, flags, "read");
  CLI::App* list_app = app.add_subcommand("ls", "what waits for an answer; the same as without a word");
  list_app->add_flag("--all", flags.all, "answered ones too");
  add_flags(*list_app, flags, "read");
  CLI::App* show_app = app.add_subcommand("show", "the program, and what the policy asks about");
  show_app->add_option("ID", flags.id, "appr_…")->required();
  add_flags(*show_app, flags, "read");
  CLI::App* approve = app.add_subcommand("approve", "let it run, once");
  approve->add_option("ID", flags.id, "appr_…")->required();
  approve->add_option("--note", flags.note, "for the audit log");
  add_flags(*approve, flags, "approve");
  CLI::App* reject = app.add_subcommand("reject", "do not let it run");
  reject->add_option("ID", flags.id, "appr_…")->required();
  reject->add_option("--note", flags.note, "for the audit log and for whoever asked");
  add_flags(*reject, flags, "approve");
  app.footer(
      "examples:\n"
      "  glovebox approvals\n"
      "  glovebox approvals show appr_…\n"
      "  glovebox approvals approve appr_… --note 'reviewed'\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = show_app->parsed()  ? show(flags)
                    : approve->parsed() ? answer(flags, "approve")
                    : reject->parsed()  ? answer(flags, "reject")
                                        : list(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli
