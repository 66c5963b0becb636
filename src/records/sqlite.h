// SQLite behind Result: one Database is one connection, used by one thread at a time.
//
// Statements are prepared once per connection and kept, by the address of their text: prepare() takes literals only.
// A Statement borrows from that cache and gives back, reset, when it is destroyed; so no two of the same text are in
// use on one connection at once. Bound text is not copied: what was bound must live until the statement is destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace glovebox::records {

struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  Statement(Statement&& other) noexcept
      : statement_(std::exchange(other.statement_, nullptr)), owned_(other.owned_), status_(other.status_) {}
  Statement& operator=(Statement&&) = delete;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Binds the values to ?1, ?2 … in order. A failure is told by the next step().
  template <typename... Values>
  Statement& bind(Values&&... values) {
    static_assert((!(std::is_same_v<std::remove_cvref_t<Values>, std::string> && !std::is_reference_v<Values>)&&...),
                  "a bound string must outlive the statement");
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }
  void bind_one(int index, std::string_view text);
  void bind_one(int index, Blob blob);
  void bind_one(int index, double value);
  void bind_one(int index, std::nullopt_t);
  template <typename Integer>
  requires std::is_integral_v<Integer>
  void bind_one(int index, Integer value) { bind_integer(index, static_cast<std::int64_t>(value)); }
  template <typename Value>
  void bind_one(int index, const std::optional<Value>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      bind_one(index, std::nullopt);
    }
  }

  // True: there is a row to read.
  [[nodiscard]] base::Result<bool> step();
  // For statements without rows.
  [[nodiscard]] base::Status run();
  // Ready to be bound and run again.
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::uint64_t count(int column) const;  // a number that is never negative
  [[nodiscard]] bool flag(int column) const { return integer(column) != 0; }
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
  // Text or a blob; valid until the next step.
  [[nodiscard]] std::string_view view(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;

 private:
  friend class Database;
  Statement(sqlite3_stmt* statement, bool owned) : statement_(statement), owned_(owned) {}
  void bind_integer(int index, std::int64_t value);

  sqlite3_stmt* statement_;
  bool owned_;  // not from the cache: finalized at the end
  int status_ = 0;
};

class Database {
 public:
  enum class Access { read_write, read };

  // Opens an existing file, in WAL mode.
  [[nodiscard]] static base::Result<Database> open(const std::string& path, Access access);

  // One or more statements without values.
  [[nodiscard]] base::Status execute(const char* sql);
  [[nodiscard]] base::Result<Statement> prepare(const char* literal);
  // For texts that are put together; not kept.
  [[nodiscard]] base::Result<Statement> prepare_once(const std::string& sql);
  [[nodiscard]] std::int64_t last_insert_id() const;
  [[nodiscard]] std::uint64_t changes() const;
  [[nodiscard]] bool in_transaction() const;

  // Moves committed pages from the log into the database as far as readers allow; never waits for anybody.
  [[nodiscard]] base::Status checkpoint();
  // Calls back after each commit with the pages that the log then has, instead of checkpointing by itself.
  void watch_log(void (*callback)(void* context, int pages), void* context);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  struct Watch {
    void (*callback)(void* context, int pages) = nullptr;
    void* context = nullptr;
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}
  [[nodiscard]] base::Result<sqlite3_stmt*> compile(std::string_view sql, unsigned flags);

  // Statements go before the connection that they belong to.
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<const char*, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace glovebox::records
