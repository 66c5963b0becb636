#include "mcp/session.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace glovebox::mcp {
namespace {

constexpr std::size_t kMaxRequests = 4096;
constexpr std::size_t kMaxQuestions = 16;
constexpr std::size_t kMaxSubscriptions = 256;

}  // namespace

bool Session::open(Revision revision, ClientTraits client) {
  const std::lock_guard lock(mutex_);
  if (revision_) {
    return false;
  }
  revision_ = revision;
  client_ = std::move(client);
  return true;
}

std::optional<Revision> Session::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

ClientTraits Session::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

LogLevel Session::log_level() const {
  const std::lock_guard lock(mutex_);
  return log_level_;
}

void Session::set_log_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  log_level_ = level;
}

bool Session::subscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() >= kMaxSubscriptions && !subscriptions_.contains(uri)) {
    return false;
  }
  subscriptions_.insert(uri);
  return true;
}

void Session::unsubscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(uri);
}

bool Session::subscribed(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.contains(uri);
}

std::string Session::workspace() const {
  const std::lock_guard lock(mutex_);
  return workspace_;
}

void Session::set_workspace(std::string handle, std::function<void()> drop) {
  const std::lock_guard lock(mutex_);
  workspace_ = std::move(handle);
  drop_workspace_ = std::move(drop);
}

void Session::drop_workspace() {
  std::function<void()> drop;
  {
    const std::lock_guard lock(mutex_);
    workspace_.clear();
    drop = std::exchange(drop_workspace_, nullptr);
  }
  if (drop) {
    drop();
  }
}

Session::Begin Session::begin(const std::string& id, Token token) {
  const std::lock_guard lock(mutex_);
  if (requests_.size() >= kMaxRequests) {
    return Begin::too_many;
  }
  return requests_.try_emplace(id, Request{std::move(token), false}).second ? Begin::begun : Begin::id_in_use;
}

bool Session::end(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(id);
  if (found == requests_.end()) {
    return false;
  }
  const bool cancelled = found->second.cancelled;
  requests_.erase(found);
  return cancelled;
}

void Session::cancel(const std::string& id) {
  std::vector<OnReply> unanswered;
  {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(id);
    if (found == requests_.end()) {
      return;
    }
    found->second.cancelled = true;
    found->second.token->cancel();
    for (auto question = questions_.begin(); question != questions_.end();) {
      if (question->second.request == id) {
        unanswered.push_back(std::move(question->second.on_reply));
        question = questions_.erase(question);
      } else {
        ++question;
      }
    }
  }
  for (const OnReply& on_reply : unanswered) {
    on_reply({"", "the request was cancelled"});
  }
}

void Session::cancel_all() {
  std::vector<OnReply> unanswered;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, request] : requests_) {
      request.cancelled = true;
      request.token->cancel();
    }
    for (auto& [id, question] : questions_) {
      unanswered.push_back(std::move(question.on_reply));
    }
    questions_.clear();
  }
  for (const OnReply& on_reply : unanswered) {
    on_reply({"", "the client is gone"});
  }
}

bool Session::ask(const std::string& request, const ChannelPtr& channel, std::string_view method,
                  std::string_view members, Clock::time_point until, OnReply on_reply) {
  std::string id;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (questions_.size() < kMaxQuestions) {
      first = questions_.empty();
      id = fmt::format("\"glovebox-{}\"", ++asked_);
      questions_.emplace(id, Question{request, until, on_reply});
    }
  }
  if (id.empty()) {
    on_reply({"", "too many questions wait for an answer"});
    return false;
  }
  channel->send(request_message(id, method, members));
  return first;
}

void Session::reply(const Message& response) {
  OnReply on_reply;
  {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(response.id);
    if (found == questions_.end()) {
      return;  // too late, or never asked
    }
    on_reply = std::move(found->second.on_reply);
    questions_.erase(found);
  }
  response.error.empty() ? on_reply({response.result, ""}) : on_reply({"", "the client refused: " + response.error});
}

bool Session::expire(Clock::time_point now) {
  std::vector<OnReply> late;
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto question = questions_.begin(); question != questions_.end();) {
      if (question->second.until <= now) {
        late.push_back(std::move(question->second.on_reply));
        question = questions_.erase(question);
      } else {
        ++question;
      }
    }
    more = !questions_.empty();
  }
  for (const OnReply& on_reply : late) {
    on_reply({"", "nobody answered in time"});
  }
  return more;
}

void Session::set_news(std::function<void(std::string)> news) {
  const std::lock_guard lock(mutex_);
  news_ = std::move(news);
}

void Session::tell(std::string message) {
  std::function<void(std::string)> news;
  {
    const std::lock_guard lock(mutex_);
    news = news_;
  }
  if (news) {
    news(std::move(message));
  }
}

}  // namespace glovebox::mcp
