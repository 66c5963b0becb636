// A launcher of its own for the warm cells of one language.
//
// It lives in a user namespace that owns those of its cells, in a process namespace of its own, and in a root where the
// image is mounted already. So a cell costs only what is its own, a zygote beside it can enter the cells without any
// privilege on the host, and when it dies everything in it is dead.
#pragma once

#include <memory>

#include "base/fd.h"
#include "base/result.h"
#include "engine/image/host_image.h"
#include "engine/languages/language_profile.h"
#include "engine/launcher/launch_connection.h"
#include "engine/launcher/launcher_client.h"
#include "engine/plan/sandbox_plan.h"
#include "engine/supervise/scratch.h"
#include "os/cgroup.h"

namespace glovebox::engine {

[[nodiscard]] base::Result<std::vector<PlacedFile>> support_files(const std::vector<SupportFile>& support);

class Nursery {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Nursery>> start(LauncherClient& launcher, const Image& image,
                                                                    const LanguageProfile& language,
                                                                    const HostFacts& host, const os::CgroupSite& site);
  // Ends it, and with it all its cells and zygotes.
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  [[nodiscard]] base::Result<LaunchedCell> launch(const CellSpec& spec, const CellDescriptors& descriptors) {
    return connection_.launch(spec, descriptors);
  }
  [[nodiscard]] bool alive() const;
  // What a cell has to mount for itself before its own places.
  [[nodiscard]] const std::vector<RootEntry>& image() const { return image_; }
  // A user of the host for the next cell, and the same user as the nursery's namespace numbers it.
  struct CellUser {
    std::uint32_t host = 0;
    std::uint32_t inner = 0;
  };
  [[nodiscard]] CellUser next_user() const;
  [[nodiscard]] CellUser zygote_user() const;
  // The host user of a nursery and its zygotes; nullopt: an ordinary user's are that user.
  [[nodiscard]] static std::optional<std::uint32_t> host_user(const HostFacts& host);

 private:
  Nursery(const HostFacts& host, base::Fd socket, LaunchedCell process, os::CellCgroup group);

  bool privileged_;
  std::uint32_t host_uid_;
  LaunchConnection connection_;
  LaunchedCell process_;
  os::CellCgroup group_;
  std::vector<RootEntry> image_;
};

}  // namespace glovebox::engine
