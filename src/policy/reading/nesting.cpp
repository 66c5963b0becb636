#include "policy/reading/nesting.h"

#include <algorithm>

namespace glovebox::policy {
namespace {

bool nests(Kind kind) {
  switch (kind) {
    case Kind::argument_list:
    case Kind::arguments:
    case Kind::array:
    case Kind::block:
    case Kind::class_body:
    case Kind::command_substitution:
    case Kind::compound_statement:
    case Kind::dictionary:
    case Kind::do_group:
    case Kind::list:
    case Kind::object:
    case Kind::parenthesized_expression:
    case Kind::set:
    case Kind::statement_block:
    case Kind::subshell:
    case Kind::tuple:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint32_t nesting_of(const SyntaxTree& tree) {
  std::vector<std::uint32_t> depth(tree.nodes.size());
  std::uint32_t deepest = 0;
  for (NodeId node = 1; node < tree.nodes.size(); ++node) {
    std::uint32_t below = 0;
    for (NodeId child = tree[node].first_child; child != kNoNode; child = tree[child].next) {
      below = std::max(below, depth[child]);
    }
    depth[node] = below + (nests(tree[node].kind) ? 1 : 0);
    deepest = std::max(deepest, depth[node]);
  }
  return deepest;
}

}  // namespace glovebox::policy
