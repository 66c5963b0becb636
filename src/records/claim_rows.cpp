#include "records/claim_rows.h"

namespace glovebox::records {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

namespace {

Result<Claim::Kind> kind_of(std::string_view state) {
  if (state == "running") {
    return Claim::Kind::running;
  }
  if (state == "finished") {
    return Claim::Kind::finished;
  }
  if (state == "interrupted") {
    return Claim::Kind::interrupted;
  }
  if (state == "deleted") {
    return Claim::Kind::deleted;
  }
  return fail(ErrorCode::internal_error, "a claim has a state that is not known");
}

}  // namespace

Result<Claim> make_claim(Database& writer, const NewClaim& claim) {
  {
    Statement find =
        TRY(writer.prepare("SELECT request_sha256, run_id, state FROM claims WHERE tenant = ?1 AND key = ?2"));
    find.bind(claim.tenant, claim.key);
    if (TRY(find.step())) {
      Claim earlier;
      earlier.run_id = find.text(1);
      earlier.kind = TRY(kind_of(find.view(2)));
      if (find.view(0) != claim.request_sha256) {
        earlier.kind = Claim::Kind::conflict;
      }
      return earlier;
    }
  }
  Statement insert =
      TRY(writer.prepare("INSERT INTO claims (tenant, key, request_sha256, run_id, state, claimed_ms, served) "
                         "VALUES (?1, ?2, ?3, ?4, 'running', ?5, ?6)"));
  insert.bind(claim.tenant, claim.key, claim.request_sha256, claim.run_id, claim.now_ms, claim.served);
  TRY_STATUS(insert.run());
  Claim made;
  made.run_id = claim.run_id;
  return made;
}

Status drop_claim(Database& writer, std::string_view tenant, std::string_view key, std::string_view run_id) {
  Statement statement =
      TRY(writer.prepare("DELETE FROM claims WHERE tenant = ?1 AND key = ?2 AND run_id = ?3 AND state = 'running'"));
  statement.bind(tenant, key, run_id);
  return statement.run();
}

Status settle_claim(Database& writer, std::string_view tenant, std::string_view key, std::string_view run_id,
                    std::string_view state) {
  Statement statement =
      TRY(writer.prepare("UPDATE claims SET state = ?4 WHERE tenant = ?1 AND key = ?2 AND run_id = ?3"));
  statement.bind(tenant, key, run_id, state);
  return statement.run();
}

Status interrupt_claims(Database& writer, std::int64_t others_before_ms) {
  Statement statement = TRY(writer.prepare(
      "UPDATE claims SET state = 'interrupted' WHERE state = 'running' AND (served = 1 OR claimed_ms < ?1)"));
  statement.bind(others_before_ms);
  return statement.run();
}

Status forget_claims(Database& writer, std::int64_t before_ms) {
  Statement statement = TRY(writer.prepare("DELETE FROM claims WHERE state = 'deleted' AND claimed_ms < ?1"));
  statement.bind(before_ms);
  return statement.run();
}

}  // namespace glovebox::records
