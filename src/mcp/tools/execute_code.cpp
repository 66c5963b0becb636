// execute_code_sandbox: the tool that this server is about (F1, U3).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "mcp/tools/run_answer.h"
#include "mcp/tools/run_arguments.h"
#include "mcp/tools/run_job.h"
#include "mcp/tools/tool_answer.h"
#include "mcp/tools/toolbox.h"

namespace glovebox::mcp {
namespace {

constexpr std::array<std::string_view, 12> kCodeFields = {"language", "code",      "stdin",  "args",
                                                          "env",      "files",     "input",  "limits",
                                                          "policy",   "artifacts", "expect", "deterministic"};

// Pictures come back without being asked for: a plot is there to be looked at.
const std::vector<std::string> kPictures = {"*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.svg"};

constexpr const char* kCodeDescription =
    "Run a program in a sealed sandbox and get back what it printed, how it ended and the files it left. Use it to "
    "calculate, to analyse or transform data, to draw plots, to check a claim by computing it, or to try code before "
    "showing it.\n"
    "There: Python 3 with its standard library, and numpy, pandas, matplotlib and scikit-learn where the host has "
    "them; "
    "JavaScript (Node) with its built-in modules; bash with the usual commands. Print what you want to see: the value "
    "of the last line is not shown by itself. Save a plot to a file such as plot.png and it comes back as an image; "
    "name other files to keep in artifacts.\n"
    "Blocked: the network, installing anything, other processes and files of the host, devices, more than the limits "
    "(5 s, 256 MiB, 64 MiB on disk unless limits says otherwise). A refused call is told in denials with what would "
    "allow it.\n"
    "Files: each call starts in an empty directory, except for what files brings along. With a workspace (write_file "
    "and run_shell make one) the program starts in its files, and what it leaves is there for the next call.\n"
    "On failure error has the line and a hint: mend the program and call again.";

std::string input_schema(const std::vector<std::string>& languages) {
  std::string names;
  for (const std::string& language : languages) {
    names += (names.empty() ? "\"" : ",\"") + language + "\"";
  }
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"language":{"type":"string","enum":[)" +
         names + R"(],"default":"python","description":"What the code is written in."},
"code":{"type":"string","description":"The whole program, complete and self-contained."},
"stdin":{"type":"string","description":"What the program reads on standard input."},
"args":{"type":"array","items":{"type":"string"},"description":"Arguments of the program."},
"env":{"type":"object","additionalProperties":{"type":"string"},"description":"Environment variables."},
"files":{"type":"array","description":"Input files, placed in the current directory before the program starts.","items":{"type":"object","properties":{"path":{"type":"string","description":"Relative path, such as data.csv."},"content":{"type":"string","description":"The file's text, or its bytes as base64."},"encoding":{"type":"string","enum":["utf8","base64"]}},"required":["path","content"]}},
"input":{"description":"Any JSON value: the program then defines solve(input), and what that returns comes back in results."},
"limits":{"type":"object","description":"Such as wall_ms, cpu_ms, memory_bytes, disk_bytes, output_bytes.","additionalProperties":{"type":"integer","minimum":0}},
"policy":{"type":"string","description":"Name of a policy; check_policy says what it makes of a program."},
"artifacts":{"type":"array","items":{"type":"string"},"description":"Patterns of files to keep afterwards, such as *.csv or out/**. Pictures are kept if this is left out."},
"expect":{"type":"object","description":"What must be true of the result, such as stdout_json_schema, artifacts or invariants; the answer says whether it is."},
"deterministic":{"type":"boolean","description":"The same bytes every time: virtual clock, seeded random numbers."},
"workspace":{"type":"string","description":"Name of the workspace to run in. If left out: the conversation's, where the client keeps one; else none."}},
"required":["code"],"additionalProperties":false})";
}

void execute(Toolbox& toolbox, const CallPtr& call, const std::string& arguments) {
  auto read = read_run_arguments(arguments, kCodeFields);
  if (!read) {
    return answer_error(*call, read.error());
  }
  if (!read->has_policy) {
    read->request.policy = toolbox.defaults().policy;
  }
  if (!read->has_artifacts) {
    read->request.artifacts = kPictures;
  }
  auto place = toolbox.place(*call, read->workspace, Toolbox::WhenMissing::none);
  if (!place) {
    return answer_error(*call, place.error());
  }
  const auto job = std::make_shared<RunJob>(toolbox, call, std::move(read->request), std::move(*place),
                                            "execute_code_sandbox " + arguments);
  job->allow_fallback();
  job->start();
}

}  // namespace

Tool execute_code_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "execute_code_sandbox";
  tool.title = "Run code in a sandbox";
  tool.description = kCodeDescription;
  tool.input_schema = input_schema(toolbox.runner().languages().ids());
  tool.output_schema = run_output_schema();
  tool.annotations = R"({"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false})";
  tool.call = [&toolbox](const CallPtr& call, std::string arguments) { execute(toolbox, call, arguments); };
  return tool;
}

}  // namespace glovebox::mcp
