// What an MCP client may write: lines of messages to a server in both eras, and what stands in them. No crash, no hang,
// no leak; every request that is taken is answered exactly once, in one line of JSON.
//
// Each line of the input is a message on the same connection. Good seeds are in fuzz/seeds/mcp.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contract/json_parse.h"
#include "mcp/batch.h"
#include "mcp/elicitation.h"
#include "mcp/server.h"
#include "mcp/tools/run_arguments.h"
#include "mcp/tools/run_uri.h"

namespace {

using namespace glovebox;

constexpr std::size_t kMaxBytes = 64U << 10U;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_line(const std::string& text) {
  require(text.find('\n') == text.npos && contract::parse_json(text, {}).has_value());
}

class Channel final : public mcp::Channel {
 public:
  [[nodiscard]] bool can_send() const override { return true; }
  void send(std::string message) override {
    require(answers == 0);
    check_line(message);
  }
  void answer(mcp::Answer answer) override {
    ++answers;
    check_line(answer.message);
  }
  void leave_unanswered() override { ++answers; }

  int answers = 0;
};

mcp::Offer make_offer() {
  static constexpr std::string_view kFields[] = {"code", "files", "limits"};
  mcp::Offer offer;
  mcp::Tool tool;
  tool.name = "t";
  tool.description = "d";
  tool.input_schema = "{}";
  tool.call = [](const mcp::CallPtr& call, const std::string& arguments) {
    const auto read = mcp::read_run_arguments(arguments, kFields);
    const auto responses = mcp::read_input_responses(*call);
    call->progress(1, 2, read ? read->request.code : read.error().message);
    responses ? call->complete("\"content\":[]") : call->fail(responses.error());
  };
  offer.tools.push_back(tool);
  offer.read = [](const mcp::CallPtr& call, const std::string& uri) {
    const auto parsed = mcp::parse_run_uri(uri);
    if (parsed) {
      require(mcp::parse_run_uri(mcp::to_string(*parsed)) == parsed);
      call->complete_cacheable("\"contents\":[]");
    }
    return parsed.has_value();
  };
  offer.changes = true;
  offer.logging = true;
  return offer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static mcp::RequestStates states(std::chrono::seconds(60));
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  (void)mcp::read_elicited(rest);
  require(!states.redeem(rest, "never issued").has_value());

  mcp::Ticker ticker;
  std::vector<std::shared_ptr<Channel>> channels;
  {
    mcp::Server server(make_offer(), "0", ticker);
    const auto session = std::make_shared<mcp::Session>();
    while (!rest.empty()) {
      const std::size_t newline = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, newline);
      rest.remove_prefix(std::min(newline + 1, rest.size()));
      if (mcp::looks_like_batch(line)) {
        auto whole = std::make_shared<Channel>();
        if (mcp::receive_batch(server, line, {session, whole, nullptr, nullptr})) {
          channels.push_back(whole);
        }
        continue;
      }
      auto message = mcp::parse_message(line, kMaxBytes);
      if (!message) {
        check_line(mcp::Server::refusal(message.error()).message);
        continue;
      }
      auto channel = std::make_shared<Channel>();
      if (message->kind == mcp::Message::Kind::request) {
        channels.push_back(channel);
      }
      server.receive(std::move(*message), {session, channel, nullptr, std::make_shared<const engine::CancelToken>()});
    }
    ticker.stop();
  }
  for (const auto& channel : channels) {
    require(channel->answers == 1);
  }
  return 0;
}
