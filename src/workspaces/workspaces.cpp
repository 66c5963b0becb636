#include "workspaces/workspaces.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace glovebox::workspaces {
namespace {

using base::ErrorCode;

constexpr std::chrono::seconds kBetweenSweeps{1};
// A workspace that was used a moment ago is not pushed out by the next one.
constexpr auto kRecentUse = std::chrono::minutes(1);

base::Result<std::string> new_handle() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 16> random{};
  ssize_t got = 0;
  do {
    got = ::getrandom(random.data(), random.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(random.size())) {
    return base::fail(base::errno_error(ErrorCode::internal_error, "workspaces", "no random numbers"));
  }
  std::string handle = "ws_";
  for (const unsigned char byte : random) {
    handle += kDigits[byte >> 4U];
    handle += kDigits[byte & 15U];
  }
  return handle;
}

base::Error no_such_workspace() {
  return base::make_error(ErrorCode::not_found, "there is no such workspace")
      .with_hint("it may have expired; begin a new one and write the files again");
}

base::Error too_many(std::string whose) {
  return base::make_error(ErrorCode::quota_exceeded, std::move(whose) + " has as many workspaces as it may")
      .with_hint("drop one that is no longer needed, or wait until one expires");
}

}  // namespace

base::Result<std::unique_ptr<Workspaces>> Workspaces::create(WorkspacesOptions options) {
  auto shelf = TRY(FileShelf::open(options.directory));
  return std::unique_ptr<Workspaces>(new Workspaces(std::move(options), std::move(shelf)));
}

base::Result<std::string> Workspaces::add(const std::string& tenant) {
  const runner::WorkspaceSettings& settings = options_.settings;
  const auto now = options_.now();
  std::string handle = TRY(new_handle());
  const std::lock_guard lock(mutex_);
  sweep_locked(now);
  if (places_.size() >= settings.count) {
    return base::fail(too_many("this service"));
  }
  Tenant& owner = tenants_[tenant];
  if (owner.workspaces >= settings.tenant_count) {
    // The one that nobody has used for longest makes room.
    auto oldest = places_.end();
    for (auto place = places_.begin(); place != places_.end(); ++place) {
      const bool fits = place->second.tenant == tenant && place->second.workspace->idle();
      if (fits && (oldest == places_.end() || place->second.used_at < oldest->second.used_at)) {
        oldest = place;
      }
    }
    if (oldest == places_.end() || now - oldest->second.used_at < kRecentUse) {
      return base::fail(too_many("this tenant"));
    }
    forget(oldest);
  }
  if (owner.allowance == nullptr) {
    owner.allowance = std::make_shared<Allowance>(Use{settings.tenant_bytes, settings.tenant_files});
  }
  ++owner.workspaces;
  places_.emplace(handle, Place{tenant, std::make_shared<Workspace>(shelf_, owner.allowance, settings), now});
  return handle;
}

base::Result<std::shared_ptr<Workspace>> Workspaces::open(const std::string& tenant, const std::string& handle) {
  const auto now = options_.now();
  const std::lock_guard lock(mutex_);
  sweep_locked(now);
  const auto place = places_.find(handle);
  if (place == places_.end() || place->second.tenant != tenant) {
    return base::fail(no_such_workspace());
  }
  // Expired, but not swept yet.
  if (now - place->second.used_at >= std::chrono::seconds(options_.settings.ttl_s) && place->second.workspace->idle()) {
    forget(place);
    return base::fail(no_such_workspace());
  }
  place->second.used_at = now;
  return place->second.workspace;
}

base::Status Workspaces::drop(const std::string& tenant, const std::string& handle) {
  TRY(open(tenant, handle));
  const std::lock_guard lock(mutex_);
  if (const auto place = places_.find(handle); place != places_.end()) {
    forget(place);
  }
  return {};
}

std::size_t Workspaces::sweep() {
  const auto now = options_.now();
  const std::lock_guard lock(mutex_);
  swept_at_ = Clock::time_point();
  return sweep_locked(now);
}

std::size_t Workspaces::sweep_locked(Clock::time_point now) {
  if (swept_at_ != Clock::time_point() && now - swept_at_ < kBetweenSweeps) {
    return 0;
  }
  swept_at_ = now;
  std::size_t dropped = 0;
  for (auto place = places_.begin(); place != places_.end();) {
    if (!place->second.workspace->idle()) {
      place->second.used_at = now;  // a run is a use, however long it takes
    }
    if (now - place->second.used_at >= std::chrono::seconds(options_.settings.ttl_s)) {
      place = forget(place);
      ++dropped;
    } else {
      ++place;
    }
  }
  // An allowance stays for as long as a workspace that was dropped in use still counts on it.
  std::erase_if(tenants_, [](const auto& tenant) {
    return tenant.second.workspaces == 0 && tenant.second.allowance->used() == Use{};
  });
  return dropped;
}

Workspaces::Places::iterator Workspaces::forget(Places::iterator place) {
  place->second.workspace->end();
  --tenants_[place->second.tenant].workspaces;
  return places_.erase(place);
}

std::size_t Workspaces::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

std::string temporary_directory() {
  const char* temporary = std::getenv("TMPDIR");
  return std::string(temporary != nullptr && *temporary == '/' ? temporary : "/tmp") + "/glovebox-workspaces-" +
         std::to_string(::geteuid());
}

}  // namespace glovebox::workspaces
