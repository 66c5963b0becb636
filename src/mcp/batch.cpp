#include "mcp/batch.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "contract/json_parse.h"

namespace glovebox::mcp {
namespace {

constexpr std::size_t kMostMessages = 100;

// The answers so far. One more is open than there are requests, until all were handed out.
class Gathered {
 public:
  Gathered(ChannelPtr out, std::size_t requests) : out_(std::move(out)), open_(requests + 1) {}

  [[nodiscard]] Channel& out() { return *out_; }
  void add(const std::string& message) {
    const std::lock_guard lock(mutex_);
    answers_ += (answers_.empty() ? "" : ",") + message;
  }
  void close_one() {
    std::string all;
    {
      const std::lock_guard lock(mutex_);
      if (--open_ != 0) {
        return;
      }
      all = std::move(answers_);
    }
    all.empty() ? out_->leave_unanswered() : out_->answer({"[" + all + "]"});
  }

 private:
  const ChannelPtr out_;
  std::mutex mutex_;
  std::size_t open_;
  std::string answers_;
};

class BatchChannel final : public Channel {
 public:
  explicit BatchChannel(std::shared_ptr<Gathered> gathered) : gathered_(std::move(gathered)) {}
  [[nodiscard]] bool can_send() const override { return gathered_->out().can_send(); }
  void send(std::string message) override { gathered_->out().send(std::move(message)); }
  void answer(Answer answer) override {
    gathered_->add(answer.message);
    gathered_->close_one();
  }
  void leave_unanswered() override { gathered_->close_one(); }

 private:
  const std::shared_ptr<Gathered> gathered_;
};

}  // namespace

bool looks_like_batch(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '[';
}

bool takes_batches(const Session& session) { return session.revision() == Revision::v2025_03_26; }

bool receive_batch(Server& server, std::string_view text, const Origin& origin) {
  static constexpr std::string_view kFreeForm[] = {"[]"};
  contract::JsonOptions options;
  options.free_form = kFreeForm;
  options.bounds.max_bytes = kMaxMessageBytes;
  const auto list = contract::parse_json(text, options);
  if (!list || list->members.empty() || list->members.size() > kMostMessages) {
    const int code = list ? kInvalidRequest : kParseError;
    origin.channel->answer(Server::refusal({"null", {code, "a batch is an array of 1 to 100 messages"}}));
    return true;
  }
  std::vector<Message> messages;
  std::vector<BadMessage> bad;
  std::size_t requests = 0;
  for (const contract::JsonMember& one : list->members) {
    auto message = parse_message(one.value.text);
    if (!message) {
      bad.push_back(std::move(message.error()));
      continue;
    }
    requests += message->kind == Message::Kind::request ? 1 : 0;
    messages.push_back(std::move(*message));
  }
  const bool answered = requests != 0 || !bad.empty();
  const auto gathered = std::make_shared<Gathered>(origin.channel, requests);
  for (const BadMessage& one : bad) {
    gathered->add(Server::refusal(one).message);
  }
  for (Message& message : messages) {
    server.receive(std::move(message), {origin.session, std::make_shared<BatchChannel>(gathered), origin.host,
                                        std::make_shared<const engine::CancelToken>()});
  }
  if (answered) {
    gathered->close_one();
  }
  return answered;
}

}  // namespace glovebox::mcp
