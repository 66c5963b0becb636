// A policy's question, put to the person behind the client (P4, E7).
//
// Only where the client can show a form, and only where the caller may approve at all: a program that holds nothing but
// the right to run must not answer its own questions. Everybody else gets the refusal of the run itself, which names
// the approval and how to give it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/call.h"
#include "mcp/request_state.h"
#include "mcp/ticker.h"
#include "policy/decision.h"

namespace glovebox::mcp {

struct Consent {
  bool granted = false;
  std::string by;  // who answered, for the record
};

[[nodiscard]] bool can_ask_person(const Call& call);

struct Question {
  const policy::Decision& decision;
  std::string_view program;  // all of it, as a person sees it
};

class Approvals {
 public:
  explicit Approvals(Ticker& ticker);

  // Answers the call with the question, or calls `then` once there is an answer. `binding` is what the approval is good
  // for: the tool, its arguments, and what the program would find in its workspace.
  void ask(const CallPtr& call, const Question& question, const std::string& binding,
           std::function<void(Consent)> then);

 private:
  Ticker& ticker_;
  RequestStates states_;
  // Questions of the older era that nobody has answered yet, by tenant: each holds its request in memory. Shared with
  // the questions, which may outlive this.
  struct Open {
    std::mutex mutex;
    std::map<std::string, int> by_tenant;
    int all = 0;
  };
  std::shared_ptr<Open> open_ = std::make_shared<Open>();
};

}  // namespace glovebox::mcp
