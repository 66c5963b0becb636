#include "mcp/tools/toolbox.h"

#include <utility>

#include "mcp/tools/tool_answer.h"

namespace glovebox::mcp {
namespace {

constexpr std::string_view kInstructions =
    "Glovebox runs programs in sealed cells: no network, nothing of the host but its installed software read-only, "
    "hard "
    "limits on time, memory, disk and processes. Use execute_code_sandbox to compute instead of guessing; write_file "
    "and "
    "run_shell work in a workspace whose files stay. A refusal says what was refused and what would allow it.";

constexpr const char* kTemplates[] = {
    R"({"uriTemplate":"glovebox://runs/{run_id}/stdout","name":"stdout","title":"Standard output of a run",)"
    R"("description":"Everything that a run printed and that was kept","mimeType":"text/plain"})",
    R"({"uriTemplate":"glovebox://runs/{run_id}/stderr","name":"stderr","title":"Standard error of a run",)"
    R"("description":"What a run printed on standard error","mimeType":"text/plain"})",
    R"({"uriTemplate":"glovebox://runs/{run_id}/result","name":"result","title":"Result of a run",)"
    R"("description":"The whole result, with nothing left out","mimeType":"application/json"})",
    R"({"uriTemplate":"glovebox://runs/{run_id}/artifacts/{+path}","name":"artifact","title":"A file that a run left",)"
    R"("description":"Bytes of one artifact"})",
};

}  // namespace

base::Result<Toolbox::Place> Toolbox::place(Call& call, const std::string& handle, WhenMissing missing) {
  const std::string tenant = call.host().caller().tenant;
  if (!handle.empty()) {
    auto workspace = workspaces_->open(tenant, handle);
    if (!workspace) {
      return base::fail(std::move(workspace.error()).with_field("workspace"));
    }
    return Place{handle, std::move(*workspace)};
  }
  const std::lock_guard lock(mutex_);
  Session* session = call.session();
  if (session != nullptr && !session->workspace().empty()) {
    const std::string own = session->workspace();
    if (auto workspace = workspaces_->open(tenant, own); workspace) {
      return Place{own, std::move(*workspace)};
    }
    session->set_workspace("");  // nobody has used it for too long
  }
  if (missing == WhenMissing::none) {
    return Place{};
  }
  if (missing == WhenMissing::refuse) {
    return base::fail(base::make_error(base::ErrorCode::not_found, "there is no workspace yet")
                          .with_field("workspace")
                          .with_hint("write_file and run_shell make one and say its name"));
  }
  std::string made = TRY(workspaces_->add(tenant));
  auto workspace = TRY(workspaces_->open(tenant, made));
  if (session != nullptr) {
    session->set_workspace(made, [this, tenant, made] { (void)workspaces_->drop(tenant, made); });
  }
  return Place{std::move(made), std::move(workspace)};
}

void do_chore(const CallPtr& call, std::function<void()> work) {
  auto queued = call->host().chore([call, work = std::move(work)](const runner::Waited& waited) {
    waited.refusal ? answer_error(*call, *waited.refusal) : work();
  });
  if (!queued) {
    answer_error(*call, queued.error());
  }
}

Offer sandbox_offer(Toolbox& toolbox) {
  Offer offer;
  offer.tools = {execute_code_tool(toolbox), run_shell_tool(toolbox),  write_file_tool(toolbox),
                 read_file_tool(toolbox),    list_files_tool(toolbox), check_policy_tool(toolbox),
                 get_run_tool(toolbox),      replay_run_tool(toolbox)};
  offer.templates.assign(std::begin(kTemplates), std::end(kTemplates));
  offer.read = [&toolbox](const CallPtr& call, const std::string& uri) {
    return read_run_resource(toolbox, call, uri);
  };
  offer.instructions = kInstructions;
  return offer;
}

}  // namespace glovebox::mcp
