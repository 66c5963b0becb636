// POST /v1/policy/check: what the policy says about a run, without the run.
#include "contract/run_request_codec.h"
#include "server/api/answers.h"
#include "server/api/api.h"
#include "server/api/names.h"

namespace glovebox::server {

void Api::check_policy(const CallPtr& call) {
  if (auto refused = refuse_other_than_json(call->request()); refused) {
    return call->respond(std::move(*refused));
  }
  chore(call, [this, call] {
    const auto request = contract::parse_run_request(call->request().body);
    if (!request) {
      return call->respond(problem(request.error()));
    }
    const auto decision = runner_.check_policy(*request, caller_of(*call, ""), policy::Detail::explain);
    call->respond(decision ? json_answer(200, policy::to_json(*decision)) : problem(decision.error()));
  });
}

}  // namespace glovebox::server
