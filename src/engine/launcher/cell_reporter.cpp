#include "engine/launcher/cell_reporter.h"

#include <unistd.h>

#include <cerrno>

#include "os/packets.h"

namespace glovebox::engine {

void CellReporter::fail(CellStage stage, int detail) const {
  CellMessage message;
  message.kind = CellMessageKind::failed;
  message.stage = stage;
  message.sys_errno = errno;
  message.detail = detail;
  os::send_packet(socket_, &message, sizeof(message));
  ::_exit(125);
}

}  // namespace glovebox::engine
