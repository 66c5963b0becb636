// Device nodes of our own, made before they are needed.
//
// A bound device is the host's inode: what a cell locks on /dev/null every process of the host pays for when it closes
// it, and a watch on it sees the whole host. So root makes the few devices anew for every cell and every nursery, on a
// tmpfs that belongs to the host's user namespace, because in one of the cell's own they could not be opened. An
// ordinary user cannot make devices; there they are bound.
#pragma once

#include "base/fd.h"

namespace glovebox::engine {

class DeviceStock {
 public:
  explicit DeviceStock(bool privileged) : possible_(privileged) {}

  // While nobody waits: so that the next take() finds one.
  void prepare();
  // A mount that is attached nowhere yet, with one node for each device. Not valid: there can be none.
  [[nodiscard]] base::Fd take();

 private:
  bool possible_;
  base::Fd next_;
};

}  // namespace glovebox::engine
