#include "engine/pool/orders.h"

#include "engine/pool/adoption.h"

namespace glovebox::engine {

std::string orders_of(const contract::RunRequest& request) {
  std::string orders;
  const auto field = [&orders](std::string_view text) {
    orders += text;
    orders += '\0';
  };
  field(request.input_json ? "solve" : "script");
  field(std::to_string(request.args.size()));
  for (const std::string& argument : request.args) {
    field(argument);
  }
  for (const auto& [name, value] : request.env) {
    field(name + "=" + value);
  }
  return orders;
}

std::string with_limits(const std::vector<ResourceLimit>& limits, const std::string& orders) {
  OrdersHeader header;
  header.limits = static_cast<std::uint32_t>(limits.size());
  std::string packet(reinterpret_cast<const char*>(&header), sizeof(header));
  packet.append(reinterpret_cast<const char*>(limits.data()), limits.size() * sizeof(ResourceLimit));
  return packet + orders;
}

}  // namespace glovebox::engine
