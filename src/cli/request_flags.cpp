#include "cli/request_flags.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>

#include "base/units.h"
#include "cli/flag_rules.h"
#include "cli/policy_directory.h"
#include "cli/records_flags.h"
#include "contract/json_parse.h"
#include "contract/request_rules.h"
#include "contract/run_request_codec.h"
#include "os/files.h"
#include "runner/config.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::make_error;
using base::Result;
using base::Status;
using contract::RunRequest;

constexpr std::size_t kMaxInlineFileBytes = 256U << 20U;

enum class LimitKind { duration, size, number };

struct LimitFlag {
  const char* flag;
  std::uint64_t contract::Limits::*field;
  LimitKind kind;
  const char* help;
};

constexpr std::array kLimitFlags = {
    LimitFlag{"--timeout", &contract::Limits::wall_ms, LimitKind::duration, "wall clock (5s)"},
    LimitFlag{"--cpu-time", &contract::Limits::cpu_ms, LimitKind::duration, "CPU time (5s)"},
    LimitFlag{"--memory", &contract::Limits::memory_bytes, LimitKind::size, "memory (256M)"},
    LimitFlag{"--disk", &contract::Limits::disk_bytes, LimitKind::size, "what the program may write (64M)"},
    LimitFlag{"--inodes", &contract::Limits::inodes, LimitKind::number, "files it may create (8192)"},
    LimitFlag{"--processes", &contract::Limits::processes, LimitKind::number, "processes and threads (64)"},
    LimitFlag{"--open-files", &contract::Limits::open_files, LimitKind::number, "open files per process (256)"},
    LimitFlag{"--cpu-percent", &contract::Limits::cpu_percent, LimitKind::number, "share of one CPU (100)"},
    LimitFlag{"--output", &contract::Limits::output_bytes, LimitKind::size, "kept of stdout and of stderr (1M)"},
    LimitFlag{"--artifact-count", &contract::Limits::artifact_count, LimitKind::number, "artifacts (16)"},
    LimitFlag{"--artifact-file", &contract::Limits::artifact_file_bytes, LimitKind::size, "one artifact (8M)"},
    LimitFlag{"--artifact-total", &contract::Limits::artifact_bytes, LimitKind::size, "all artifacts (32M)"},
    LimitFlag{"--input-total", &contract::Limits::input_bytes, LimitKind::size, "code, stdin and files (64M)"},
    LimitFlag{"--input-rows", &contract::Limits::input_rows, LimitKind::number,
              "rows of one csv, tsv or jsonl (1000000)"},
};

// A named pipe whose writer is there, as <(…) of a shell gives, is read to its end. One that nobody writes to would
// hang for ever when it is opened in the ordinary way.
Result<std::string> read_path(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    return fail(base::errno_error(ErrorCode::internal_error, "open", "cannot open " + path));
  }
  struct stat what {};
  if (::fstat(file.get(), &what) == 0 && S_ISFIFO(what.st_mode)) {
    // The end at once and no hang-up: there never was a writer. One that has nothing to say yet gives EAGAIN.
    pollfd ready{file.get(), POLLIN, 0};
    char none = 0;
    if (::poll(&ready, 1, 0) == 0 && ::read(file.get(), &none, 1) == 0) {
      return fail(make_error(ErrorCode::invalid_request, path + " is a named pipe without a writer"));
    }
  }
  ::fcntl(file.get(), F_SETFL, 0);
  return os::read_all(file.get(), kMaxInlineFileBytes);
}

Result<std::string> read_named(const std::string& flag, const std::string& path) {
  auto bytes = path == "-" ? os::read_all(STDIN_FILENO, kMaxInlineFileBytes) : read_path(path);
  if (!bytes) {
    base::Error error = std::move(bytes.error());
    error.field = flag;
    if (error.code == ErrorCode::input_too_large) {
      error.message = path + " is " + error.message;
    } else if (error.message.find(path) == std::string::npos) {
      error.message = path + ": " + error.message;
    }
    error.stage.clear();
    if (error.code == ErrorCode::input_too_large) {
      error.hint = "store it with `glovebox blob add " + path + "` and pass it with --blob";
    } else {
      error.code = ErrorCode::invalid_request;
    }
    return fail(std::move(error));
  }
  return bytes;
}

// NAME=PATH, or PATH alone, which appears under its last part.
std::pair<std::string, std::string> split_file_flag(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  const std::size_t slash = text.rfind('/');
  return {slash == std::string::npos ? text : text.substr(slash + 1), text};
}

Status add_files(const RequestFlags& flags, RunRequest& request) {
  for (const std::string& text : flags.files) {
    const auto [name, path] = split_file_flag(text);
    auto parsed = base::RelPath::parse(name);
    if (!parsed) {
      return fail(std::move(parsed.error()).with_field("--file " + text));
    }
    std::string bytes = TRY(read_named("--file", path));
    request.files.push_back({*parsed, std::move(bytes)});
  }
  for (const std::string& text : flags.blobs) {
    const std::size_t equals = text.find('=');
    constexpr std::string_view kPrefix = "sha256:";
    const std::string reference = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (!reference.starts_with(kPrefix)) {
      return fail(flag_error("--blob", "\"" + text + "\" is not NAME=sha256:DIGEST"));
    }
    auto parsed = base::RelPath::parse(text.substr(0, equals));
    if (!parsed) {
      return fail(std::move(parsed.error()).with_field("--blob " + text));
    }
    request.files.push_back({*parsed, contract::BlobRef{reference.substr(kPrefix.size())}});
  }
  return {};
}

Status add_limits(const RequestFlags& flags, RunRequest& request) {
  for (const LimitFlag& limit : kLimitFlags) {
    const auto typed = flags.limits.find(limit.flag);
    if (typed == flags.limits.end() || typed->second.empty()) {
      continue;
    }
    auto value =
        limit.kind == LimitKind::duration ? base::parse_duration_ms(typed->second) : base::parse_size(typed->second);
    if (!value && limit.kind == LimitKind::number) {
      return fail(flag_error(limit.flag, "\"" + typed->second + "\" is not a number"));
    }
    if (!value) {
      return fail(std::move(value.error()).with_field(limit.flag));
    }
    request.limits.*(limit.field) = *value;
  }
  return {};
}

Status add_environment(const RequestFlags& flags, RunRequest& request) {
  std::set<std::string> given;
  for (const std::string& text : flags.env) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(flag_error("--env", "\"" + text + "\" is not NAME=VALUE"));
    }
    if (!given.insert(text.substr(0, equals)).second) {
      return fail(flag_error("--env", text.substr(0, equals) + " is given twice"));
    }
    request.env[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

Status add_program(const RequestFlags& flags, const engine::LanguageCatalogue& languages, RunRequest& request) {
  request.args = flags.words;
  if (flags.has_code) {
    request.code = flags.code;
  } else {
    if (flags.words.empty()) {
      return fail(make_error(ErrorCode::invalid_request, "nothing to run")
                      .with_hint("name a script, or give the program with -c, or a whole request with --request"));
    }
    const std::string script = flags.words.front();
    request.args.erase(request.args.begin());
    request.code = TRY(read_named("", script));
    if (flags.language.empty()) {
      const auto language = languages.language_of_file(script);
      if (!language) {
        return fail(
            flag_error(script, "the name does not tell the language").with_hint("say it with --language python"));
      }
      request.language = *language;
    }
  }
  if (!flags.language.empty()) {
    request.language = flags.language;
  }
  return {};
}

// What a request says itself is not said a second time beside it: one of the two would be ignored.
Status refuse_beside_request(const RequestFlags& flags) {
  struct Rival {
    const char* flag;
    bool given;
    const char* what;
  };
  const std::array rivals = {
      Rival{"-c", flags.has_code, "program"},
      Rival{"script", !flags.words.empty(), "program and arguments"},
      Rival{"--language", !flags.language.empty(), "language"},
      Rival{"--stdin", flags.standard_input.has_value(), "standard input"},
      Rival{"--stdin-file", !flags.standard_input_file.empty(), "standard input"},
      Rival{"--input", flags.has_input, "input"},
  };
  for (const Rival& rival : rivals) {
    if (rival.given) {
      return fail(flag_error(rival.flag, std::string("a request brings its own ") + rival.what)
                      .with_hint(std::string("leave it out beside --request, or change it in the request")));
    }
  }
  return {};
}

// A pipe or a file; not a terminal, and not /dev/null.
bool is_piped(int fd) {
  struct stat what {};
  return ::fstat(fd, &what) == 0 && (S_ISFIFO(what.st_mode) || S_ISREG(what.st_mode) || S_ISSOCK(what.st_mode));
}

// Another flag reads it: --file data.csv=-, --input @-, --expect -, or a script called -.
bool is_taken(const RequestFlags& flags) {
  const auto reads_ours = [](const std::string& file) { return split_file_flag(file).second == "-"; };
  return flags.input == "@-" || flags.expect_file == "-" || (!flags.words.empty() && flags.words.front() == "-") ||
         std::any_of(flags.files.begin(), flags.files.end(), reads_ours);
}

// All of it before the program starts: a request has its input from the beginning.
Result<std::string> read_piped_input(const RequestFlags& flags) {
  constexpr int kQuietMs = 2000;
  pollfd ready{STDIN_FILENO, POLLIN, 0};
  if (!flags.quiet && !flags.json && ::poll(&ready, 1, kQuietMs) == 0) {
    std::fputs("glovebox: waiting for standard input to end; --stdin none runs without it\n", stderr);
  }
  auto bytes = os::read_all(STDIN_FILENO, kMaxInlineFileBytes);
  if (!bytes) {
    base::Error error = std::move(bytes.error());
    error.field = "standard input";
    if (error.code == ErrorCode::input_too_large) {
      error.message = "standard input is " + error.message;
      error.hint = "put it into a file, store that with `glovebox blob add FILE` and pass it with --blob";
    }
    return fail(std::move(error));
  }
  return bytes;
}

Status add_input(const RequestFlags& flags, RunRequest& request) {
  if (!flags.standard_input_file.empty()) {
    if (flags.standard_input) {
      return fail(flag_error("--stdin", "standard input already comes from --stdin-file"));
    }
    request.standard_input = TRY(read_named("--stdin-file", flags.standard_input_file));
  } else if (flags.standard_input) {
    request.standard_input = *flags.standard_input == "none" ? "" : *flags.standard_input;
  } else if (flags.takes_piped_input && !is_taken(flags) && is_piped(STDIN_FILENO)) {
    request.standard_input = TRY(read_piped_input(flags));
  }
  if (flags.has_input) {
    request.input_json = flags.input.starts_with("@") ? TRY(read_named("--input", flags.input.substr(1))) : flags.input;
  }
  return {};
}

struct LimitName {
  const char* field;
  const char* flag;
};
constexpr std::array kLimitNames = {
    LimitName{"limits.wall_ms", "--timeout"},       LimitName{"limits.cpu_ms", "--cpu-time"},
    LimitName{"limits.memory_bytes", "--memory"},   LimitName{"limits.disk_bytes", "--disk"},
    LimitName{"limits.inodes", "--inodes"},         LimitName{"limits.processes", "--processes"},
    LimitName{"limits.open_files", "--open-files"}, LimitName{"limits.cpu_percent", "--cpu-percent"},
    LimitName{"limits.output_bytes", "--output"},
};

// The caller typed a flag, so the error names the flag.
base::Error in_terms_of_flags(base::Error error) {
  for (const LimitName& name : kLimitNames) {
    if (error.field == name.field) {
      error.field = name.flag;
    }
  }
  return error;
}

// Only records cannot do without a place: a program can run where there is no home.
Result<std::string> data_place(const RequestFlags& flags, const runner::Config& config) {
  auto place = data_directory(flags.data, config);
  return place || flags.record ? place : "";
}

}  // namespace

// A list takes one value each time it is named (allow_extra_args): else `--file data.csv script.py` would eat the
// script.
void add_request_flags(CLI::App& app, RequestFlags& flags) {
  app.add_option("script", flags.words, "the program, then the arguments for it (behind --)");
  app.add_option_function<std::string>(
         "-c,--code",
         [&flags](const std::string& code) {
           flags.code = code;
           flags.has_code = true;
         },
         "the program itself")
      ->group("Program");
  app.add_option("-l,--language", flags.language, "python, javascript, bash, … (by the script's name if left out)")
      ->type_name("NAME")
      ->check(not_empty())
      ->group("Program");
  app.add_option("--request", flags.request_file, "a whole request of the contract as JSON (- for standard input)")
      ->type_name("FILE")
      ->group("Program");
  app.add_option_function<std::string>(
         "--input",
         [&flags](const std::string& input) {
           flags.input = input;
           flags.has_input = true;
         },
         "the program defines solve(input); this JSON (or @FILE) is its argument")
      ->group("Program");
  app.add_option("-f,--file", flags.files, "a file for the work directory: PATH or NAME=PATH; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--blob", flags.blobs, "a stored file, read-only: NAME=sha256:DIGEST; repeatable")
      ->type_name("NAME=REF")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--stdin", flags.standard_input, "text for standard input; none: empty, whatever is piped into us")
      ->type_name("TEXT")
      ->group("Data");
  app.add_option("--stdin-file", flags.standard_input_file, "standard input from a file (- for our own)")
      ->type_name("FILE")
      ->group("Data");
  app.add_option("-e,--env", flags.env,
                 "NAME=VALUE, beside what the language sets itself; nothing of ours is passed on; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--collect", flags.collect,
                 "which files come back as artifacts: a pattern such as '*.png' or 'out/**'")
      ->type_name("PATTERN")
      ->allow_extra_args(false)
      ->group("Data");
  app.add_option("--artifacts", flags.artifact_directory,
                 "save artifacts below this directory (all files, unless --collect)")
      ->type_name("DIR")
      ->check(not_empty())
      ->group("Data");
  app.add_option("--expect", flags.expect_file, "what must be true of the result: JSON as in docs/verification.md")
      ->type_name("FILE")
      ->group("Answer");
  app.add_flag("--overwrite", flags.overwrite, "let artifacts replace files that are there already")
      ->needs("--artifacts")
      ->group("Data");
  for (const LimitFlag& limit : kLimitFlags) {
    const char* unit = limit.kind == LimitKind::duration ? "TIME" : limit.kind == LimitKind::size ? "SIZE" : "N";
    app.add_option(limit.flag, flags.limits[limit.flag], limit.help)->type_name(unit)->group("Limits");
  }
  app.add_flag("--deterministic", flags.deterministic,
               "twice the same program, the same bytes: virtual clock, seeded random numbers, one CPU")
      ->group("Program");
  app.add_option("--isolation", flags.isolation, "container (the default); nothing weaker is ever chosen by itself")
      ->type_name("LEVEL")
      ->check(not_empty())
      ->group("Wall");
  app.add_option("--policy", flags.policy, "named policy (default); `glovebox policy ls` lists them")
      ->type_name("NAME")
      ->check(not_empty())
      ->group("Wall");
  app.add_option("--policy-dir", flags.policy_directory, "policies of your own (policy.directory of glovebox.toml)")
      ->type_name("DIR")
      ->check(not_empty())
      ->group("Wall");
  app.add_flag("--degraded", flags.degraded,
               "run although the kernel cannot enforce all limits here: rlimits and polling instead of control groups")
      ->group("Wall");
}

Result<std::unique_ptr<runner::Runner>> make_runner(const RequestFlags& flags) {
  const runner::Config config = TRY(runner::load_config(runner::default_config_files()));
  runner::RunnerOptions options = runner::default_runner_options();
  const bool degraded = flags.degraded || config.degraded;
  options.engine.degraded = degraded ? engine::DegradedMode::allow : engine::DegradedMode::refuse;
  options.policies = TRY(policy_places(config, flags.policy_directory));
  const std::string data = TRY(data_place(flags, config));
  if (!data.empty()) {
    options.blob_directory = data + "/blobs";
  }
  if (flags.record) {
    options.ledger = runner::LedgerOptions{data, runner::LedgerUse::visit, config.service};
  }
  // A store has threads, and a process with threads must not fork a launcher.
  const bool threads = flags.record || flags.serves;
  options.engine.launcher_style = threads ? engine::LauncherStyle::program : engine::LauncherStyle::fork;
  options.engine.pool = config.pool;
  options.engine.pool.enabled = flags.warm;
  if (!flags.serves) {
    options.engine.pool.least_idle = 1;
    options.engine.pool.most_idle = 1;
  }
  return runner::Runner::create(std::move(options));
}

Result<RunRequest> build_request(const RequestFlags& flags, const engine::LanguageCatalogue& languages) {
  RunRequest request;
  if (!flags.request_file.empty()) {
    TRY_STATUS(refuse_beside_request(flags));
    const std::string text = TRY(read_named("--request", flags.request_file));
    request = TRY(contract::parse_run_request(text));
  } else {
    TRY_STATUS(add_program(flags, languages, request));
    TRY_STATUS(add_input(flags, request));
  }
  TRY_STATUS(add_files(flags, request));
  TRY_STATUS(add_environment(flags, request));
  TRY_STATUS(add_limits(flags, request));
  if (!flags.isolation.empty()) {
    const auto isolation = contract::parse_isolation(flags.isolation);
    if (!isolation) {
      return fail(flag_error("--isolation", "\"" + flags.isolation + "\" is not a level").with_hint("use container"));
    }
    request.isolation = *isolation;
  }
  if (!flags.expect_file.empty()) {
    const std::string text = TRY(read_named("--expect", flags.expect_file));
    request.expect_json = TRY(contract::compact_json(text, "--expect"));
  }
  request.deterministic = request.deterministic || flags.deterministic;
  if (!flags.policy.empty()) {
    request.policy = flags.policy;
  }
  if (auto checked = contract::check_run_request(request); !checked && flags.request_file.empty()) {
    return fail(in_terms_of_flags(std::move(checked.error())));
  }
  request.artifacts.insert(request.artifacts.end(), flags.collect.begin(), flags.collect.end());
  if (!flags.artifact_directory.empty() && request.artifacts.empty()) {
    request.artifacts = {"**"};
  }
  return request;
}

}  // namespace glovebox::cli
