// write_file, read_file, list_files: a conversation's workspace.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "contract/base64.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "mcp/tools/tool_answer.h"
#include "mcp/tools/toolbox.h"

namespace glovebox::mcp {
namespace {

using base::Result;

constexpr std::uint64_t kMostReadBytes = 256U << 10U;
constexpr std::uint64_t kMostOffset = 1ULL << 40U;
constexpr std::size_t kMostEntries = 1000;
// Runs in the workspace wait in the same line, so its turn is there or soon.
constexpr auto kWritePatience = std::chrono::milliseconds(1000);

constexpr const char* kWriteSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"path":{"type":"string","description":"Relative path, such as src/main.py. Directories are made as needed."},
"content":{"type":"string","description":"The file's text, or its bytes as base64."},
"encoding":{"type":"string","enum":["utf8","base64"],"default":"utf8"},
"append":{"type":"boolean","default":false,"description":"Add to the end instead of replacing the file."},
"workspace":{"type":"string","description":"Name of the workspace. If left out: the conversation's, where the client keeps one; else a new one, which the answer names."}},
"required":["path","content"],"additionalProperties":false})";
constexpr const char* kWrittenSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"workspace":{"type":"string","description":"Name of the workspace, for the next call."},"path":{"type":"string"},
"bytes":{"type":"integer"},"sha256":{"type":"string"}},"required":["workspace","path","bytes","sha256"]})";

constexpr const char* kReadSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"path":{"type":"string","description":"Relative path of the file."},
"offset":{"type":"integer","minimum":0,"default":0,"description":"First byte to read."},
"max_bytes":{"type":"integer","minimum":1,"maximum":262144,"default":65536,"description":"How much to read at most."},
"workspace":{"type":"string","description":"Name of the workspace; the conversation's if left out."}},
"required":["path"],"additionalProperties":false})";
constexpr const char* kContentSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"workspace":{"type":"string"},"path":{"type":"string"},"content":{"type":"string"},
"encoding":{"type":"string","enum":["utf8","base64"],"description":"base64 where the bytes are no text."},
"offset":{"type":"integer"},"bytes":{"type":"integer","description":"How many were read."},
"file_bytes":{"type":"integer","description":"How many the file has."}},
"required":["workspace","path","content","encoding","offset","bytes","file_bytes"]})";

constexpr const char* kListSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"directory":{"type":"string","description":"What is in this directory, at any depth; everything if left out."},
"workspace":{"type":"string","description":"Name of the workspace; the conversation's if left out."}},
"additionalProperties":false})";
constexpr const char* kListedSchema =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{
"workspace":{"type":"string"},"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},
"bytes":{"type":"integer"},"sha256":{"type":"string"}},"required":["path","bytes","sha256"]}},
"more":{"type":"integer","description":"How many files are not listed."}},"required":["workspace","files","more"]})";

Result<std::string> text_or(const contract::JsonObject& object, std::string_view name, std::string otherwise) {
  const auto node = object.find(name);
  return node ? node->take_string() : Result<std::string>(std::move(otherwise));
}

Result<base::RelPath> path_of(const contract::JsonObject& object) {
  const contract::JsonNode node = TRY(object.require("path"));
  const std::string text = TRY(node.take_string());
  auto path = base::RelPath::parse(text);
  return path ? path : base::fail(std::move(path.error()).with_field("path"));
}

Result<std::string> decoded(std::string content, const std::string& encoding) {
  if (encoding == "utf8") {
    return content;
  }
  if (encoding != "base64") {
    return base::fail(
        base::make_error(base::ErrorCode::invalid_request, "an encoding is utf8 or base64").with_field("encoding"));
  }
  auto bytes = contract::decode_base64(content);
  return bytes ? Result<std::string>(std::move(*bytes))
               : base::fail(
                     base::make_error(base::ErrorCode::invalid_request, "this is not base64").with_field("content"));
}

struct NewFile {
  base::RelPath path;
  std::string bytes;
  workspaces::WriteMode mode = workspaces::WriteMode::replace;
  std::string handle;
};

Result<NewFile> read_new_file(const std::string& json) {
  static constexpr std::string_view kFields[] = {"path", "content", "encoding", "append", "workspace"};
  contract::JsonValue document = TRY(contract::parse_json(json, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  base::RelPath path = TRY(path_of(object));
  NewFile file{std::move(path), "", workspaces::WriteMode::replace, ""};
  const contract::JsonNode content = TRY(object.require("content"));
  const std::string encoding = TRY(text_or(object, "encoding", "utf8"));
  std::string given = TRY(content.take_string());
  file.bytes = TRY(decoded(std::move(given), encoding));
  if (const auto append = object.find("append"); append && TRY(append->boolean())) {
    file.mode = workspaces::WriteMode::append;
  }
  file.handle = TRY(text_or(object, "workspace", ""));
  return file;
}

Result<std::string> write_file(const Toolbox::Place& place, const NewFile& file) {
  TRY_STATUS(place.workspace->write(file.path, file.bytes, file.mode, kWritePatience));
  const workspaces::Entry entry = TRY(place.workspace->find(file.path));
  return fmt::format(R"({{"workspace":"{}","path":{},"bytes":{},"sha256":"{}"}})", place.handle,
                     contract::quote_json(entry.path), entry.bytes, entry.sha256);
}

void answer_structure(Call& call, Result<std::string> structure) {
  if (!structure) {
    return answer_error(call, structure.error());
  }
  ToolAnswer answer;
  answer.structure(std::move(*structure));
  answer.send(call);
}

// In the line of the workspace's runs: whoever waits for a program there must not hold a thread.
void line_up_write(Toolbox& toolbox, const CallPtr& call, const std::string& json) {
  auto read = read_new_file(json);
  if (!read) {
    return answer_error(*call, read.error());
  }
  auto place = toolbox.place(*call, read->handle, Toolbox::WhenMissing::create);
  if (!place) {
    return answer_error(*call, place.error());
  }
  const auto file = std::make_shared<const NewFile>(std::move(*read));
  auto queued = call->host().line_up(
      "serial workspace " + place->handle, [call, place = *place, file](const runner::Waited& waited) {
        waited.refusal ? answer_error(*call, *waited.refusal) : answer_structure(*call, write_file(place, *file));
      });
  if (!queued) {
    answer_error(*call, queued.error());
  }
}

Result<std::string> read_file(Toolbox& toolbox, Call& call, const std::string& json) {
  static constexpr std::string_view kFields[] = {"path", "offset", "max_bytes", "workspace"};
  contract::JsonValue document = TRY(contract::parse_json(json, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  const base::RelPath path = TRY(path_of(object));
  std::uint64_t offset = 0;
  if (const auto node = object.find("offset"); node) {
    offset = TRY(node->integer(0, kMostOffset));
  }
  std::uint64_t most = 64U << 10U;
  if (const auto node = object.find("max_bytes"); node) {
    most = TRY(node->integer(1, kMostReadBytes));
  }
  const std::string handle = TRY(text_or(object, "workspace", ""));
  const Toolbox::Place place = TRY(toolbox.place(call, handle, Toolbox::WhenMissing::refuse));
  const workspaces::Entry entry = TRY(place.workspace->find(path));
  std::string bytes = TRY(place.workspace->read(path, offset, most));
  // A character that the end cuts in two is left for the next read.
  if (offset + bytes.size() < entry.bytes && !base::is_valid_utf8(bytes)) {
    for (std::size_t cut = 1; cut <= 3 && cut < bytes.size(); ++cut) {
      if (base::is_valid_utf8(std::string_view(bytes).substr(0, bytes.size() - cut))) {
        bytes.resize(bytes.size() - cut);
        break;
      }
    }
  }
  const bool is_text = base::is_valid_utf8(bytes);
  return fmt::format(
      R"({{"workspace":"{}","path":{},"content":{},"encoding":"{}","offset":{},"bytes":{},"file_bytes":{}}})",
      place.handle, contract::quote_json(entry.path),
      contract::quote_json(is_text ? bytes : contract::encode_base64(bytes)), is_text ? "utf8" : "base64", offset,
      bytes.size(), entry.bytes);
}

Result<std::string> list_files(Toolbox& toolbox, Call& call, const std::string& json) {
  static constexpr std::string_view kFields[] = {"directory", "workspace"};
  contract::JsonValue document = TRY(contract::parse_json(json, {}));
  const contract::JsonObject object = TRY(contract::JsonNode(document, "").object(kFields));
  const std::string directory = TRY(text_or(object, "directory", ""));
  const std::string handle = TRY(text_or(object, "workspace", ""));
  const Toolbox::Place place = TRY(toolbox.place(call, handle, Toolbox::WhenMissing::refuse));
  const std::vector<workspaces::Entry> entries = place.workspace->list(directory == "." ? "" : directory);
  contract::JsonWriter out;
  out.begin_object();
  out.string("workspace", place.handle);
  out.key("files");
  out.begin_array();
  for (std::size_t index = 0; index < entries.size() && index < kMostEntries; ++index) {
    out.begin_object();
    out.string("path", entries[index].path);
    out.integer("bytes", entries[index].bytes);
    out.string("sha256", entries[index].sha256);
    out.end_object();
  }
  out.end_array();
  out.integer("more", entries.size() - std::min(entries.size(), kMostEntries));
  out.end_object();
  return out.take(contract::JsonStyle::compact);
}

using FileWork = Result<std::string> (*)(Toolbox&, Call&, const std::string&);

// Files are on a disk, which can be slow.
auto answered_by(Toolbox& toolbox, FileWork work) {
  return [&toolbox, work](const CallPtr& call, std::string json) {
    do_chore(call,
             [&toolbox, work, call, json = std::move(json)] { answer_structure(*call, work(toolbox, *call, json)); });
  };
}

}  // namespace

Tool write_file_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "write_file";
  tool.title = "Write a file into the workspace";
  tool.description =
      "Write a file into the workspace, where execute_code_sandbox and run_shell find it. The workspace is sealed off "
      "from the host, holds a bounded amount, and is forgotten when it has not been used for a while. The answer names "
      "the workspace: pass that name to the other tools, unless the client keeps one for the conversation.";
  tool.input_schema = kWriteSchema;
  tool.output_schema = kWrittenSchema;
  tool.annotations = R"({"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false})";
  tool.call = [&toolbox](const CallPtr& call, std::string json) {
    do_chore(call, [&toolbox, call, json = std::move(json)] { line_up_write(toolbox, call, json); });
  };
  return tool;
}

Tool read_file_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "read_file";
  tool.title = "Read a file of the workspace";
  tool.description =
      "Read a file of the workspace, or a part of it: text as it is, other bytes as base64. It cannot see files of the "
      "host. file_bytes tells whether there is more; go on with offset.";
  tool.input_schema = kReadSchema;
  tool.output_schema = kContentSchema;
  tool.annotations = R"({"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false})";
  tool.call = answered_by(toolbox, read_file);
  return tool;
}

Tool list_files_tool(Toolbox& toolbox) {
  Tool tool;
  tool.name = "list_files";
  tool.title = "List the files of the workspace";
  tool.description = "List the files of the workspace with their sizes and hashes.";
  tool.input_schema = kListSchema;
  tool.output_schema = kListedSchema;
  tool.annotations = R"({"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false})";
  tool.call = answered_by(toolbox, list_files);
  return tool;
}

}  // namespace glovebox::mcp
