#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/moments.h"
#include "cli/records_flags.h"
#include "cli/run_view.h"
#include "cli/table.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "os/files.h"
#include "records/record_json.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;
using records::RunSummary;

constexpr std::size_t kMaxShownBytes = 100;  // of an id or a path in a message

struct RunsFlags {
  RecordsFlags records;
  std::string outcome;
  std::string language;
  std::string task;
  std::string state;
  std::string tenant;
  std::string since;
  std::uint64_t limit = 20;
  bool all = false;
  std::string id;
  std::vector<std::string> ids;
  std::string path;
  std::string output = "-";
};

void add_list_flags(CLI::App& app, RunsFlags& flags) {
  app.add_option("--outcome", flags.outcome, "only this outcome: ok, program_failed, timeout, …")->type_name("NAME");
  app.add_option("--language", flags.language, "only this language")->type_name("NAME");
  app.add_option("--task", flags.task, "only runs of this task")->type_name("ID");
  app.add_option("--state", flags.state, "only running, finished or interrupted")->type_name("NAME");
  app.add_option("--tenant", flags.tenant, "only runs of this tenant")->type_name("NAME");
  app.add_option("--since", flags.since, "only what began since: 2h, 7d, 2025-11-16T02:03:04Z")->type_name("WHEN");
  CLI::Option* limit = app.add_option("--limit", flags.limit, "how many, the newest first")
                           ->type_name("N")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
                           ->capture_default_str();
  app.add_flag("--all", flags.all, "every one")->excludes(limit);
  add_records_flags(app, flags.records);
}

base::Error unknown_name(const char* flag, const std::string& given, const std::vector<std::string_view>& names) {
  return flag_error(flag, "there is no \"" + base::printable(given, kMaxShownBytes) + "\"")
      .with_hint("one of " + contract::list_names(names));
}

Result<records::RunFilter> filter_of(const RunsFlags& flags, std::int64_t now_ms) {
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  records::RunFilter filter;
  filter.tenant = given(flags.tenant);
  filter.language = given(flags.language);
  filter.task_id = given(flags.task);
  if (!flags.outcome.empty()) {
    filter.outcome = contract::parse_outcome(flags.outcome);
    if (!filter.outcome) {
      std::vector<std::string_view> names;
      names.reserve(contract::kOutcomeCount);
      for (int index = 0; index < contract::kOutcomeCount; ++index) {
        names.push_back(contract::to_string(static_cast<contract::Outcome>(index)));
      }
      return fail(unknown_name("--outcome", flags.outcome, names));
    }
  }
  if (!flags.state.empty()) {
    filter.state = records::parse_run_state(flags.state);
    // Only a service knows which of its runs wait; the store says that they are running.
    if (filter.state == records::RunState::waiting) {
      return fail(flag_error("--state", "records do not tell which runs wait").with_hint("`glovebox approvals` does"));
    }
    if (!filter.state) {
      return fail(unknown_name("--state", flags.state, {"running", "finished", "interrupted"}));
    }
  }
  if (!flags.since.empty()) {
    auto since = parse_past_ms(flags.since, now_ms);
    if (!since) {
      return fail(std::move(since.error()).with_field("--since"));
    }
    filter.since_ms = *since;
  }
  return filter;
}

Result<records::RunPage> collect(records::Store& store, const records::RunFilter& filter, std::uint64_t limit) {
  records::RunPage found;
  do {
    const std::uint64_t wanted = std::min<std::uint64_t>(limit - found.runs.size(), records::kMaxPageRuns);
    records::RunPage page = TRY(store.list(filter, found.next_cursor, wanted));
    found.runs.insert(found.runs.end(), page.runs.begin(), page.runs.end());
    found.next_cursor = std::move(page.next_cursor);
  } while (!found.next_cursor.empty() && found.runs.size() < limit);
  return found;
}

std::string table_of(const std::vector<RunSummary>& runs, std::int64_t now_ms) {
  const auto differs = [&](const RunSummary& run) { return run.tenant != runs.front().tenant; };
  const bool several_tenants = std::any_of(runs.begin(), runs.end(), differs);
  Table table({{"RUN"},
               {"OUTCOME"},
               {"LANGUAGE", 8},
               {"AGE", 0, Table::Align::right},
               {"WALL MS", 0, Table::Align::right},
               {"TENANT", 6},
               {"TASK", 4}});
  for (const RunSummary& run : runs) {
    const std::string_view outcome = run.outcome ? contract::to_string(*run.outcome) : records::to_string(run.state);
    table.add_row({run.run_id, std::string(outcome), run.language, format_span(now_ms - run.created_ms),
                   run.outcome ? fmt::format("{:.1f}", run.wall_ms) : "-", several_tenants ? run.tenant : "",
                   run.task_id});
  }
  return table.text();
}

Result<int> list_runs(const RunsFlags& flags) {
  const std::int64_t now_ms = runner::unix_ms();
  const records::RunFilter filter = TRY(filter_of(flags, now_ms));
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const std::uint64_t limit = flags.all ? std::numeric_limits<std::uint64_t>::max() : flags.limit;
  const records::RunPage page = TRY(collect(*store, filter, limit));
  if (flags.records.json) {
    return print(records::to_json(page, records::Tenants::several) + "\n");
  }
  if (page.runs.empty()) {
    std::fprintf(stderr, "glovebox: no run matches\n");
    return 0;
  }
  const int status = print(table_of(page.runs, now_ms));
  if (!page.next_cursor.empty()) {
    std::fprintf(stderr, "glovebox: there are older ones; --limit and --all show more\n");
  }
  return status;
}

base::Error no_such_run(const std::string& id) {
  return make_error(ErrorCode::invalid_request, "there is no run " + base::printable(id, kMaxShownBytes))
      .with_hint("`glovebox runs` lists them");
}

Result<int> show_run(const RunsFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const auto record = TRY(store->find(flags.id));
  if (!record) {
    return fail(no_such_run(flags.id));
  }
  return print(flags.records.json ? records::to_json(*record) + "\n" : describe_run(*record, runner::unix_ms()));
}

Result<int> write_artifact(const std::string& bytes, const std::string& output) {
  if (output != "-") {
    const base::Fd file(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.valid()) {
      return fail(base::errno_error(ErrorCode::invalid_request, "", "cannot write " + output).with_field("--output"));
    }
    TRY_STATUS(os::write_all(file.get(), bytes));
    return 0;
  }
  if (::isatty(STDOUT_FILENO) == 1) {
    if (!base::is_valid_utf8(bytes)) {
      return fail(make_error(ErrorCode::invalid_request, "this is no text, and standard output is a terminal")
                      .with_hint("save it with -o FILE"));
    }
    return print(base::sanitize_output(bytes));
  }
  return print(bytes);
}

Result<int> get_artifact(const RunsFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  const auto artifact = TRY(store->artifact(flags.id, flags.path));
  if (artifact) {
    return write_artifact(artifact->bytes, flags.output);
  }
  const auto record = TRY(store->find(flags.id));
  if (!record) {
    return fail(no_such_run(flags.id));
  }
  std::string names;
  for (const contract::Artifact& known :
       record->result ? record->result->artifacts : std::vector<contract::Artifact>()) {
    names += (names.empty() ? "" : ", ") + one_line(known.path);
  }
  return fail(
      make_error(ErrorCode::invalid_request, "the run has no artifact " + base::printable(flags.path, kMaxShownBytes))
          .with_hint(names.empty() ? "it has none at all" : "it has " + names));
}

Result<int> delete_runs(const RunsFlags& flags) {
  const auto store = TRY(open_store(flags.records, WhenMissing::refuse));
  for (const std::string& id : flags.ids) {
    if (!TRY(store->remove(id, local_actor(), runner::unix_ms()))) {
      return fail(no_such_run(id));
    }
    if (!flags.records.json) {
      std::fprintf(stderr, "glovebox: %s is deleted\n", id.c_str());
    }
  }
  if (!flags.records.json) {
    return 0;
  }
  contract::JsonWriter json;
  json.begin_object();
  json.key("deleted");
  json.begin_array();
  for (const std::string& id : flags.ids) {
    json.string(id);
  }
  json.end_array();
  json.end_object();
  return print(json.take(contract::JsonStyle::compact) + "\n");
}

}  // namespace

int runs_verb(Arguments arguments) {
  RunsFlags flags;
  CLI::App app("Looks into the records of runs: those of `glovebox serve` and of `glovebox run --record`.",
               "glovebox runs");
  app.require_subcommand(0, 1);
  add_list_flags(app, flags);
  CLI::App* list = app.add_subcommand("list", "the newest runs; the same as without a word")->alias("ls");
  add_list_flags(*list, flags);
  CLI::App* show = app.add_subcommand("show", "all that is kept of a run");
  show->add_option("ID", flags.id, "run_…")->required();
  add_records_flags(*show, flags.records);
  CLI::App* artifact = app.add_subcommand("artifact", "the bytes of a file that a run left");
  artifact->add_option("ID", flags.id, "run_…")->required();
  artifact->add_option("PATH", flags.path, "of the artifact, as `show` lists it")->required();
  artifact->add_option("-o,--output", flags.output, "write it there (- for standard output)")
      ->type_name("FILE")
      ->capture_default_str();
  add_data_flag(*artifact, flags.records.data);
  CLI::App* remove = app.add_subcommand("delete", "remove runs and their contents for good; the audit log says so");
  remove->add_option("ID", flags.ids, "run_…")->required();
  add_records_flags(*remove, flags.records);
  app.footer(
      "examples:\n"
      "  glovebox runs --outcome program_failed --since 2h\n"
      "  glovebox runs show run_…\n"
      "  glovebox runs artifact run_… plot.png -o plot.png\n");
  if (const auto status = parse(app, std::move(arguments)); status) {
    return *status;
  }
  const auto done = show->parsed()       ? show_run(flags)
                    : artifact->parsed() ? get_artifact(flags)
                    : remove->parsed()   ? delete_runs(flags)
                                         : list_runs(flags);
  return done ? *done : report(done.error());
}

}  // namespace glovebox::cli
