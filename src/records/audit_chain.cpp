#include "records/audit_chain.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/files.h"
#include "os/private_place.h"

namespace glovebox::records {
namespace {

using base::errno_error;
using base::ErrorCode;
using base::fail;
using base::Fd;
using base::Result;

constexpr std::size_t kLineBytes = 160;

std::string path_of(const std::string& directory) { return directory + "/audit.head"; }

std::string line_of(const Anchor& anchor) {
  std::string line = to_json(anchor);
  line.resize(kLineBytes - 1, ' ');
  return line + '\n';
}

Result<std::optional<std::string>> hash_at(Database& database, std::uint64_t seq) {
  if (seq == 0) {
    return std::string(kNoHash);
  }
  Statement statement = TRY(database.prepare("SELECT hash FROM audit WHERE seq = ?1"));
  statement.bind(seq);
  if (!TRY(statement.step())) {
    return std::nullopt;
  }
  return statement.text(0);
}

}  // namespace

Result<Anchor> last_entry(Database& database) {
  Statement statement = TRY(database.prepare("SELECT seq, hash, time_ms FROM audit ORDER BY seq DESC LIMIT 1"));
  Anchor last;
  last.hash = kNoHash;
  if (TRY(statement.step())) {
    last.seq = statement.count(0);
    last.hash = statement.text(1);
    last.time_ms = statement.integer(2);
  }
  return last;
}

Result<std::uint64_t> AuditChain::append(const AuditEvent& event) {
  if (!head_) {
    head_ = TRY(last_entry(database_));
  }
  Anchor next;
  next.seq = head_->seq + 1;
  next.hash = audit_hash(head_->hash, next.seq, event);
  next.time_ms = event.time_ms;
  Statement insert = TRY(database_.prepare(
      "INSERT INTO audit (seq, time_ms, kind, actor, subject, detail_json, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  insert.bind(next.seq, event.time_ms, event.kind, event.actor, event.subject, event.detail_json, next.hash);
  TRY_STATUS(insert.run());
  head_ = next;
  return next.seq;
}

Result<AuditHead> AuditHead::open(const std::string& directory, Database& database) {
  const std::string path = path_of(directory);
  const Anchor last = TRY(last_entry(database));
  const bool is_new = last.seq == 0 && !os::path_exists(path);
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (is_new ? O_CREAT | O_EXCL : 0), 0600));
  if (!file.valid() && is_new) {
    return fail(errno_error(ErrorCode::internal_error, "records", "cannot create " + path));
  }
  if (is_new) {
    os::give_to_owner(file.get(), directory);
    TRY_STATUS(os::write_all(file.get(), line_of(last)));
  }
  const std::optional<Anchor> kept = read_audit_head(directory);
  if (!kept || TRY(hash_at(database, kept->seq)) != kept->hash) {
    return AuditHead(Fd(), last);
  }
  return AuditHead(std::move(file), last);
}

void AuditHead::advance(const Anchor& head) {
  // The log was longer when it was last seen: somebody cut it under our feet.
  if (head.seq <= last_.seq) {
    file_.reset();
  }
  last_ = head;
  if (file_.valid()) {
    const std::string line = line_of(head);
    // A head that cannot be written is behind the log, as after a crash: nothing to fail for.
    [[maybe_unused]] const ssize_t written = ::pwrite(file_.get(), line.data(), line.size(), 0);
  }
}

std::optional<Anchor> read_audit_head(const std::string& directory) {
  const auto line = os::read_file(path_of(directory), kLineBytes);
  if (!line) {
    return std::nullopt;
  }
  auto anchor = parse_anchor(*line);
  return anchor ? std::optional(std::move(*anchor)) : std::nullopt;
}

}  // namespace glovebox::records
