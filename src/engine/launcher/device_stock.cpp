#include "engine/launcher/device_stock.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <utility>

#include "os/calls.h"

namespace glovebox::engine {
namespace {

using base::Fd;

struct Device {
  const char* name;
  unsigned minor;
};
constexpr unsigned kMemoryDevices = 1;
constexpr Device kStockedDevices[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}};
constexpr mode_t kForEverybody = 0666;

Fd mount_with_devices() {
  const Fd fs(os::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!fs.valid() || os::fsconfig_string(fs.get(), "size", "4k") != 0 ||
      os::fsconfig_string(fs.get(), "nr_inodes", "16") != 0 || os::fsconfig_string(fs.get(), "mode", "0755") != 0 ||
      os::fsconfig_create(fs.get()) != 0) {
    return {};
  }
  Fd mount(os::fsmount(fs.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  if (!mount.valid()) {
    return {};
  }
  for (const Device& device : kStockedDevices) {
    if (::mknodat(mount.get(), device.name, S_IFCHR, ::makedev(kMemoryDevices, device.minor)) != 0 ||
        ::fchmodat(mount.get(), device.name, kForEverybody, 0) != 0) {
      return {};
    }
  }
  return mount;
}

}  // namespace

void DeviceStock::prepare() {
  if (possible_ && !next_.valid()) {
    next_ = mount_with_devices();
    possible_ = next_.valid();
  }
}

Fd DeviceStock::take() {
  prepare();
  return std::exchange(next_, Fd());
}

}  // namespace glovebox::engine
