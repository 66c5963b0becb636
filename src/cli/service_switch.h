// The stop switch of a service (B2), wherever the service is.
//
//   a URL was given                      over HTTP
//   a service works on the directory     over HTTP, through its socket DIR/glovebox.sock: it must kill what runs
//   no service works on the directory    in the store, so that the next service starts stopped
//
// Which of the last two it is, the kernel says: a service holds DIR/serve.lock. The lock is held here while the store
// is changed, so that no service can start in between and miss it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/service_call.h"
#include "records/account.h"

namespace glovebox::cli {

enum class SwitchAction { state, stop, resume };

struct SwitchState {
  std::optional<records::Stopped> stopped;
  bool served = false;  // a service said so, and not just the store
};

// `reason` is for stop and resume; it goes into the audit log.
[[nodiscard]] base::Result<SwitchState> operate(const ServicePlace& place, SwitchAction action,
                                                const std::string& reason);

}  // namespace glovebox::cli
