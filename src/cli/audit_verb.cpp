#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/timestamp.h"
#include "cli/app.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/table.h"
#include "contract/json_writer.h"
#include "os/files.h"

namespace glovebox::cli {
namespace {

using base::fail;
using base::Result;
using contract::JsonWriter;
using records::Anchor;

constexpr int kExitTampered = 1;
constexpr std::size_t kMaxAnchorFileBytes = 16U << 20U;
constexpr std::uint64_t kMaxEntries = 10'000;  // of one answer; the store gives no more at once

constexpr std::uint64_t kMostSeq = std::numeric_limits<std::int64_t>::max();

struct AuditFlags {
  RecordsFlags records;
  std::string anchors;
  std::optional<std::uint64_t> after;
  std::uint64_t limit = 50;
  bool quick = false;
};

std::string counted(std::uint64_t number, const char* one, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

// One anchor per line, as `audit anchor` prints them; empty lines do not count.
Result<std::vector<Anchor>> read_anchors(const std::string& path) {
  std::vector<Anchor> anchors;
  if (path.empty()) {
    return anchors;
  }
  auto text = path == "-" ? os::read_all(STDIN_FILENO, kMaxAnchorFileBytes) : os::read_file(path, kMaxAnchorFileBytes);
  if (!text) {
    return fail(std::move(text.error()).with_field("--anchors"));
  }
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    auto anchor = records::parse_anchor(line);
    if (!anchor) {
      return fail(flag_error("--anchors", path + ":" + std::to_string(number) + ": " + anchor.error().message)
                      .with_hint("every line is one that `glovebox audit anchor` printed"));
    }
    anchors.push_back(std::move(*anchor));
  }
  if (anchors.empty()) {
    return fail(flag_error("--anchors", path + " has no anchor"));
  }
  return anchors;
}

std::string report_json(const records::AuditReport& report, std::size_t anchors) {
  JsonWriter json;
  json.begin_object();
  json.boolean("intact", !report.problem);
  json.integer("entries", report.entries);
  json.integer("runs", report.runs);
  json.integer("contents_read", report.contents_read);
  json.integer("contents_unread", report.contents_unread);
  json.integer("contents_damaged", report.contents_damaged);
  json.integer("anchors", anchors);
  json.free_form("head", records::to_json(report.head));
  json.key("problem");
  if (report.problem) {
    json.begin_object();
    json.string("what", records::to_string(report.problem->what));
    json.integer("seq", report.problem->seq);
    json.string("message", report.problem->message);
    json.end_object();
  } else {
    json.null();
  }
  json.key("damaged");
  json.begin_array();
  for (const std::string& sentence : report.damaged) {
    json.string(sentence);
  }
  json.end_array();
  json.end_object();
  return json.take(contract::JsonStyle::compact) + "\n";
}

std::string unread_text(const records::AuditReport& report) {
  return report.contents_unread == 0
             ? ""
             : "  " + counted(report.contents_unread, "content", "contents") + " not read; without --quick they are\n";
}

// The first is what the report begins with.
std::string other_damage(const records::AuditReport& report) {
  std::string text;
  for (const std::string& sentence : report.damaged) {
    if (sentence != report.problem->message) {
      text += "  also    " + one_line(sentence) + "\n";
    }
  }
  if (report.contents_damaged > report.damaged.size()) {
    text += "  also    " + counted(report.contents_damaged - report.damaged.size(), "other content", "other contents") +
            "\n";
  }
  return text;
}

std::string report_text(const records::AuditReport& report, std::size_t anchors) {
  if (report.problem) {
    std::string text = "NOT INTACT: " + one_line(report.problem->message) + "\n";
    text += "  what    " + std::string(records::to_string(report.problem->what)) + "\n";
    text += report.problem->seq == 0 ? "" : "  where   entry " + std::to_string(report.problem->seq) + "\n";
    const bool chain_is_fine = report.problem->what == records::AuditProblem::What::content_damaged ||
                               report.problem->what == records::AuditProblem::What::content_missing;
    text += "  read    " + counted(report.entries, "entry", "entries") +
            (chain_is_fine ? " and the records of " + counted(report.runs, "run", "runs") + ", all fine\n"
                           : " before that " + std::string(report.entries == 1 ? "was" : "were") + " fine\n");
    return text + other_damage(report) + unread_text(report);
  }
  std::string text =
      "intact: " + counted(report.entries, "entry", "entries") + ", the records of " +
      counted(report.runs, "run", "runs") +
      (report.contents_unread != 0 ? "" : " and " + counted(report.contents_read, "content", "contents")) + ", up to " +
      report.head.hash + "\n";
  text += anchors == 0   ? ""
          : anchors == 1 ? "  the anchor is on the chain\n"
                         : "  all " + std::to_string(anchors) + " anchors are on the chain\n";
  return text + unread_text(report);
}

Result<int> verify(const AuditFlags& flags) {
  const std::vector<Anchor> anchors = TRY(read_anchors(flags.anchors));
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const auto contents = flags.quick ? records::ReadContents::no : records::ReadContents::yes;
  const records::AuditReport report = TRY(store->verify_audit(anchors, contents));
  const int status = report.problem ? kExitTampered : 0;
  const std::string text =
      flags.records.json ? report_json(report, anchors.size()) : report_text(report, anchors.size());
  return print(text) == 0 ? status : kExitOurs;
}

Result<int> print_anchor(const AuditFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  return print(records::to_json(TRY(store->audit_anchor())) + "\n");
}

void write_entry(JsonWriter& json, const records::AuditEntry& entry) {
  json.begin_object();
  json.integer("seq", entry.seq);
  write_time(json, "time", entry.event.time_ms);
  json.string("kind", entry.event.kind);
  json.string("actor", entry.event.actor);
  json.string("subject", entry.event.subject);
  json.free_form("detail", entry.event.detail_json);
  json.string("hash", entry.hash);
  json.end_object();
}

Result<int> print_log(const AuditFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const std::uint64_t last = TRY(store->audit_anchor()).seq;
  const std::uint64_t after = flags.after.value_or(last > flags.limit ? last - flags.limit : 0);
  const std::vector<records::AuditEntry> entries = TRY(store->audit_entries(after, flags.limit));
  if (flags.records.json) {
    JsonWriter json;
    json.begin_object();
    json.key("entries");
    json.begin_array();
    for (const records::AuditEntry& entry : entries) {
      write_entry(json, entry);
    }
    json.end_array();
    json.end_object();
    return print(json.take(contract::JsonStyle::compact) + "\n");
  }
  if (entries.empty()) {
    std::fprintf(stderr, "glovebox: the log has no entry after %llu\n", static_cast<unsigned long long>(after));
    return 0;
  }
  Table table({{"ENTRY", 0, Table::Align::right}, {"WHEN (UTC)"}, {"WHAT"}, {"WHO", 8}, {"ABOUT", 30}, {"DETAIL", 6}});
  constexpr std::size_t kToTheSecond = 19;
  for (const records::AuditEntry& entry : entries) {
    const std::string when = base::format_timestamp_ms(entry.event.time_ms).substr(0, kToTheSecond);
    table.add_row({std::to_string(entry.seq), when, entry.event.kind, entry.event.actor, entry.event.subject,
                   entry.event.detail_json == "{}" ? "" : entry.event.detail_json});
  }
  return print(table.text());
}

}  // namespace

int audit_verb(Arguments arguments) {
  AuditFlags flags;
  CLI::App app(
      "The audit log: who did what, each entry chained to the one before by its hash. It also vouches for the records\n"
      "of all runs.",
      "glovebox audit");
  app.require_subcommand(1);
  CLI::App* verify_command =
      app.add_subcommand("verify", "find any change, cut or reordering of the log, a record or its contents");
  verify_command->add_flag("--quick", flags.quick, "do not read the stored contents, which may be gigabytes");
  verify_command
      ->add_option("--anchors", flags.anchors,
                   "points of the log that were kept elsewhere, one per line (- for standard input)")
      ->type_name("FILE");
  add_records_flags(*verify_command, flags.records);
  verify_command->footer(
      "Without anchors, somebody who can write all files of the data directory could write the whole log anew.\n"
      "exit status: 0 intact, 1 not, 125 when the log could not be read\n");
  CLI::App* anchor = app.add_subcommand("anchor", "print where the log ends now: one line to keep elsewhere");
  add_data_flag(*anchor, flags.records.data);
  anchor->footer("example:\n  glovebox audit anchor | ssh vault 'cat >> glovebox.anchors'\n");
  CLI::App* log = app.add_subcommand("log", "show entries, oldest first");
  log->add_option("--after", flags.after, "entries after this number (default: the last ones)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{0}, kMostSeq));
  log->add_option("--limit", flags.limit, "how many")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, kMaxEntries))
      ->capture_default_str();
  add_records_flags(*log, flags.records);
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = verify_command->parsed() ? verify(flags)
                    : anchor->parsed()       ? print_anchor(flags)
                                             : print_log(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli
