#include "records/sqlite.h"

#include <sqlite3.h>

namespace glovebox::records {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

constexpr int kBusyMs = 10'000;

constexpr int kPrimaryCode = 0xff;

std::string remedy_of(sqlite3* handle) {
  const char* name = ::sqlite3_db_filename(handle, "main");
  const std::string file = name != nullptr ? name : "the database";
  switch (::sqlite3_errcode(handle) & kPrimaryCode) {
    case SQLITE_FULL:
      return "make room on the disk that holds " + file;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return file + " is damaged: restore a backup, or move it away to begin anew";
    default:
      return "";
  }
}

Error sqlite_error(sqlite3* handle, std::string_view what) {
  Error error = base::make_error(ErrorCode::internal_error, std::string(what) + ": " + ::sqlite3_errmsg(handle));
  error.hint = remedy_of(handle);
  error.stage = "records";
  error.sys_errno = ::sqlite3_system_errno(handle);
  if (error.sys_errno == ENOSPC || ::sqlite3_errcode(handle) == SQLITE_FULL) {
    error.message = std::string(what) + ": the disk of the data directory is full";
    error.hint = "make room there, or keep fewer records: records.keep_days, records.keep_mib";
  }
  return error;
}

}  // namespace

Statement::~Statement() {
  if (statement_ == nullptr) {
    return;
  }
  if (owned_) {
    ::sqlite3_finalize(statement_);
  } else {
    reset();
  }
}

void Statement::reset() {
  ::sqlite3_reset(statement_);
  ::sqlite3_clear_bindings(statement_);
  status_ = SQLITE_OK;
}

// Empty text has a null pointer at times, which SQLite would take for NULL.
void Statement::bind_one(int index, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";
  status_ |= ::sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void Statement::bind_one(int index, Blob blob) {
  const char* data = blob.bytes.data() != nullptr ? blob.bytes.data() : "";
  status_ |= ::sqlite3_bind_blob64(statement_, index, data, blob.bytes.size(), SQLITE_STATIC);
}
void Statement::bind_one(int index, double value) { status_ |= ::sqlite3_bind_double(statement_, index, value); }
void Statement::bind_one(int index, std::nullopt_t) { status_ |= ::sqlite3_bind_null(statement_, index); }
void Statement::bind_integer(int index, std::int64_t value) {
  status_ |= ::sqlite3_bind_int64(statement_, index, value);
}

Result<bool> Statement::step() {
  sqlite3* handle = ::sqlite3_db_handle(statement_);
  if (status_ != SQLITE_OK) {
    return fail(sqlite_error(handle, "cannot hand a value to the database"));
  }
  const int status = ::sqlite3_step(statement_);
  if (status == SQLITE_ROW) {
    return true;
  }
  if (status == SQLITE_DONE) {
    return false;
  }
  return fail(sqlite_error(handle, "the database refused"));
}

Status Statement::run() {
  while (TRY(step())) {
  }
  return {};
}

bool Statement::is_null(int column) const { return ::sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return ::sqlite3_column_int64(statement_, column); }
std::uint64_t Statement::count(int column) const {
  const std::int64_t value = integer(column);
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}
double Statement::real(int column) const { return ::sqlite3_column_double(statement_, column); }

std::string_view Statement::view(int column) const {
  const void* data = ::sqlite3_column_blob(statement_, column);
  const int bytes = ::sqlite3_column_bytes(statement_, column);
  return data != nullptr ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(bytes))
                         : std::string_view();
}

std::optional<std::string> Statement::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}
std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

void Database::Close::operator()(sqlite3* handle) const { ::sqlite3_close_v2(handle); }
void Database::Finalize::operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }

Result<Database> Database::open(const std::string& path, Access access) {
  sqlite3* handle = nullptr;
  const int status = ::sqlite3_open_v2(path.c_str(), &handle,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  Database database(handle);
  if (status != SQLITE_OK) {
    return fail(sqlite_error(handle, "cannot open " + path));
  }
  ::sqlite3_busy_timeout(handle, kBusyMs);
  // What somebody wrote into the file must not become code here.
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  TRY_STATUS(
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                       "PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864;"));
  if (access == Access::read) {
    TRY_STATUS(database.execute("PRAGMA query_only = ON"));
  }
  return database;
}

Status Database::execute(const char* sql) {
  if (::sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(sqlite_error(handle_.get(), "the database refused"));
  }
  return {};
}

Result<sqlite3_stmt*> Database::compile(std::string_view sql, unsigned flags) {
  sqlite3_stmt* statement = nullptr;
  if (::sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()), flags, &statement, nullptr) !=
      SQLITE_OK) {
    return fail(sqlite_error(handle_.get(), "the database does not understand"));
  }
  return statement;
}

Result<Statement> Database::prepare(const char* literal) {
  auto& kept = statements_[literal];
  if (!kept) {
    kept.reset(TRY(compile(literal, SQLITE_PREPARE_PERSISTENT)));
  } else if (::sqlite3_stmt_busy(kept.get()) != 0) {
    return fail(ErrorCode::internal_error, std::string("a statement is used twice at once: ") + literal);
  }
  return Statement(kept.get(), false);
}

Result<Statement> Database::prepare_once(const std::string& sql) {
  sqlite3_stmt* statement = TRY(compile(sql, 0));
  return Statement(statement, true);
}

std::int64_t Database::last_insert_id() const { return ::sqlite3_last_insert_rowid(handle_.get()); }
std::uint64_t Database::changes() const { return static_cast<std::uint64_t>(::sqlite3_changes64(handle_.get())); }
bool Database::in_transaction() const { return ::sqlite3_get_autocommit(handle_.get()) == 0; }

Status Database::checkpoint() {
  const int status = ::sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // Busy: another process is at it.
  if (status != SQLITE_OK && (status & 0xff) != SQLITE_BUSY) {
    return fail(sqlite_error(handle_.get(), "cannot move the log into the database"));
  }
  return {};
}

void Database::watch_log(void (*callback)(void* context, int pages), void* context) {
  watch_ = std::make_unique<Watch>();
  watch_->callback = callback;
  watch_->context = context;
  ::sqlite3_wal_hook(
      handle_.get(),
      [](void* watch, sqlite3*, const char*, int pages) {
        static_cast<Watch*>(watch)->callback(static_cast<Watch*>(watch)->context, pages);
        return SQLITE_OK;
      },
      watch_.get());
}

}  // namespace glovebox::records
