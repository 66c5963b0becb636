// One POST /v1/runs on its way: through the line to a worker, perhaps to the desk and back into the line, to its
// answer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runner/runner.h"
#include "server/api/call.h"
#include "server/api/live_runs.h"
#include "server/api/output_stream.h"

namespace glovebox::server {

struct RunCall {
  enum class Form { answer, stream, later };  // later: nobody is there to hear of it; the record tells

  CallPtr call;
  LiveRuns::Request request;
  std::string run_id;
  LiveRuns::Token token;
  runner::Caller caller;
  Form form = Form::answer;

  // One thread at a time has the call, so none of these is guarded.
  std::optional<runner::Parked> parked;  // it waits for a person
  bool streaming = false;                // the first event was sent
  OutputStream standard_output;
  OutputStream standard_error;
};

using RunCallPtr = std::shared_ptr<RunCall>;

}  // namespace glovebox::server
