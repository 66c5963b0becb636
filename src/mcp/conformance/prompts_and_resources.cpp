// Prompts, resources and completions with fixed texts.
#include <fmt/format.h>

#include <utility>

#include "contract/json_parse.h"
#include "contract/json_writer.h"
#include "mcp/conformance/fixtures.h"

namespace glovebox::mcp::conformance {
namespace {

using contract::quote_json;

std::string argument(Call& call, std::string_view name) {
  const contract::JsonValue* given = member(call.params(), "arguments");
  const auto tree = contract::parse_json(given != nullptr ? given->text : "{}", {});
  const std::string* text = tree ? string_member(*tree, name) : nullptr;
  return text != nullptr ? *text : "";
}

std::string user_text(std::string_view text) {
  return fmt::format(R"({{"role":"user","content":{{"type":"text","text":{}}}}})", quote_json(text));
}

void answer_messages(Call& call, std::string_view messages) {
  call.complete(fmt::format(R"("messages":[{}])", messages));
}

bool read(const CallPtr& call, const std::string& uri) {
  constexpr std::string_view kTemplateBegin = "test://template/";
  constexpr std::string_view kTemplateEnd = "/data";
  const auto answer = [&](std::string_view media_type, std::string_view key, std::string_view content) {
    call->complete_cacheable(fmt::format(R"("contents":[{{"uri":{},"mimeType":"{}","{}":{}}}])", quote_json(uri),
                                         media_type, key, quote_json(content)));
    return true;
  };
  if (uri == "test://static-text") {
    return answer("text/plain", "text", "This is the content of the static text resource.");
  }
  if (uri == "test://static-binary") {
    return answer("image/png", "blob", kPixel);
  }
  if (uri == "test://watched-resource") {
    return answer("text/plain", "text", "watched");
  }
  if (uri.starts_with(kTemplateBegin) && uri.ends_with(kTemplateEnd)) {
    const std::string id = uri.substr(kTemplateBegin.size(), uri.size() - kTemplateBegin.size() - kTemplateEnd.size());
    return answer(
        "application/json", "text",
        fmt::format(R"({{"id":{},"templateTest":true,"data":{}}})", quote_json(id), quote_json("Data for ID: " + id)));
  }
  return false;
}

}  // namespace

void add_prompts(Offer& offer) {
  offer.prompts.push_back(
      {"test_simple_prompt", R"({"name":"test_simple_prompt","description":"A fixed text"})",
       [](const CallPtr& call) { answer_messages(*call, user_text("This is a simple prompt for testing.")); }});
  offer.prompts.push_back({"test_prompt_with_arguments",
                           R"({"name":"test_prompt_with_arguments","description":"A text with arguments","arguments":[)"
                           R"({"name":"arg1","description":"First test argument","required":true},)"
                           R"({"name":"arg2","description":"Second test argument","required":true}]})",
                           [](const CallPtr& call) {
                             answer_messages(*call,
                                             user_text(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                                                   argument(*call, "arg1"), argument(*call, "arg2"))));
                           }});
  offer.prompts.push_back(
      {"test_prompt_with_embedded_resource",
       R"({"name":"test_prompt_with_embedded_resource","description":"A resource","arguments":[)"
       R"({"name":"resourceUri","description":"URI of the resource to embed","required":true}]})",
       [](const CallPtr& call) {
         answer_messages(
             *call, fmt::format(R"({{"role":"user","content":{{"type":"resource","resource":{{"uri":{},)"
                                R"("mimeType":"text/plain","text":"Embedded resource content for testing."}}}}}},{})",
                                quote_json(argument(*call, "resourceUri")),
                                user_text("Please process the embedded resource above.")));
       }});
  offer.prompts.push_back({"test_prompt_with_image", R"({"name":"test_prompt_with_image","description":"An image"})",
                           [](const CallPtr& call) {
                             answer_messages(*call,
                                             fmt::format(R"({{"role":"user","content":{{"type":"image","data":"{}",)"
                                                         R"("mimeType":"image/png"}}}},{})",
                                                         kPixel, user_text("Please analyze the image above.")));
                           }});
}

void add_resources(Offer& offer) {
  offer.resources = {
      R"({"uri":"test://static-text","name":"static-text","description":"A text","mimeType":"text/plain"})",
      R"({"uri":"test://static-binary","name":"static-binary","description":"An image","mimeType":"image/png"})",
      R"({"uri":"test://watched-resource","name":"watched-resource","description":"A text","mimeType":"text/plain"})",
  };
  offer.templates.emplace_back(R"({"uriTemplate":"test://template/{id}/data","name":"template",)"
                               R"("description":"Data by id","mimeType":"application/json"})");
  offer.read = [real = std::move(offer.read)](const CallPtr& call, const std::string& uri) {
    return read(call, uri) || (real && real(call, uri));
  };
  offer.complete = [](const CallPtr& call) {
    call->complete(R"("completion":{"values":["paris","park","party"],"total":3,"hasMore":false})");
  };
}

}  // namespace glovebox::mcp::conformance
