#include "cli/artifact_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/rel_path.h"
#include "os/calls.h"
#include "os/files.h"

namespace glovebox::cli {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

base::Error cannot_save(const std::string& path) {
  return errno_error(ErrorCode::internal_error, "", "cannot save " + path);
}

// Beneath the chosen directory, whatever the path says, through no link.
Result<Fd> open_parent(int directory, const base::RelPath& path) {
  Fd parent(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto parts = path.parts();
  for (std::size_t index = 0; index + 1 < parts.size(); ++index) {
    const std::string name(parts[index]);
    if (::mkdirat(parent.get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
      return fail(cannot_save(path.str()));
    }
    parent = Fd(os::open_beneath(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    if (!parent.valid()) {
      return fail(errno_error(ErrorCode::internal_error, "",
                              "cannot save " + path.str() + ": " + name + " is no directory of its own"));
    }
  }
  return parent;
}

// A new file, whole or not at all.
Status write_new(int parent, const std::string& name, const contract::Artifact& artifact) {
  const Fd file(os::open_beneath(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
  if (!file.valid()) {
    return fail(cannot_save(artifact.path).with_hint(errno == EEXIST ? "--overwrite replaces it" : ""));
  }
  auto written = os::write_all(file.get(), artifact.content);
  if (!written) {
    ::unlinkat(parent, name.c_str(), 0);
    written.error().message = "cannot save " + artifact.path + ": " + written.error().message;
  }
  return written;
}

Status save_one(int directory, const contract::Artifact& artifact, bool overwrite) {
  const auto path = TRY(base::RelPath::parse(artifact.path));
  const Fd parent = TRY(open_parent(directory, path));
  const std::string name(path.file_name());
  if (!overwrite) {
    return write_new(parent.get(), name, artifact);
  }
  // What is there stays until the new one is whole.
  const std::string temporary = ".glovebox-" + std::to_string(::getpid()) + ".tmp";
  TRY_STATUS(write_new(parent.get(), temporary, artifact));
  if (::renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) != 0) {
    base::Error error = errno_error(ErrorCode::internal_error, "", "cannot replace " + artifact.path);
    ::unlinkat(parent.get(), temporary.c_str(), 0);
    return fail(std::move(error));
  }
  return {};
}

}  // namespace

Result<Fd> open_artifact_directory(const std::string& path) {
  const auto cannot = [&](const char* what) {
    return errno_error(ErrorCode::invalid_request, "", what + path).with_field("--artifacts");
  };
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(cannot("cannot create "));
  }
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) {
    return fail(cannot("cannot open "));
  }
  if (::faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    return fail(cannot("cannot write to "));
  }
  return directory;
}

SavedArtifacts save_artifacts(const contract::RunResult& result, int directory, bool overwrite) {
  SavedArtifacts saved;
  for (const contract::Artifact& artifact : result.artifacts) {
    if (auto kept = save_one(directory, artifact, overwrite); kept) {
      saved.paths.insert(artifact.path);
    } else {
      saved.failures.push_back(std::move(kept.error()));
    }
  }
  return saved;
}

}  // namespace glovebox::cli
