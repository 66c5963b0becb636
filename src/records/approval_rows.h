// The table of approvals. Every change writes its audit entry in the same transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "records/approval.h"
#include "records/commit_queue.h"
#include "records/sqlite.h"

namespace glovebox::records {

// The pending approval of the same request, policy and tenant if there is one, else the given one, written.
[[nodiscard]] base::Result<Approval> ask_approval_row(Transaction& transaction, const Approval& question,
                                                      std::string_view actor);
// An approved one that nobody has used is used now, by this run.
[[nodiscard]] base::Result<std::optional<Approval>> use_approval_row(Transaction& transaction, const ApprovalKey& key,
                                                                     std::string_view run_id, std::int64_t now_ms);
// Nothing: there is no such approval.
[[nodiscard]] base::Result<std::optional<Answered>> answer_approval_row(Transaction& transaction, std::string_view id,
                                                                        const NewAnswer& answer);
// False: it was not pending any more.
[[nodiscard]] base::Result<bool> expire_approval_row(Transaction& transaction, std::string_view id,
                                                     std::string_view reason, std::int64_t now_ms);
// All that are pending; how many.
[[nodiscard]] base::Result<std::uint64_t> expire_approval_rows(Transaction& transaction, std::string_view reason,
                                                               std::int64_t now_ms);
[[nodiscard]] base::Status forget_approval_rows(Database& writer, std::int64_t before_ms);

[[nodiscard]] base::Result<std::optional<Approval>> find_approval_row(Database& reader, std::string_view id);
[[nodiscard]] base::Result<ApprovalPage> list_approval_rows(Database& reader, const ApprovalFilter& filter,
                                                            std::string_view cursor, std::size_t limit);

}  // namespace glovebox::records
