// Network namespaces, made before they are needed. One costs more than all other namespaces of a cell together.
//
// On the host, a privileged launcher makes the next one while nobody waits; the cell is born into it, and it belongs to
// the host's user namespace, in which the cell has no privilege. An ordinary user cannot; there the clone makes it.
//
// A nursery owns its network namespaces and may hand the one of a dead cell to the next: the system-call filter lets
// local sockets exist and no others, a dead cell has none open, and that none is left is checked. There is then nothing
// in it that was not there when it was new: no address, no route, no counter that a program could have moved.
#pragma once

#include <vector>

#include "base/fd.h"

namespace glovebox::engine {

class NetworkStock {
 public:
  enum class Owner { host, nursery };
  NetworkStock(Owner owner, int proc) : owner_(owner), proc_(proc) {}

  // While nobody waits: so that the next enter() finds one.
  void prepare();
  // Steps into a namespace for one cell. False: the clone has to make it.
  bool enter(bool fresh);
  // After the clone, with the pidfd of the cell, or -1 if there is none.
  void leave(int pidfd);

 private:
  struct Used {
    base::Fd cell;  // pidfd
    base::Fd network;
  };
  void make_one();
  void collect_emptied();
  [[nodiscard]] bool is_empty(int network) const;

  Owner owner_;
  int proc_;
  base::Fd home_;
  base::Fd entered_;
  bool entered_fresh_ = false;
  std::vector<base::Fd> spare_;
  std::vector<Used> used_;
};

}  // namespace glovebox::engine
