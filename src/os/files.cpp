#include "os/files.h"

#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace glovebox::os {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;
using base::Status;

Result<std::string> read_all(int fd, std::size_t max_bytes) {
  std::string text;
  std::size_t used = 0;
  while (true) {
    text.resize(used + 4096 + used / 2);
    const ssize_t got = ::read(fd, text.data() + used, text.size() - used);
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail(errno_error(ErrorCode::internal_error, "read", "cannot read"));
    }
    if (got == 0) {
      text.resize(used);
      return text;
    }
    used += static_cast<std::size_t>(got);
    if (used > max_bytes) {
      return fail(ErrorCode::input_too_large, "larger than " + std::to_string(max_bytes) + " bytes");
    }
  }
}

Result<std::string> read_file_at(int directory, const char* name, std::size_t max_bytes) {
  const Fd fd(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "open", std::string("cannot open ") + name));
  }
  return read_all(fd.get(), max_bytes);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  return read_file_at(AT_FDCWD, path.c_str(), max_bytes);
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) {
        continue;
      }
      return fail(errno_error(ErrorCode::internal_error, "write", "cannot write"));
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status write_file_at(int directory, const char* name, std::string_view value) {
  const Fd fd(::openat(directory, name, O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return fail(errno_error(ErrorCode::internal_error, "open", std::string("cannot open ") + name));
  }
  if (::write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return fail(errno_error(ErrorCode::internal_error, "write",
                            std::string("cannot write \"") + std::string(value) + "\" to " + name));
  }
  return {};
}

Status replace_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  {
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) {
      return fail(errno_error(ErrorCode::internal_error, "open", "cannot create " + temporary));
    }
    if (auto written = write_all(fd.get(), bytes); !written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    auto error = errno_error(ErrorCode::internal_error, "rename", "cannot replace " + path);
    ::unlink(temporary.c_str());
    return fail(std::move(error));
  }
  return {};
}

Status make_directories(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); true; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return fail(errno_error(ErrorCode::internal_error, "mkdir", "cannot create the directory " + part));
    }
    if (slash == std::string::npos) {
      return {};
    }
  }
}

bool path_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  std::size_t start = 0;
  while (start <= text.size()) {
    std::string_view line = text.substr(start, text.find('\n', start) - start);
    if (line.starts_with(key)) {
      line.remove_prefix(key.size());
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
        line.remove_prefix(1);
      }
      std::uint64_t value = 0;
      if (std::from_chars(line.data(), line.data() + line.size(), value).ec == std::errc()) {
        return value;
      }
    }
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) {
      break;
    }
    start = end + 1;
  }
  return std::nullopt;
}

std::vector<std::string> list_directories(const std::string& path) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      found.push_back(entry.path().string());
    }
  }
  return found;
}

}  // namespace glovebox::os
