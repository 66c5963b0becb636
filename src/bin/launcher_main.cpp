#include <fcntl.h>

#include "engine/launcher/launcher.h"

using glovebox::engine::ExpectedLaunches;
using glovebox::engine::kLauncherSocket;

int main() {
  // Inherited across the exec; nothing may pass it on.
  ::fcntl(kLauncherSocket, F_SETFD, FD_CLOEXEC);
  return glovebox::engine::serve_launches(kLauncherSocket, ExpectedLaunches::many);
}
