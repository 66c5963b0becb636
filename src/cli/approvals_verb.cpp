#include <fmt/format.h>

#include <cstdio>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/approval_view.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/service_call.h"
#include "cli/table.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::fail;
using base::Result;
using contract::JsonNode;

constexpr std::size_t kMaxListedRows = 1000;
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
  if (!answer && answer.error().stage == "connect" && place.url.empty()) {
    answer.error().hint = "approvals belong to a running service; none answers on " + place.directory +
                          ", or name it with --url http://…";
  }
  return answer;
}

std::string rules_of(const JsonNode& approval) {
  const auto detail = part_of(approval, "detail");
  const auto rules = detail ? part_of(*detail, "rules") : std::nullopt;
  std::string text;
  if (rules) {
    for (const std::string& rule : rules->take_strings(kMaxListedRows).value_or(std::vector<std::string>())) {
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

// All pages; each approval as it was sent.
Result<std::vector<std::string>> all_approvals(const ApprovalFlags& flags) {
  static constexpr std::string_view kFreeForm[] = {"approvals[]"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  std::vector<std::string> found;
  std::string cursor;
  do {
    const std::string target = std::string("/v1/approvals?limit=1000") + (flags.all ? "" : "&state=pending") +
                               (cursor.empty() ? "" : "&cursor=" + http::encode_segment(cursor));
    const std::string body = TRY(call(flags, target, "", "read"));
    contract::JsonValue root = TRY(contract::parse_json(body, options));
    const auto entries = part_of(JsonNode(root, ""), "approvals");
    if (!entries) {
      return fail(base::ErrorCode::internal_error, "the service's answer cannot be read");
    }
    for (const JsonNode& approval : TRY(entries->elements(kMaxListedRows))) {
      found.push_back(TRY(approval.take_free_form()));
    }
    const std::string next = text_of(JsonNode(root, ""), "next_cursor");
    cursor = next == cursor ? "" : next;
  } while (!cursor.empty());
  return found;
}

std::string list_json(const std::vector<std::string>& approvals) {
  contract::JsonWriter json;
  json.begin_object();
  json.key("approvals");
  json.begin_array();
  for (const std::string& approval : approvals) {
    json.free_form(approval);
  }
  json.end_array();
  json.null("next_cursor");
  json.end_object();
  return json.take(contract::JsonStyle::compact) + "\n";
}

Result<int> list(const ApprovalFlags& flags) {
  const std::vector<std::string> approvals = TRY(all_approvals(flags));
  if (flags.records.json) {
    return print(list_json(approvals));
  }
  Table table({{"APPROVAL"}, {"STATE"}, {"TENANT", 8}, {"RULES", 12}, {"POLICY", 8}, {"LEFT"}, {"BY", 8}});
  for (const std::string& text : approvals) {
    contract::JsonValue root = TRY(contract::parse_json(text, approval_json()));
    const JsonNode approval(root, "");
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

Result<int> show(const ApprovalFlags& flags) {
  const std::string body = TRY(call(flags, "/v1/approvals/" + http::encode_segment(flags.id), "", "read"));
  if (flags.records.json) {
    return print(body + "\n");
  }
  return print(TRY(approval_text(body)));
}

Result<int> answer(const ApprovalFlags& flags, const char* word) {
  if (flags.note.size() > kMaxNoteBytes || !base::is_valid_utf8(flags.note) ||
      base::has_deceptive_characters(flags.note)) {
    return fail(flag_error("--note", "a note is at most 1000 bytes of text without control characters"));
  }
  contract::JsonWriter json;
  json.begin_object();
  json.string("answer", word);
  json.string("note", flags.note);
  json.end_object();
  const std::string body = TRY(call(flags, "/v1/approvals/" + http::encode_segment(flags.id),
                                    json.take(contract::JsonStyle::compact), "approve"));
  if (flags.records.json) {
    return print(body + "\n");
  }
  contract::JsonValue root = TRY(contract::parse_json(body, approval_json()));
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
  CLI::App* list_app = app.add_subcommand("ls", "what waits for an answer; the same as without a word")->alias("list");
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
