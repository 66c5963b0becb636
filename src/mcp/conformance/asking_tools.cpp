// Tools that ask the client something while they work, as the older era does it.
#include <fmt/format.h>

#include <utility>

#include "contract/json_parse.h"
#include "contract/json_writer.h"
#include "mcp/conformance/fixtures.h"
#include "mcp/elicitation.h"

namespace glovebox::mcp::conformance {
namespace {

constexpr auto kAnswerTimeout = std::chrono::seconds(30);

constexpr const char* kDefaults =
    R"({"type":"object","properties":{"name":{"type":"string","default":"John Doe"},)"
    R"("age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},)"
    R"("status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},)"
    R"("verified":{"type":"boolean","default":true}},"required":[]})";

constexpr const char* kEnums =
    R"({"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},)"
    R"("titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},)"
    R"({"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},)"
    R"("legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],)"
    R"("enumNames":["Option One","Option Two","Option Three"]},)"
    R"("untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},)"
    R"("titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},)"
    R"({"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]})";

constexpr const char* kUser =
    R"({"type":"object","properties":{"username":{"type":"string","description":"User's response"},)"
    R"("email":{"type":"string","description":"User's email address"}},"required":["username","email"]})";

std::string argument(const std::string& json, std::string_view name) {
  const auto tree = contract::parse_json(json, {});
  const std::string* text = tree ? string_member(*tree, name) : nullptr;
  return text != nullptr ? *text : "";
}

void fail(Call& call, std::string_view why) {
  call.complete(fmt::format(R"("content":[{{"type":"text","text":{}}}],"isError":true)", contract::quote_json(why)));
}

void elicit(Ticker& ticker, const CallPtr& call, std::string_view message, std::string_view schema, std::string begin) {
  if (!call->client().elicitation || !call->can_ask()) {
    return fail(*call, "the client cannot be asked");
  }
  ask_client(call, ticker, "elicitation/create", form_members(*call, message, schema), kAnswerTimeout,
             [call, begin = std::move(begin)](const Reply& reply) {
               const auto tree = contract::parse_json(reply.result, {});
               const std::string* action = tree ? string_member(*tree, "action") : nullptr;
               action != nullptr
                   ? answer_text(*call, fmt::format("{}action={}, content={}", begin, *action, reply.result))
                   : fail(*call, reply.error);
             });
}

Tool with_text_argument(Tool tool, std::string_view name) {
  tool.input_schema =
      fmt::format(R"({{"type":"object","properties":{{"{}":{{"type":"string"}}}},"required":["{}"]}})", name, name);
  return tool;
}

}  // namespace

void add_asking_tools(Offer& offer, Surroundings& surroundings) {
  Ticker& ticker = surroundings.ticker;
  Tool sampling = with_text_argument(fixture("test_sampling", "Asks the client's model", nullptr), "prompt");
  sampling.call = [&ticker](const CallPtr& call, const std::string& json) {
    if (!call->client().sampling || !call->can_ask()) {
      return fail(*call, "the client has no model to ask");
    }
    const std::string members =
        fmt::format(R"("messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}],"maxTokens":100)",
                    contract::quote_json(argument(json, "prompt")));
    ask_client(call, ticker, "sampling/createMessage", members, kAnswerTimeout, [call](const Reply& reply) {
      const auto tree = contract::parse_json(reply.result, {});
      const contract::JsonValue* content = tree ? object_member(*tree, "content") : nullptr;
      const std::string* text = content != nullptr ? string_member(*content, "text") : nullptr;
      text != nullptr ? answer_text(*call, "LLM response: " + *text) : fail(*call, reply.error);
    });
  };
  offer.tools.push_back(std::move(sampling));

  Tool asking = with_text_argument(fixture("test_elicitation", "Asks the user", nullptr), "message");
  asking.call = [&ticker](const CallPtr& call, const std::string& json) {
    elicit(ticker, call, argument(json, "message"), kUser, "User response: ");
  };
  offer.tools.push_back(std::move(asking));
  offer.tools.push_back(fixture(
      "test_elicitation_sep1034_defaults", "Asks with default values",
      [&ticker](const CallPtr& call) { elicit(ticker, call, "Please review", kDefaults, "Elicitation completed: "); }));
  offer.tools.push_back(fixture("test_elicitation_sep1330_enums", "Asks with choices", [&ticker](const CallPtr& call) {
    elicit(ticker, call, "Please choose", kEnums, "Elicitation completed: ");
  }));
}

}  // namespace glovebox::mcp::conformance
