// Tools that return something, at once or in steps.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "contract/json_writer.h"
#include "mcp/conformance/fixtures.h"

namespace glovebox::mcp::conformance {
namespace {

constexpr auto kStep = std::chrono::milliseconds(50);

constexpr const char* kSchema2020 =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

void answer_content(Call& call, std::string_view blocks) { call.complete(fmt::format(R"("content":[{}])", blocks)); }

// Three steps with a pause between them, then the answer.
void in_steps(Ticker& ticker, const CallPtr& call, std::function<void(Call&, int)> step, std::string end) {
  step(*call, 0);
  ticker.every(kStep, [call, step = std::move(step), end = std::move(end), index = 1]() mutable {
    if (index <= 2) {
      step(*call, index++);
      return true;
    }
    answer_text(*call, end);
    return false;
  });
}

void log_steps(Call& call, int index) {
  static constexpr const char* kTexts[] = {"Tool execution started", "Tool processing data",
                                           "Tool execution completed"};
  call.log(LogLevel::info, contract::quote_json(kTexts[index]));
}

}  // namespace

Tool fixture(std::string name, std::string description, std::function<void(const CallPtr&)> call) {
  Tool tool;
  tool.title = name;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.input_schema = R"({"type":"object","properties":{}})";
  tool.call = [call = std::move(call)](const CallPtr& given, const std::string& /*arguments*/) { call(given); };
  return tool;
}

void answer_text(Call& call, std::string_view text) {
  answer_content(call, fmt::format(R"({{"type":"text","text":{}}})", contract::quote_json(text)));
}

void add_content_tools(Offer& offer, Surroundings& surroundings) {
  Ticker& ticker = surroundings.ticker;
  std::vector<Tool>& tools = offer.tools;
  tools.push_back(fixture("test_simple_text", "Returns a text", [](const CallPtr& call) {
    answer_text(*call, "This is a simple text response for testing.");
  }));
  tools.push_back(fixture("test_image_content", "Returns an image", [](const CallPtr& call) {
    answer_content(*call, fmt::format(R"({{"type":"image","data":"{}","mimeType":"image/png"}})", kPixel));
  }));
  tools.push_back(fixture("test_audio_content", "Returns a sound", [](const CallPtr& call) {
    answer_content(*call, R"({"type":"audio","data":"UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=",)"
                          R"("mimeType":"audio/wav"})");
  }));
  tools.push_back(fixture("test_embedded_resource", "Returns a resource", [](const CallPtr& call) {
    answer_content(*call, R"({"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain",)"
                          R"("text":"This is an embedded resource content."}})");
  }));
  tools.push_back(fixture("test_multiple_content_types", "Returns several things", [](const CallPtr& call) {
    answer_content(*call,
                   fmt::format(R"({{"type":"text","text":"Multiple content types test:"}},)"
                               R"({{"type":"image","data":"{}","mimeType":"image/png"}},)"
                               R"({{"type":"resource","resource":{{"uri":"test://mixed-content-resource",)"
                               R"("mimeType":"application/json","text":"{{\"test\":\"data\",\"value\":123}}"}}}})",
                               kPixel));
  }));
  tools.push_back(fixture("test_error_handling", "Always fails", [](const CallPtr& call) {
    call->complete(R"("content":[{"type":"text","text":"This tool intentionally returns an error for testing"}],)"
                   R"("isError":true)");
  }));
  tools.push_back(fixture("test_tool_with_logging", "Logs while it works", [&ticker](const CallPtr& call) {
    in_steps(ticker, call, log_steps, "Tool with logging executed");
  }));
  tools.push_back(fixture("test_logging_tool", "Logs if that is wanted", [](const CallPtr& call) {
    call->log(LogLevel::info, R"("working")");
    answer_text(*call, "done");
  }));
  tools.push_back(fixture("test_tool_with_progress", "Tells its progress", [&ticker](const CallPtr& call) {
    in_steps(
        ticker, call, [](Call& one, int index) { one.progress(index * 50.0, 100, ""); }, "Tool with progress executed");
  }));
  // The stream breaks while the tool works, and the client comes back for the answer.
  tools.push_back(fixture("test_reconnection", "Breaks its stream", [&ticker](const CallPtr& call) {
    call->log(LogLevel::info, R"("about to break")");
    call->channel()->pause();
    ticker.every(kStep * 2, [call] {
      answer_text(*call, "Reconnection worked");
      return false;
    });
  }));
  Tool schema = fixture("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
                        [](const CallPtr& call) { answer_text(*call, "ok"); });
  schema.input_schema = kSchema2020;
  tools.push_back(std::move(schema));
  tools.push_back(
      fixture("test_trigger_tool_change", "Says that the tools changed", [&surroundings](const CallPtr& call) {
        surroundings.listeners->announce(News::tools);
        answer_text(*call, "told");
      }));
  tools.push_back(
      fixture("test_trigger_prompt_change", "Says that the prompts changed", [&surroundings](const CallPtr& call) {
        surroundings.listeners->announce(News::prompts);
        answer_text(*call, "told");
      }));
}

void add_fixtures(Offer& offer, Surroundings& surroundings) {
  add_content_tools(offer, surroundings);
  add_asking_tools(offer, surroundings);
  add_input_required(offer, surroundings);
  add_prompts(offer);
  add_resources(offer);
  offer.logging = true;
  offer.changes = true;
}

}  // namespace glovebox::mcp::conformance
