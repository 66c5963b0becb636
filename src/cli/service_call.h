// A call to a service from the command line: through its address, or through the socket in its data directory.
#pragma once

#include <string>

#include "base/result.h"
#include "server/http/client.h"

namespace CLI {
class App;
}

namespace glovebox::cli {

struct ServicePlace {
  std::string url;        // empty: the service of `directory`
  std::string key;        // an API key; empty: none is shown
  std::string directory;  // of the data
};

struct ServiceFlags {
  std::string url;
  std::string key;
};
// --url and --key. `scope` is what the key needs, for the help.
void add_service_flags(CLI::App& app, ServiceFlags& flags, const std::string& scope);
// With --url the key may come from GLOVEBOX_API_KEY; without, the data directory says where the service is.
[[nodiscard]] base::Result<ServicePlace> place_of(const ServiceFlags& flags, const std::string& data);

// POST if there is a body, else GET. Any status but 200 is an error that tells the problem's detail; `scope` is for its
// hint.
[[nodiscard]] base::Result<std::string> call_service(const ServicePlace& place, const std::string& target,
                                                     const std::string& json_body, const std::string& scope);

}  // namespace glovebox::cli
