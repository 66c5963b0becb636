// Tells systemd how a service is doing (sd_notify), without its library.
#pragma once

#include <string>
#include <string_view>

namespace glovebox::os {

class ServiceManager {
 public:
  // Takes $NOTIFY_SOCKET out of the environment: it is meant for this process and not for those that it starts. Before
  // any thread.
  ServiceManager();

  // "READY=1", "STOPPING=1". Nothing happens unless a service manager asked for it.
  void tell(std::string_view state) const;

 private:
  std::string path_;
};

}  // namespace glovebox::os
