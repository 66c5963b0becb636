// Idempotency keys (K3): who has used one, for which request, and what became of the run.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "records/sqlite.h"
#include "records/store.h"

namespace glovebox::records {

struct NewClaim {
  std::string_view tenant;
  std::string_view key;
  std::string_view request_sha256;
  std::string_view run_id;
  std::int64_t now_ms = 0;
  bool served = false;
};

[[nodiscard]] base::Result<Claim> make_claim(Database& writer, const NewClaim& claim);
[[nodiscard]] base::Status drop_claim(Database& writer, std::string_view tenant, std::string_view key,
                                      std::string_view run_id);
// `state` is a name of Claim::Kind that a claim can come to.
[[nodiscard]] base::Status settle_claim(Database& writer, std::string_view tenant, std::string_view key,
                                        std::string_view run_id, std::string_view state);
// Claims without a run are of a service that died between claim and begin.
[[nodiscard]] base::Status interrupt_claims(Database& writer, std::int64_t others_before_ms);
[[nodiscard]] base::Status forget_claims(Database& writer, std::int64_t before_ms);

}  // namespace glovebox::records
