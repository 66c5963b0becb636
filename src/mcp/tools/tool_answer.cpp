#include "mcp/tools/tool_answer.h"

#include <fmt/format.h>

#include <utility>

#include "contract/base64.h"
#include "contract/error_catalogue.h"
#include "contract/json_writer.h"

namespace glovebox::mcp {
namespace {

using contract::quote_json;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

void ToolAnswer::text(std::string_view text) {
  blocks_.push_back({fmt::format(R"({{"type":"text","text":{}}})", quote_json(text))});
}

void ToolAnswer::image(std::string_view bytes, std::string_view media_type) {
  blocks_.push_back({fmt::format(R"({{"type":"image","data":"{}","mimeType":{}}})", contract::encode_base64(bytes),
                                 quote_json(media_type))});
}

void ToolAnswer::link(std::string_view uri, std::string_view name, std::string_view media_type, std::uint64_t bytes) {
  blocks_.push_back({fmt::format(R"({{"type":"resource_link","uri":{},"name":{},"mimeType":{},"size":{}}})",
                                 quote_json(uri), quote_json(name), quote_json(media_type), bytes),
                     Revision::v2025_06_18});
}

void ToolAnswer::structure(std::string json) {
  text(json);
  structure_ = std::move(json);
}

void ToolAnswer::send(Call& call) const {
  std::string content;
  for (const Block& block : blocks_) {
    if (call.revision() >= block.since) {
      content += (content.empty() ? "" : ",") + block.json;
    }
  }
  std::string members = "\"content\":[" + content + "]";
  if (!structure_.empty() && call.revision() >= Revision::v2025_06_18) {
    members += ",\"structuredContent\":" + structure_;
  }
  members += is_error_ ? ",\"isError\":true" : ",\"isError\":false";
  call.complete(members);
}

void answer_error(Call& call, const base::Error& error) {
  ToolAnswer answer;
  const std::string hint =
      error.hint.empty() ? std::string(contract::catalogue_entry(error.code).hint_model) : error.hint;
  answer.text(fmt::format("{}: {}{}{}{}", base::to_string(error.code), error.field, error.field.empty() ? "" : ": ",
                          error.message, hint.empty() ? "" : "\n" + hint));
  answer.set_error();
  answer.send(call);
}

bool shorten(std::string& text, std::size_t most, std::string_view whole_uri) {
  if (text.size() <= most) {
    return false;
  }
  std::size_t head = most / 2;
  while (head > 0 && is_continuation(text[head])) {
    --head;
  }
  std::size_t tail = text.size() - most / 2;
  while (tail < text.size() && is_continuation(text[tail])) {
    ++tail;
  }
  text =
      fmt::format("{}\n[… {} bytes left out; all of it is the resource {} …]\n{}",
                  std::string_view(text).substr(0, head), tail - head, whole_uri, std::string_view(text).substr(tail));
  return true;
}

std::string with_members(std::string object, std::string_view members) {
  if (members.empty()) {
    return object;
  }
  object.pop_back();
  return object.append(object.size() > 1 ? "," : "").append(members).append("}");
}

}  // namespace glovebox::mcp
