// Output of a program as events: whole characters, harmless on a terminal, although it arrives in pieces of any size.
#pragma once

#include <string>
#include <string_view>

namespace glovebox::server {

class OutputStream {
 public:
  // What can be shown now.
  [[nodiscard]] std::string add(std::string_view bytes);
  // What is left at the end.
  [[nodiscard]] std::string rest();

 private:
  std::string pending_;
};

}  // namespace glovebox::server
