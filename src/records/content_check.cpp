#include "records/content_check.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "records/content_codec.h"

namespace glovebox::records {
namespace {

using base::Result;
using base::Status;
using What = AuditProblem::What;

constexpr std::size_t kCheckedChunkBytes = 256U << 10U;
constexpr std::size_t kMaxDamaged = 1000;  // that a report names
constexpr int kTries = 2;

struct StoredContent {
  std::int64_t id = 0;
  std::string sha256;
  std::uint64_t bytes = 0;
  bool compressed = false;
  bool is_file = false;
  std::uint64_t kept_bytes = 0;  // in the database
};

struct Damage {
  What what = What::content_damaged;
  std::string how;
};

StoredContent read_content(const Statement& row) {
  StoredContent content;
  content.id = row.integer(0);
  content.sha256 = row.text(1);
  content.bytes = row.count(2);
  content.compressed = row.view(3) == "zstd";
  content.is_file = row.flag(4);
  content.kept_bytes = row.count(5);
  return content;
}

// The next one that a run refers to, or that has this number.
constexpr const char* kNext =
    "SELECT content_id, sha256, bytes, encoding, data IS NULL, length(data) FROM contents WHERE content_id > ?1 AND "
    "EXISTS (SELECT 1 FROM run_contents WHERE run_contents.content_id = contents.content_id) "
    "ORDER BY content_id LIMIT 1";

Result<std::optional<StoredContent>> next_content(Database& reader, std::int64_t after) {
  Statement statement = TRY(reader.prepare(kNext));
  statement.bind(after);
  if (!TRY(statement.step())) {
    return std::nullopt;
  }
  return read_content(statement);
}

std::optional<Damage> verdict(const StoredContent& content, PlainHash& hash) {
  const auto found = hash.finish();
  if (!found) {
    return Damage{What::content_damaged, found.error().message};
  }
  return *found == content.sha256 ? std::nullopt
                                  : std::optional(Damage{What::content_damaged, "its bytes have another hash"});
}

std::optional<Damage> examine_file(const Contents& contents, const StoredContent& content) {
  const base::Fd file = contents.open_file(content.sha256);
  if (!file.valid()) {
    const What what = errno == ENOENT ? What::content_missing : What::content_damaged;
    return Damage{what, "its file cannot be opened: " + std::generic_category().message(errno)};
  }
  PlainHash hash(content.compressed, content.bytes);
  std::vector<char> chunk(kCheckedChunkBytes);
  while (true) {
    const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Damage{What::content_damaged, "its file cannot be read: " + std::generic_category().message(errno)};
    }
    if (got == 0) {
      return verdict(content, hash);
    }
    if (const auto fed = hash.feed({chunk.data(), static_cast<std::size_t>(got)}); !fed) {
      return Damage{What::content_damaged, fed.error().message};
    }
  }
}

Result<std::optional<Damage>> examine_row(Database& reader, const StoredContent& content) {
  if (content.kept_bytes > kMaxContentInDatabase) {
    return Damage{What::content_damaged, "there are more bytes than are ever kept in the database"};
  }
  Statement statement = TRY(reader.prepare("SELECT data FROM contents WHERE content_id = ?1"));
  statement.bind(content.id);
  if (!TRY(statement.step())) {
    return Damage{What::content_missing, "it is not in the database"};
  }
  PlainHash hash(content.compressed, content.bytes);
  if (const auto fed = hash.feed(statement.view(0)); !fed) {
    return Damage{What::content_damaged, fed.error().message};
  }
  return verdict(content, hash);
}

// Nothing is wrong with what went away while we looked: rows are deleted before their files.
Result<std::optional<Damage>> examine(Database& reader, const Contents& contents, const StoredContent& content) {
  std::optional<Damage> damage;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    damage = content.is_file ? examine_file(contents, content) : TRY(examine_row(reader, content));
    const auto now = damage ? TRY(next_content(reader, content.id - 1)) : std::nullopt;
    if (!now || now->id != content.id || now->sha256 != content.sha256) {
      return std::nullopt;
    }
  }
  return damage;
}

// Of the first run that refers to it: "the artifact plot.png of run_…".
Result<AuditProblem> problem_of(Database& reader, const StoredContent& content, const Damage& damage) {
  Statement statement =
      TRY(reader.prepare("SELECT run_id, role, path, audit_seq FROM run_contents JOIN runs USING (number) "
                         "WHERE content_id = ?1 ORDER BY number LIMIT 1"));
  statement.bind(content.id);
  AuditProblem problem;
  problem.what = damage.what;
  std::string whose = "a content";
  if (TRY(statement.step())) {
    const std::string path = statement.text(2);
    whose = "the " + statement.text(1) + (path.empty() ? "" : " " + path) + " of the run " + statement.text(0);
    problem.seq = statement.count(3);
  }
  problem.message = whose + " (sha256:" + content.sha256 + ") is " +
                    (damage.what == What::content_missing ? "missing: " : "damaged: ") + damage.how;
  return problem;
}

}  // namespace

Status check_contents(Database& reader, const Contents& contents, AuditReport& report) {
  std::int64_t after = 0;
  while (const auto content = TRY(next_content(reader, after))) {
    after = content->id;
    ++report.contents_read;
    const auto damage = TRY(examine(reader, contents, *content));
    if (!damage) {
      continue;
    }
    ++report.contents_damaged;
    AuditProblem problem = TRY(problem_of(reader, *content, *damage));
    if (report.damaged.size() < kMaxDamaged) {
      report.damaged.push_back(problem.message);
    }
    if (!report.problem) {
      report.problem = std::move(problem);
    }
  }
  return {};
}

Status count_contents(Database& reader, AuditReport& report) {
  Statement statement = TRY(reader.prepare("SELECT count(DISTINCT content_id) FROM run_contents"));
  if (TRY(statement.step())) {
    report.contents_unread = statement.count(0);
  }
  return {};
}

}  // namespace glovebox::records
