#include "cli/run_report.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>

#include "base/units.h"
#include "base/utf8.h"
#include "cli/standard_output.h"
#include "cli/verbs.h"
#include "contract/error_catalogue.h"
#include "contract/run_result_codec.h"
#include "os/files.h"
#include "runner/runner.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using contract::Outcome;
using contract::RunResult;

constexpr int kSignalBase = 128;

int signal_number(const std::string& name) {
  for (int number = 1; number < NSIG; ++number) {
    const char* abbreviation = sigabbrev_np(number);
    if (abbreviation != nullptr && name == std::string("SIG") + abbreviation) {
      return number;
    }
  }
  return 0;
}

// The result's own hint is for the model that wrote the program; where it says nothing special about this program, a
// person is better served by the catalogue's other one.
std::string hint_for_a_person(const contract::RunError& error) {
  const contract::CatalogueEntry& entry = contract::catalogue_entry(error.code);
  return std::string(error.hint.empty() || error.hint == entry.hint_model ? entry.hint_person : error.hint);
}

}  // namespace

bool ours(const RunResult& result) {
  constexpr int kHttpOk = 200;  // the run happened, whatever became of it
  return result.outcome == Outcome::setup_failed || result.outcome == Outcome::internal_error ||
         (result.error && contract::catalogue_entry(result.error->code).http_status != kHttpOk);
}

int exit_status(const RunResult& result) {
  if (result.error) {
    if (const auto status = contract::catalogue_entry(result.error->code).exit_code; status) {
      return *status;
    }
  }
  if (result.exit_code) {
    return *result.exit_code;
  }
  if (result.signal) {
    return kSignalBase + signal_number(*result.signal);
  }
  return result.success ? 0 : kExitOurs;
}

int print_json(const RunResult& result) {
  const std::string text = contract::to_json(result, contract::JsonStyle::compact) + "\n";
  return print(text) != 0 || ours(result) ? kExitOurs : 0;
}

int print_json_error(const base::Error& error) {
  RunResult result;
  result.run_id = runner::new_run_id();
  result.outcome = contract::catalogue_entry(error.code).outcome;
  result.error = contract::run_error_of(error);
  result.error->message = (error.field.empty() ? "" : error.field + ": ") + error.message;
  (void)print_json(result);
  return kExitOurs;
}

int print_value(const RunResult& result) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  std::string text;
  for (const contract::RichResult& rich : result.results) {
    text += (terminal ? base::sanitize_output(rich.json) : rich.json) + "\n";
  }
  return print(text);
}

void print_summary(const RunResult& result, const RequestFlags& flags, const std::set<std::string>* saved) {
  std::string text;
  if (result.stdout_truncated) {
    text += "glovebox: stdout was cut: " + base::format_size(result.stdout_bytes) + " in all (--output keeps more)\n";
  }
  if (result.stderr_truncated) {
    text += "glovebox: stderr was cut: " + base::format_size(result.stderr_bytes) + " in all (--output keeps more)\n";
  }
  if (!result.success) {
    text += "glovebox: " + std::string(contract::to_string(result.outcome));
    if (result.error) {
      text += ": ";
      const bool show_type = !result.error->type.empty() && result.error->type != base::to_string(result.error->code);
      text += show_type ? result.error->type + ": " : "";
      text += result.error->message;
      const bool placed = result.error->code == ErrorCode::rejected || result.error->code == ErrorCode::approval_needed;
      if (result.error->line && !placed) {  // a policy's sentence has its place in it
        text += " (line " + std::to_string(*result.error->line);
        text += result.error->column ? ", column " + std::to_string(*result.error->column) + ")" : ")";
      }
      text += "\n";
      if (result.validation.failures.size() > 1) {
        for (const std::string& failure : result.validation.failures) {
          text += "  - " + base::sanitize_output(failure) + "\n";
        }
      }
      text += "  → " + hint_for_a_person(*result.error) + "\n";
    } else {
      text += "\n";
    }
  }
  for (const contract::Denial& denial : result.denials) {
    text += "glovebox: refused " + denial.what + (denial.count > 1 ? " ×" + std::to_string(denial.count) : "") + ": " +
            denial.target + (denial.layer == "artifacts" ? " (" : " (to allow it: ") + denial.grant + ")\n";
  }
  for (const contract::Artifact& artifact : result.artifacts) {
    if (saved != nullptr && !saved->contains(artifact.path)) {
      continue;  // why not is told elsewhere
    }
    const std::string place = flags.artifact_directory.empty() ? "" : flags.artifact_directory + "/";
    text += "glovebox: artifact " + place + artifact.path + " (" + base::format_size(artifact.bytes) + ", " +
            artifact.media_type + ")\n";
  }
  (void)os::write_all(STDERR_FILENO, text);
}

}  // namespace glovebox::cli
