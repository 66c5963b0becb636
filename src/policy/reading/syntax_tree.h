// A program's tree, as both parsers make it and as the readers walk it.
//
// Nodes lie in one array, children before their parents, so that a reader goes through it from front to back and never
// calls itself: however deep a program nests, the reader's stack does not grow. Only what readers ask about is there:
// tokens such as brackets and commas are left out, and so are comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/reading/syntax_kinds.h"

namespace glovebox::policy {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

struct SyntaxNode {
  Kind kind = Kind::dropped;
  Field field = Field::none;  // which part of its parent it is
  std::uint32_t start = 0;    // bytes [start, end) of the text
  std::uint32_t end = 0;
  NodeId first_child = kNoNode;
  NodeId next = kNoNode;  // the next child of the same parent
  bool operator==(const SyntaxNode&) const = default;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes = std::vector<SyntaxNode>(1);  // the first one stands for "none"
  NodeId root = kNoNode;

  [[nodiscard]] const SyntaxNode& operator[](NodeId node) const { return nodes[node]; }

  // The first child that is this part; kNoNode: none.
  [[nodiscard]] NodeId child(NodeId parent, Field field) const {
    NodeId each = nodes[parent].first_child;
    while (each != kNoNode && nodes[each].field != field) {
      each = nodes[each].next;
    }
    return each;
  }

  // The parsers disagree on whether the blanks around a program belong to it.
  void span_root(std::size_t bytes) {
    if (root != kNoNode) {
      nodes[root].start = 0;
      nodes[root].end = static_cast<std::uint32_t>(bytes);
    }
  }

  void clear() {
    nodes.resize(1);
    root = kNoNode;
  }
};

}  // namespace glovebox::policy
