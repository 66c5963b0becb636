// Waits for one message of a cell that is being made. Whatever else comes, or nothing for too long, is an error.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "engine/launcher/cell_messages.h"

namespace glovebox::engine {

struct CellNews {
  CellMessage message;
  std::vector<base::Fd> fds;
};

// `who` is for the error: "the nursery", "a warm cell".
[[nodiscard]] base::Result<CellNews> expect_message(int socket, CellMessageKind kind, std::size_t fds,
                                                    std::string_view who);
// Waits until the descriptor is readable or closed at the other side. False: not within `timeout_ms`, or not before
// `unless` was readable.
[[nodiscard]] bool wait_readable(int fd, int timeout_ms, int unless = -1);

}  // namespace glovebox::engine
