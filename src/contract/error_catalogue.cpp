#include "contract/error_catalogue.h"

#include <array>

namespace glovebox::contract {
namespace {

using base::ErrorCode;

// In the order of the enum, so that a code is an index.
constexpr std::array<CatalogueEntry, base::kErrorCodeCount> kCatalogue = {{
    {ErrorCode::invalid_request, 400, 125, Outcome::rejected, "invalid_request",
     "The request does not follow the contract; nothing was run.",
     "Correct the named field and send the request again; the program itself was not looked at.",
     "Compare the request with run_request.schema.json; the error names the field."},
    {ErrorCode::unsupported, 422, 125, Outcome::rejected, "unsupported",
     "The request is well formed but asks for something this installation does not offer.",
     "Use a language and settings that are available; do not retry the same request.",
     "Run `glovebox doctor` to see which languages and isolation levels work here."},
    {ErrorCode::input_too_large, 413, 125, Outcome::rejected, "input_too_large",
     "Code, stdin and files together, or the rows of one table, exceed the input limits.",
     "Send less data: filter or sample it, or pass a large file by reference as a blob.",
     "Raise limits.input_bytes or limits.input_rows, or store the file as a blob."},
    {ErrorCode::blob_missing, 422, 125, Outcome::rejected, "blob_missing",
     "A file refers to a blob that is not in the store.", "Upload the file again or send it inline.",
     "The blob was never stored or has expired; check its digest and the retention settings."},
    {ErrorCode::not_found, 404, 125, Outcome::rejected, "not_found",
     "There is nothing of that name here, or not for this caller.",
     "Check the name; what has expired or belongs to somebody else looks the same. List what is there, or begin anew.",
     "It never was, has expired, or belongs to another tenant."},
    {ErrorCode::syntax_error, 200, std::nullopt, Outcome::program_failed, "syntax_error",
     "The program could not be parsed; line and column say where.",
     "Correct the syntax at the given line and column; change nothing else.",
     "The generated code does not parse; the model should see this error and try again."},
    {ErrorCode::runtime_error, 200, std::nullopt, Outcome::program_failed, "runtime_error",
     "The program raised an error that it did not handle.",
     "Read the type, the message and the last line of the traceback, and mend that line.",
     "The program failed by itself; the sandbox worked as it should."},
    {ErrorCode::import_error, 200, std::nullopt, Outcome::program_failed, "import_error",
     "The program needs a module that is not in the image.",
     "Use a module that is available or the standard library; packages cannot be installed during a run.",
     "Build the module into an image, or choose an image that has it."},
    {ErrorCode::program_exit, 200, std::nullopt, Outcome::program_failed, "program_exit",
     "The program ended with a non-zero exit status.",
     "Look at stderr for the reason; exit with 0 when the work is done.",
     "The status is the program's own; its meaning is in the program's documentation."},
    {ErrorCode::program_signal, 200, std::nullopt, Outcome::program_failed, "program_signal",
     "The program was ended by a signal such as SIGSEGV or SIGABRT.",
     "A native crash: avoid the failing call or pass it smaller, valid data.",
     "The crash happened inside the program or one of its libraries, not in the sandbox."},
    {ErrorCode::wall_timeout, 200, 124, Outcome::timeout, "wall_timeout",
     "The wall clock limit passed and everything in the run was killed.",
     "Do less work, look for an endless loop, and do not sleep or wait for input.",
     "Raise limits.wall_ms if the work is really that long."},
    {ErrorCode::cpu_limit, 200, 124, Outcome::cpu_limit, "cpu_limit",
     "The CPU time limit was used up and everything in the run was killed.",
     "Use a faster algorithm or less data; look for an endless loop.",
     "Raise limits.cpu_ms; it counts all processes and threads of the run together."},
    {ErrorCode::memory_limit, 200, 137, Outcome::memory_limit, "memory_limit",
     "The memory limit was reached and the run was killed.",
     "Hold less in memory: read in chunks, choose smaller types, drop what is no longer needed.",
     "Raise limits.memory_bytes; files that the program writes count as memory too."},
    {ErrorCode::disk_limit, 200, 125, Outcome::disk_limit, "disk_limit",
     "The program filled its writable space or used up its inodes.",
     "Write fewer and smaller files, and delete temporary ones.", "Raise limits.disk_bytes or limits.inodes."},
    {ErrorCode::process_limit, 200, 125, Outcome::process_limit, "process_limit",
     "The program started more processes and threads than it may.",
     "Start fewer workers; one process is usually enough here.", "Raise limits.processes; threads count as well."},
    {ErrorCode::output_limit, 200, 125, Outcome::output_limit, "output_limit",
     "The program flooded stdout or stderr far beyond what is kept and was killed.",
     "Print a summary, and write large data to a file that is an artifact.",
     "Raise limits.output_bytes if so much output is wanted."},
    {ErrorCode::artifact_limit, 200, 125, Outcome::output_limit, "artifact_limit",
     "The artifacts are too many or too large.", "Write fewer or smaller files, and compress or aggregate them.",
     "Raise limits.artifact_count, limits.artifact_file_bytes or limits.artifact_bytes."},
    {ErrorCode::denied, 200, 126, Outcome::denied, "denied",
     "The wall refused something, and the program failed for it; denials lists what and which grant would allow it.",
     "Do it without the refused operation; the sandbox has no network and only its work directory.",
     "If the operation is wanted, give the grant that the denial names and run again."},
    {ErrorCode::rejected, 200, 126, Outcome::rejected, "rejected", "The policy refused the program before it ran.",
     "Follow the named rule: avoid the import or the call at the given line.",
     "Change the policy if the rule is too strict for this caller."},
    {ErrorCode::approval_needed, 200, 126, Outcome::rejected, "approval_needed",
     "The policy asks for a person's approval, and there is none; the program did not run.",
     "Avoid what the named rule is about, or tell a person that it needs approval; do not repeat it unchanged.",
     "Read the program and approve it as the error says, or change the policy."},
    {ErrorCode::invalid_output, 200, 125, Outcome::invalid_output, "invalid_output",
     "The program ended well, but its output or artifacts do not meet `expect`.",
     "Compare the output with each listed validation failure and correct the program.",
     "Nothing that failed validation counts as a success; see validation.failures."},
    {ErrorCode::cancelled, 200, 130, Outcome::cancelled, "cancelled",
     "The run was stopped on request; the output so far is kept.",
     "The caller stopped this run; do not repeat it unasked.",
     "Somebody or something cancelled this run by its id or with an interrupt."},
    {ErrorCode::quota_exceeded, 429, 125, Outcome::rejected, "quota_exceeded",
     "A quota of this tenant is used up; nothing was run.",
     "Not a fault of the program; wait as long as Retry-After says and send the same request again.",
     "Raise the tenant's quota with `glovebox tenants set`, or spread the work."},
    {ErrorCode::budget_exceeded, 429, 125, Outcome::rejected, "budget_exceeded",
     "The task has used up its budget of time or bytes.",
     "Stop here: more attempts at this task are not allowed. Report what is known so far.",
     "Give the task a larger budget in glovebox.toml, or start a new task id."},
    {ErrorCode::circuit_open, 429, 125, Outcome::rejected, "circuit_open",
     "The task or the tenant failed too often and is stopped for a while; nothing was run.",
     "Stop here: the same error came again and again. Report it, or try something else than before.",
     "Look at the failed runs (`glovebox runs --task NAME`); after Retry-After one run may try again."},
    {ErrorCode::overloaded, 503, 125, Outcome::rejected, "overloaded",
     "Too much work is waiting already; nothing was run.",
     "Not a fault of the program; wait as long as Retry-After says and send the same request again.",
     "Add workers or machines, or lower the load; /metrics shows the queue."},
    {ErrorCode::stopped, 503, 125, Outcome::rejected, "stopped",
     "The service was stopped by an administrator; nothing was run.",
     "Not a fault of the program; stop and tell a person.",
     "`glovebox admin state` says who stopped it and why; `glovebox admin resume` ends it."},
    {ErrorCode::draining, 503, 125, Outcome::rejected, "draining", "The service is shutting down; nothing was run.",
     "Not a fault of the program; send the same request again a little later.",
     "The service ends as soon as the running programs have ended."},
    {ErrorCode::idempotency_conflict, 422, 125, Outcome::rejected, "idempotency_conflict",
     "The idempotency key was used for another request.", "Use a new idempotency key for a new request.",
     "A key stands for one request; the caller sent two different ones under it."},
    {ErrorCode::interrupted, 409, 125, Outcome::rejected, "interrupted",
     "A run with this idempotency key was cut off when the service died; it is not run twice.",
     "It is unknown how far the earlier run came. Use a new idempotency key to run it again.",
     "The record of the earlier run is marked interrupted; the service's log tells why it ended."},
    {ErrorCode::host_unsupported, 501, 125, Outcome::setup_failed, "host_unsupported",
     "This host lacks a kernel feature that the isolation level needs.",
     "Not a fault of the program; do not change it.",
     "Run `glovebox doctor`; it names the missing feature and how to turn it on."},
    {ErrorCode::limits_unavailable, 503, 125, Outcome::setup_failed, "limits_unavailable",
     "A limit cannot be enforced on this host, so the run was not started.",
     "Not a fault of the program; do not change it.",
     "Run `glovebox doctor`, delegate the missing cgroup controller, or opt in to the named degraded mode."},
    {ErrorCode::image_unavailable, 503, 125, Outcome::setup_failed, "image_unavailable",
     "The image or the interpreter for this language is not there.",
     "Not a fault of the program; use another language if one will do.",
     "Install the interpreter or import the image; `glovebox doctor` lists what was looked for."},
    {ErrorCode::setup_failed, 500, 125, Outcome::setup_failed, "setup_failed",
     "The cell could not be built; the program did not run.",
     "Not a fault of the program; the same request may work when sent again.",
     "The error names the failed stage and the errno; `glovebox doctor` tries each stage by itself."},
    {ErrorCode::internal_error, 500, 125, Outcome::internal_error, "internal_error",
     "Something went wrong inside Glovebox itself.", "Not a fault of the program; do not change it.",
     "Please report it together with the run id and the log of the daemon."},
}};

constexpr bool is_in_enum_order() {
  for (std::size_t index = 0; index < kCatalogue.size(); ++index) {
    if (static_cast<std::size_t>(kCatalogue[index].code) != index) {
      return false;
    }
  }
  return true;
}
static_assert(is_in_enum_order());

}  // namespace

const CatalogueEntry& catalogue_entry(ErrorCode code) { return kCatalogue.at(static_cast<std::size_t>(code)); }

std::span<const CatalogueEntry> error_catalogue() { return kCatalogue; }

RunError run_error_of(const base::Error& error) {
  RunError told;
  told.code = error.code;
  told.type = base::to_string(error.code);
  told.message = error.message;
  told.hint = error.hint.empty() ? std::string(catalogue_entry(error.code).hint_model) : error.hint;
  return told;
}

std::optional<ErrorCode> parse_error_code(std::string_view name) {
  for (const CatalogueEntry& entry : kCatalogue) {
    if (base::to_string(entry.code) == name) {
      return entry.code;
    }
  }
  return std::nullopt;
}

}  // namespace glovebox::contract
