// The tables of a store's database, and how an older database becomes a newer one.
//
// The database counts its version in user_version. Each migration takes it one further, inside one transaction; what is
// listed is never changed again, only added to. A database from a newer version is refused: an old program would not
// know what it must keep true.
#pragma once

#include <span>

#include "base/result.h"
#include "records/sqlite.h"

namespace glovebox::records {

// The n-th text (from 1) takes a database from version n - 1 to n.
[[nodiscard]] std::span<const char* const> schema_migrations();

[[nodiscard]] base::Status migrate(Database& database, std::span<const char* const> migrations);

}  // namespace glovebox::records
