// What the kernel knows of this process. A number that cannot be read is left out, not invented.
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "telemetry/service_metrics.h"

namespace glovebox::telemetry {
namespace {

std::string read_proc(const char* path) {
  const base::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece{};
  constexpr std::size_t kMost = 1U << 20U;  // /proc/stat grows with the number of cores
  while (text.size() < kMost) {
    const ssize_t got = file.valid() ? ::read(file.get(), piece.data(), piece.size()) : 0;
    if (got <= 0) {
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() ? std::optional(static_cast<double>(value)) : std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// When the machine started, in seconds since 1970.
std::optional<double> boot_time() {
  const std::string text = read_proc("/proc/stat");
  constexpr std::string_view kKey = "\nbtime ";
  const std::size_t at = text.find(kKey);
  return at == std::string::npos ? std::nullopt : parse_number(std::string_view(text).substr(at + kKey.size()));
}

std::optional<double> start_time() {
  const std::string text = read_proc("/proc/self/stat");
  // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
  const std::size_t name_end = text.rfind(") ");
  const auto booted = boot_time();
  if (name_end == std::string::npos || !booted) {
    return std::nullopt;
  }
  const auto words = words_of(std::string_view(text).substr(name_end + 2));
  constexpr std::size_t kStartTime = 22 - 3;  // field 22 of the manual page; the first word here is field 3
  const auto ticks = words.size() > kStartTime ? parse_number(words[kStartTime]) : std::nullopt;
  const long per_second = ::sysconf(_SC_CLK_TCK);
  return ticks && per_second > 0 ? std::optional(*booted + *ticks / static_cast<double>(per_second)) : std::nullopt;
}

std::optional<double> open_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), ::closedir);
  if (!directory) {
    return std::nullopt;
  }
  double count = -1;  // without the one that reads the list
  while (const dirent* entry = ::readdir(directory.get())) {
    count += static_cast<const char*>(entry->d_name)[0] == '.' ? 0 : 1;
  }
  return count;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

void add_process_metrics(Registry& registry) {
  registry.add_source([started = start_time()](Scrape& scrape) {
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
      scrape.counter("process_cpu_seconds_total", "CPU time of this process, without its cells", {},
                     seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    }
    const std::string memory = read_proc("/proc/self/statm");
    const auto pages = words_of(memory);
    const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
    if (const auto all = pages.size() > 1 ? parse_number(pages[0]) : std::nullopt) {
      scrape.gauge("process_virtual_memory_bytes", "Address space", {}, *all * page_bytes);
    }
    if (const auto resident = pages.size() > 1 ? parse_number(pages[1]) : std::nullopt) {
      scrape.gauge("process_resident_memory_bytes", "Memory in use", {}, *resident * page_bytes);
    }
    if (const auto count = open_descriptors()) {
      scrape.gauge("process_open_fds", "Open descriptors", {}, *count);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      scrape.gauge("process_max_fds", "Descriptors that may be open", {}, static_cast<double>(limit.rlim_cur));
    }
    if (started) {
      scrape.gauge("process_start_time_seconds", "Start of this process since 1970", {}, *started);
    }
  });
}

}  // namespace glovebox::telemetry
