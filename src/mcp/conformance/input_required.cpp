// Tools and a prompt that ask by their result, as the stateless era does it.
#include <fmt/format.h>

#include <utility>

#include "contract/json_writer.h"
#include "mcp/conformance/fixtures.h"
#include "mcp/elicitation.h"

namespace glovebox::mcp::conformance {
namespace {

using contract::JsonValue;

// One entry of "inputRequests".
std::string form(std::string_view key, std::string_view message, std::string_view field, std::string_view type) {
  return fmt::format(
      R"("{}":{{"method":"elicitation/create","params":{{"mode":"form","message":"{}","requestedSchema":)"
      R"({{"type":"object","properties":{{"{}":{{"type":"{}"}}}},"required":["{}"]}}}}}})",
      key, message, field, type, field);
}

std::string sampling(std::string_view key, std::string_view prompt, int tokens) {
  return fmt::format(R"("{}":{{"method":"sampling/createMessage","params":{{"messages":[{{"role":"user","content":)"
                     R"({{"type":"text","text":"{}"}}}}],"maxTokens":{}}}}})",
                     key, prompt, tokens);
}

std::string roots(std::string_view key) { return fmt::format(R"("{}":{{"method":"roots/list","params":{{}}}})", key); }

void require(Call& call, std::string_view requests, std::string_view state = {}) {
  call.require_input(fmt::format(R"("inputRequests":{{{}}}{}{}{})", requests,
                                 state.empty() ? "" : R"(,"requestState":")", state, state.empty() ? "" : "\""));
}

// What the client answered under this key, if it did; the call is answered if what it sent is no answer at all.
struct Responses {
  JsonValue tree;
  bool broken = false;
  [[nodiscard]] const JsonValue* of(std::string_view key) const { return object_member(tree, key); }
};

Responses responses_of(Call& call) {
  auto read = read_input_responses(call);
  if (!read) {
    call.fail(std::move(read.error()));
    return {{}, true};
  }
  return {std::move(*read)};
}

std::string field_of(const JsonValue* response, std::string_view name) {
  const JsonValue* content = response != nullptr ? object_member(*response, "content") : nullptr;
  const std::string* text = content != nullptr ? string_member(*content, name) : nullptr;
  return text != nullptr ? *text : "";
}

void ask_name(Call& call) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  const std::string name = field_of(responses.of("user_name"), "name");
  name.empty() ? require(call, form("user_name", "What is your name?", "name", "string"))
               : answer_text(call, "Hello, " + name + "!");
}

void ask_model(Call& call) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  const std::string text = field_of(responses.of("capital_question"), "text");
  text.empty() ? require(call, sampling("capital_question", "What is the capital of France?", 100))
               : answer_text(call, text);
}

void ask_roots(Call& call) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  const JsonValue* answer = responses.of("client_roots");
  const JsonValue* list = answer != nullptr ? member(*answer, "roots") : nullptr;
  if (list == nullptr || list->kind != JsonValue::Kind::array) {
    return require(call, roots("client_roots"));
  }
  std::string uris;
  for (const contract::JsonMember& root : list->members) {
    const std::string* uri = string_member(root.value, "uri");
    uris += uri != nullptr ? " " + *uri : "";
  }
  answer_text(call, "roots:" + uris);
}

// The state that the client sent, checked; nothing if there is none, or if the call was answered because of it.
std::optional<std::string> state_of(Call& call, RequestStates& states, std::string_view binding) {
  const std::string* state = string_member(call.params(), "requestState");
  if (state == nullptr) {
    return std::nullopt;
  }
  auto payload = states.redeem(*state, binding);
  if (!payload) {
    call.fail(std::move(payload.error()));
    return std::nullopt;
  }
  return std::move(*payload);
}

void confirm(Call& call, RequestStates& states, std::string_view binding) {
  if (member(call.params(), "requestState") == nullptr) {
    return require(call, form("confirm", "Please confirm", "ok", "boolean"), states.issue(binding, "1"));
  }
  if (state_of(call, states, binding)) {
    answer_text(call, "state-ok");
  }
}

void ask_much(Call& call, RequestStates& states) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  if (member(call.params(), "requestState") == nullptr) {
    return require(call,
                   form("user_name", "What is your name?", "name", "string") + "," +
                       sampling("greeting", "Generate a greeting", 50) + "," + roots("client_roots"),
                   states.issue("multiple", "1"));
  }
  if (state_of(call, states, "multiple")) {
    answer_text(call, field_of(responses.of("greeting"), "text") + " " + field_of(responses.of("user_name"), "name"));
  }
}

void ask_twice(Call& call, RequestStates& states) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  if (member(call.params(), "requestState") == nullptr) {
    return require(call, form("step1", "Step 1: What is your name?", "name", "string"), states.issue("rounds", "1"));
  }
  const auto round = state_of(call, states, "rounds");
  if (!round) {
    return;
  }
  if (*round == "1") {
    return require(call, form("step2", "Step 2: What is your favorite color?", "color", "string"),
                   states.issue("rounds", "2"));
  }
  answer_text(call, "Your color: " + field_of(responses.of("step2"), "color"));
}

void ask_what_can_be_asked(Call& call) {
  std::string requests;
  if (call.client().elicitation) {
    requests = form("user_name", "What is your name?", "name", "string");
  }
  if (call.client().sampling) {
    requests += (requests.empty() ? "" : ",") + sampling("greeting", "Generate a greeting", 50);
  }
  requests.empty() ? answer_text(call, "nothing can be asked") : require(call, requests);
}

void need_sampling(Call& call) {
  if (!call.client().sampling) {
    return call.refuse(
        {kMissingCapability, "this tool needs the client's model", R"({"requiredCapabilities":{"sampling":{}}})"});
  }
  answer_text(call, "the client has a model");
}

void prompt_with_context(Call& call) {
  const Responses responses = responses_of(call);
  if (responses.broken) {
    return;
  }
  const std::string context = field_of(responses.of("user_context"), "context");
  if (context.empty()) {
    return require(call, form("user_context", "What context should the prompt use?", "context", "string"));
  }
  call.complete(fmt::format(R"("messages":[{{"role":"user","content":{{"type":"text","text":{}}}}}])",
                            contract::quote_json("Use this context: " + context)));
}

}  // namespace

void add_input_required(Offer& offer, Surroundings& surroundings) {
  RequestStates& states = surroundings.states;
  const auto add = [&offer](std::string name, std::function<void(const CallPtr&)> call) {
    offer.tools.push_back(fixture(std::move(name), "Asks by its result", std::move(call)));
  };
  add("test_input_required_result_elicitation", [](const CallPtr& call) { ask_name(*call); });
  add("test_streaming_elicitation", [](const CallPtr& call) { ask_name(*call); });
  add("test_input_required_result_sampling", [](const CallPtr& call) { ask_model(*call); });
  add("test_input_required_result_list_roots", [](const CallPtr& call) { ask_roots(*call); });
  add("test_input_required_result_request_state",
      [&states](const CallPtr& call) { confirm(*call, states, "request_state"); });
  add("test_input_required_result_tampered_state",
      [&states](const CallPtr& call) { confirm(*call, states, "tampered_state"); });
  add("test_input_required_result_multiple_inputs", [&states](const CallPtr& call) { ask_much(*call, states); });
  add("test_input_required_result_multi_round", [&states](const CallPtr& call) { ask_twice(*call, states); });
  add("test_input_required_result_capabilities", [](const CallPtr& call) { ask_what_can_be_asked(*call); });
  add("test_missing_capability", [](const CallPtr& call) { need_sampling(*call); });
  offer.prompts.push_back({"test_input_required_result_prompt",
                           R"({"name":"test_input_required_result_prompt","description":"Asks before it answers"})",
                           [](const CallPtr& call) { prompt_with_context(*call); }});
}

}  // namespace glovebox::mcp::conformance
