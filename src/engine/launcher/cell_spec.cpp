#include "engine/launcher/cell_spec.h"

#include <cstring>

namespace glovebox::engine {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;

constexpr std::uint32_t kMagic = 0x47425832;  // "GBX2"
constexpr std::uint32_t kMaxList = 4096;
constexpr std::uint64_t kMaxLifeMs = 30ULL * 24 * 3600 * 1000;

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) {
      text(value);
    }
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads until the first fault and then gives zeros; ok() tells once at the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof(value)) {
      ok_ = false;
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }
  std::uint32_t small() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) {
      ok_ = false;
      return 0;
    }
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t count() {
    const std::uint32_t value = small();
    if (value > kMaxList) {
      ok_ = false;
      return 0;
    }
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (value.find('\0') != std::string::npos) {
      ok_ = false;  // every text ends up as a C string
    }
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    const std::uint32_t size = count();
    for (std::uint32_t index = 0; index < size && ok_; ++index) {
      values.push_back(text());
    }
    return values;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

bool safe_target(std::string_view target) {
  return !target.empty() && target.front() != '/' && target != ".." && !target.starts_with("../") &&
         !target.ends_with("/..") && target.find("/../") == std::string_view::npos;
}

}  // namespace

Result<std::string> encode_cell_spec(const CellSpec& spec) {
  Writer out;
  out.number(kMagic);
  out.number(static_cast<std::uint64_t>(spec.role));
  for (const std::uint32_t id : {spec.host_uid, spec.host_gid, spec.uid, spec.gid, spec.id_count}) {
    out.number(id);
  }
  out.text(spec.hostname);
  out.text(spec.directory);
  out.number(spec.root.size());
  for (const RootEntry& entry : spec.root) {
    out.number(static_cast<std::uint64_t>(entry.kind));
    out.text(entry.target);
    out.text(entry.source);
  }
  out.number(spec.scratch_bytes);
  out.number(spec.scratch_inodes);
  out.texts(spec.scratch_parts);
  out.texts(spec.blob_targets);
  out.number(spec.rlimits.size());
  for (const ResourceLimit& limit : spec.rlimits) {
    out.number(limit.resource);
    out.number(limit.value);
  }
  out.texts(spec.argv);
  out.texts(spec.env);
  out.text(spec.seccomp);
  out.number(spec.landlock_abi);
  out.number(spec.latest_end_ms);
  out.number(spec.task_fds);
  out.number(spec.into_cgroup ? 1 : 0);
  out.number(spec.fresh_network ? 1 : 0);
  out.number(spec.deterministic ? 1 : 0);
  std::string bytes = out.take();
  if (bytes.size() > kMaxSpecBytes) {
    return fail(base::make_error(ErrorCode::invalid_request, "the arguments and environment are too large together")
                    .with_hint("pass large data as a file or on standard input"));
  }
  return bytes;
}

Result<CellSpec> decode_cell_spec(std::string_view bytes) {
  Reader in(bytes);
  CellSpec spec;
  const bool known = in.number() == kMagic;
  const std::uint32_t role = in.small();
  spec.role = static_cast<CellRole>(role);
  spec.host_uid = in.small();
  spec.host_gid = in.small();
  spec.uid = in.small();
  spec.gid = in.small();
  spec.id_count = in.small();
  spec.hostname = in.text();
  spec.directory = in.text();
  bool valid = true;
  for (std::uint32_t left = in.count(); left > 0 && in.ok(); --left) {
    RootEntry entry;
    const std::uint32_t kind = in.small();
    valid = valid && kind <= static_cast<std::uint32_t>(RootEntry::Kind::sealed_support);
    entry.kind = static_cast<RootEntry::Kind>(kind);
    entry.target = in.text();
    entry.source = in.text();
    valid = valid && safe_target(entry.target);
    spec.root.push_back(std::move(entry));
  }
  spec.scratch_bytes = in.number();
  spec.scratch_inodes = in.number();
  spec.scratch_parts = in.texts();
  spec.blob_targets = in.texts();
  for (std::uint32_t left = in.count(); left > 0 && in.ok(); --left) {
    ResourceLimit limit;
    limit.resource = in.small();
    limit.value = in.number();
    spec.rlimits.push_back(limit);
  }
  spec.argv = in.texts();
  spec.env = in.texts();
  spec.seccomp = in.text();
  spec.landlock_abi = in.small();
  spec.latest_end_ms = in.number();
  spec.task_fds = in.count();
  const std::uint64_t into = in.number();
  spec.into_cgroup = into == 1;
  const std::uint64_t fresh = in.number();
  spec.fresh_network = fresh == 1;
  const std::uint64_t deterministic = in.number();
  spec.deterministic = deterministic == 1;
  for (const std::string& target : spec.scratch_parts) {
    valid = valid && safe_target(target);
  }
  for (const std::string& target : spec.blob_targets) {
    valid = valid && safe_target(target);
  }
  valid = valid && role <= static_cast<std::uint32_t>(CellRole::nursery) && spec.argv.empty() != executes(spec.role);
  if (!known || !in.finished() || !valid || into > 1 || fresh > 1 || deterministic > 1 || spec.id_count == 0 ||
      (spec.id_count > 1 && spec.role != CellRole::nursery) || spec.directory.empty() ||
      spec.directory.front() != '/' || spec.uid == 0 || spec.gid == 0 || spec.host_uid == UINT32_MAX ||
      spec.host_uid == 0 || spec.host_gid == 0 || spec.latest_end_ms > kMaxLifeMs) {
    return fail(ErrorCode::internal_error, "the launcher got a malformed cell description");
  }
  return spec;
}

}  // namespace glovebox::engine
