#include "cli/service_switch.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/fd.h"
#include "base/timestamp.h"
#include "cli/records_flags.h"
#include "contract/json_reader.h"
#include "contract/json_writer.h"
#include "os/private_place.h"
#include "runner/ledger.h"

namespace glovebox::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr std::uint64_t kMaxSwitchAnswerBytes = 64U << 10U;

const char* word_of(SwitchAction action) {
  switch (action) {
    case SwitchAction::state:
      return "state";
    case SwitchAction::stop:
      return "stop";
    case SwitchAction::resume:
      return "resume";
  }
  return "state";
}

std::string reason_json(const std::string& reason) {
  contract::JsonWriter json;
  json.begin_object();
  json.string("reason", reason);
  json.end_object();
  return json.take(contract::JsonStyle::compact);
}

Result<SwitchState> parse_state(const std::string& body) {
  static constexpr std::string_view kFields[] = {"stopped", "reason", "since", "by"};
  contract::JsonOptions options;
  options.bounds.max_bytes = kMaxSwitchAnswerBytes;
  contract::JsonValue root = TRY(contract::parse_json(body, options));
  const contract::JsonObject object = TRY(contract::JsonNode(root, "").object(kFields));
  SwitchState state;
  state.served = true;
  const contract::JsonNode is_stopped = TRY(object.require("stopped"));
  if (!TRY(is_stopped.boolean())) {
    return state;
  }
  const contract::JsonNode reason = TRY(object.require("reason"));
  const contract::JsonNode by = TRY(object.require("by"));
  const contract::JsonNode since = TRY(object.require("since"));
  records::Stopped stopped;
  stopped.reason = TRY(reason.take_string_or_null());
  stopped.by = TRY(by.take_string_or_null());
  const auto moment = base::parse_timestamp_ms(TRY(since.take_string_or_null()));
  if (!moment) {
    return fail(since.error("expected a moment"));
  }
  stopped.since_ms = *moment;
  state.stopped = std::move(stopped);
  return state;
}

Result<SwitchState> over_http(const ServicePlace& place, SwitchAction action, const std::string& reason) {
  const std::string body = TRY(call_service(place, std::string("/v1/admin/") + word_of(action),
                                            action == SwitchAction::state ? "" : reason_json(reason), "admin"));
  auto state = parse_state(body);
  if (!state) {
    return fail(ErrorCode::internal_error, "the service's answer cannot be read: " + state.error().message);
  }
  return state;
}

// Invalid: a service has it.
Result<Fd> try_serve_lock(const std::string& directory) {
  const std::string path = directory + "/serve.lock";
  Fd file = TRY(os::open_private_file(directory, "serve.lock"));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
    return file;
  }
  if (errno == EWOULDBLOCK) {
    return Fd();
  }
  return fail(base::errno_error(ErrorCode::internal_error, "", "cannot lock " + path));
}

Result<SwitchState> in_store(records::Store& store, SwitchAction action, const std::string& reason) {
  const std::int64_t now_ms = runner::unix_ms();
  SwitchState state;
  state.stopped = TRY(store.stopped());
  if (action == SwitchAction::stop && !state.stopped) {
    state.stopped = records::Stopped{reason, local_actor(), now_ms};
    TRY_STATUS(store.stop(*state.stopped));
  } else if (action == SwitchAction::resume && state.stopped) {
    TRY_STATUS(store.resume(local_actor(), reason, now_ms));
    state.stopped.reset();
  }
  return state;
}

}  // namespace

Result<SwitchState> operate(const ServicePlace& place, SwitchAction action, const std::string& reason) {
  if (!place.url.empty()) {
    return over_http(place, action, reason);
  }
  const WhenMissing missing = action == SwitchAction::stop ? WhenMissing::create : WhenMissing::refuse;
  const auto store = TRY(open_store(place.directory, missing));
  const Fd lock = TRY(try_serve_lock(place.directory));
  if (lock.valid()) {
    return in_store(*store, action, reason);
  }
  auto state = over_http(place, action, reason);
  if (!state && state.error().hint.empty()) {
    state.error().hint = "a service works on " + place.directory + "; try its address with --url http://…";
  }
  return state;
}

}  // namespace glovebox::cli
