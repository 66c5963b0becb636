// Tells systemd how a service is doing (sd_notify), without its library.
#pragma once

#include <string_view>

namespace glovebox::os {

// "READY=1", "STOPPING=1". Nothing happens unless a service manager asked for it, in $NOTIFY_SOCKET.
void tell_service_manager(std::string_view state);

}  // namespace glovebox::os
