// Glovebox as a library: run a program in a sealed cell, watch its output as it comes, look at the answer.
//
//   glovebox-embed                  the program below
//   glovebox-embed script.py        your own
//
// Three types are all there is to learn: RunRequest goes in, Events come by while it runs, RunResult comes out.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/rel_path.h"
#include "runner/runner.h"

namespace {

using glovebox::contract::Event;
using glovebox::contract::EventKind;
using glovebox::contract::RunRequest;
using glovebox::contract::RunResult;

constexpr const char* kProgram = R"(
import csv, json, socket

rows = list(csv.DictReader(open("sales.csv")))
print(f"{len(rows)} rows", flush=True)
with open("total.json", "w") as out:
    json.dump({"total": sum(int(row["paid"]) for row in rows)}, out)
try:
    socket.create_connection(("192.0.2.1", 80))
except OSError as error:
    print("no way out:", error.strerror)
)";

// Called on the thread that called run(), so it needs no lock; it must not block.
void show(const Event& event) {
  switch (event.kind) {
    case EventKind::state:
      fmt::print("[{}]\n", event.data);
      break;
    case EventKind::standard_output:
      fmt::print("{}", event.data);
      break;
    case EventKind::standard_error:
      fmt::print(stderr, "{}", event.data);
      break;
  }
  std::fflush(stdout);
}

void print_result(const RunResult& result) {
  fmt::print("outcome    {}\n", glovebox::contract::to_string(result.outcome));
  if (result.error) {
    fmt::print("error      {}\n           {}\n", result.error->message, result.error->hint);
  }
  for (const auto& artifact : result.artifacts) {
    fmt::print("artifact   {} ({} bytes): {}\n", artifact.path, artifact.bytes, artifact.content);
  }
  for (const auto& denial : result.denials) {
    fmt::print("refused    {}: {}\n", denial.what, denial.target);
  }
  fmt::print("enforced   {}\n", fmt::join(result.provenance.enforced, ", "));
}

int run(const RunRequest& request) {
  // One Runner for the whole process; run() may be called from any number of threads.
  auto runner = glovebox::runner::Runner::create(glovebox::runner::default_runner_options());
  if (!runner) {
    fmt::print(stderr, "{}\n", glovebox::base::describe(runner.error()));
    return 1;
  }
  glovebox::runner::RunOptions options;
  options.events = show;
  const RunResult result = (*runner)->run(request, options);
  print_result(result);
  return result.success ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  RunRequest request;
  request.language = "python";
  request.code = kProgram;
  if (argc > 1) {
    const std::ifstream file(argv[1]);
    if (!file) {
      fmt::print(stderr, "cannot open {}\n", argv[1]);
      return 1;
    }
    std::ostringstream text;
    text << file.rdbuf();
    request.code = std::move(text).str();
  }
  // Names are checked once, when a RelPath is made: one that climbs out of the work directory does not exist.
  auto name = glovebox::base::RelPath::parse("sales.csv");
  if (!name) {
    fmt::print(stderr, "{}\n", glovebox::base::describe(name.error()));
    return 1;
  }
  request.files.push_back({*std::move(name), std::string("day,paid\n1,33\n2,31\n")});
  request.artifacts = {"*.json"};
  request.limits.wall_ms = 2'000;
  return run(request);
}
