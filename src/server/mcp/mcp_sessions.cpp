#include "server/mcp/mcp_sessions.h"

#include <utility>

#include "base/secrets.h"

namespace glovebox::server {
namespace {

constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kMostSessions = 4096;
constexpr std::size_t kMaxSessionsOfTenant = 256;
constexpr auto kIdle = std::chrono::hours(1);
// The next session may push out one that has been idle for this long.
constexpr auto kRecent = std::chrono::seconds(10);
constexpr std::size_t kMostStreams = 64;

}  // namespace

EventStreamPtr McpSession::new_stream() {
  const std::lock_guard lock(mutex_);
  make_room();
  auto stream = std::make_shared<EventStream>(++last_, EventStream::Resumable::yes, kept_);
  streams_[stream->number()] = stream;
  return stream;
}

// Streams that were delivered are forgotten at once, others until there are too many.
void McpSession::make_room() {
  std::erase_if(streams_, [](const auto& entry) { return entry.second->delivered(); });
  while (!streams_.empty() && (streams_.size() >= kMostStreams || *kept_ > kMostKeptBytes / 2)) {
    streams_.begin()->second->forget();
    streams_.erase(streams_.begin());
  }
}

EventStreamPtr McpSession::find_stream(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (number == 0) {
    return news_;
  }
  const auto found = streams_.find(number);
  return found == streams_.end() ? nullptr : found->second;
}

EventStreamPtr McpSession::news() {
  const std::lock_guard lock(mutex_);
  if (news_ == nullptr) {
    news_ = std::make_shared<EventStream>(0, EventStream::Resumable::yes, kept_);
    session->set_news([stream = news_](const std::string& message) { stream->send(message); });
  }
  return news_;
}

void McpSession::end_news() {
  session->set_news(nullptr);
  EventStreamPtr news;
  {
    const std::lock_guard lock(mutex_);
    news.swap(news_);
  }
  if (news != nullptr) {
    news->finish();
  }
}

void McpSession::close() {
  end_news();
  session->cancel_all();
  session->drop_workspace();
  const std::lock_guard lock(mutex_);
  streams_.clear();
}

std::vector<McpSessionPtr> McpSessions::take_old(Clock::time_point now) {
  std::vector<McpSessionPtr> old;
  for (auto place = places_.begin(); place != places_.end();) {
    if (now - place->second.used > kIdle) {
      old.push_back(std::move(place->second.session));
      place = places_.erase(place);
    } else {
      ++place;
    }
  }
  return old;
}

McpSessionPtr McpSessions::add(const Identity& identity, Clock::time_point now) {
  auto made = std::make_shared<McpSession>(base::random_hex(kIdBytes));
  std::vector<McpSessionPtr> old;
  {
    const std::lock_guard lock(mutex_);
    old = take_old(now);
    // Of this tenant, and of all: who has too many makes room for itself, and if all have, whoever was idle for
    // longest.
    auto oldest_own = places_.end();
    auto oldest = places_.end();
    std::size_t own = 0;
    const auto older = [this](auto left, auto right) {
      return right == places_.end() || left->second.used < right->second.used;
    };
    for (auto place = places_.begin(); place != places_.end(); ++place) {
      oldest = older(place, oldest) ? place : oldest;
      if (place->second.tenant == identity.tenant) {
        ++own;
        oldest_own = older(place, oldest_own) ? place : oldest_own;
      }
    }
    if (own >= kMaxSessionsOfTenant || places_.size() >= kMostSessions) {
      const auto victim = own >= kMaxSessionsOfTenant ? oldest_own : oldest;
      if (now - victim->second.used < kRecent) {
        made = nullptr;
      } else {
        old.push_back(std::move(victim->second.session));
        places_.erase(victim);
      }
    }
    if (made != nullptr) {
      places_[made->id] = {made, identity.tenant, identity.key_id, now};
    }
  }
  for (const McpSessionPtr& one : old) {
    one->close();
  }
  return made;
}

McpSessionPtr McpSessions::find(const std::string& id, const Identity& identity, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(id);
  if (found == places_.end() || found->second.tenant != identity.tenant || found->second.key_id != identity.key_id ||
      now - found->second.used > kIdle) {
    return nullptr;
  }
  found->second.used = now;
  return found->second.session;
}

bool McpSessions::remove(const std::string& id, const Identity& identity) {
  McpSessionPtr gone;
  {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(id);
    if (found == places_.end() || found->second.tenant != identity.tenant || found->second.key_id != identity.key_id) {
      return false;
    }
    gone = std::move(found->second.session);
    places_.erase(found);
  }
  gone->close();
  return true;
}

void McpSessions::end_news() {
  std::vector<McpSessionPtr> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, place] : places_) {
      all.push_back(place.session);
    }
  }
  for (const McpSessionPtr& one : all) {
    one->end_news();
  }
}

void McpSessions::close_all() {
  std::map<std::string, Place> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(places_);
  }
  for (const auto& [id, place] : all) {
    place.session->close();
  }
}

}  // namespace glovebox::server
