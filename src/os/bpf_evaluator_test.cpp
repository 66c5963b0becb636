#include "os/bpf_evaluator.h"

#include <gtest/gtest.h>
#include <linux/audit.h>

#include <cstddef>
#include <vector>

namespace glovebox::os {
namespace {

using Program = std::vector<sock_filter>;

seccomp_data call(int number, std::uint64_t first_argument = 0) {
  seccomp_data data{};
  data.nr = number;
  data.arch = AUDIT_ARCH_X86_64;
  data.args[0] = first_argument;
  return data;
}

std::uint32_t result_of(const Program& program, const seccomp_data& data = call(0)) {
  const auto result = evaluate(program, data);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result.value_or(0xdeadbeef);
}

std::string refusal_of(const Program& program) {
  const auto result = evaluate(program, call(0));
  return result ? "accepted" : result.error().message;
}

const sock_filter kReturnA = BPF_STMT(BPF_RET | BPF_A, 0);
const sock_filter kReturnOne = BPF_STMT(BPF_RET | BPF_K, 1);

TEST(BpfEvaluator, ReturnsAConstant) {
  EXPECT_EQ(result_of({BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}), SECCOMP_RET_ALLOW);
}

TEST(BpfEvaluator, ReadsNumberArchitectureAndBothHalvesOfAnArgument) {
  const seccomp_data data = call(42, 0x11223344'55667788);
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), kReturnA}, data), 42U);
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)), kReturnA}, data),
            static_cast<std::uint32_t>(AUDIT_ARCH_X86_64));
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16), kReturnA}, data), 0x55667788U);
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 20), kReturnA}, data), 0x11223344U);
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), kReturnA}), sizeof(seccomp_data));
}

TEST(BpfEvaluator, TakesTheRightBranchOfEveryComparison) {
  struct Row {
    int comparison;
    std::uint32_t operand;
    bool taken;
  };
  for (const Row& row :
       {Row{BPF_JEQ, 7, true}, Row{BPF_JEQ, 8, false}, Row{BPF_JGE, 7, true}, Row{BPF_JGE, 8, false},
        Row{BPF_JGT, 6, true}, Row{BPF_JGT, 7, false}, Row{BPF_JSET, 4, true}, Row{BPF_JSET, 8, false}}) {
    const Program by_constant = {
        BPF_STMT(BPF_LD | BPF_IMM, 7),
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | row.comparison | BPF_K), row.operand, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 1), BPF_STMT(BPF_RET | BPF_K, 0)};
    EXPECT_EQ(result_of(by_constant), row.taken ? 1U : 0U) << row.comparison << ' ' << row.operand;
    const Program by_x = {BPF_STMT(BPF_LDX | BPF_IMM, row.operand), BPF_STMT(BPF_LD | BPF_IMM, 7),
                          BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | row.comparison | BPF_X), 0, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, 1), BPF_STMT(BPF_RET | BPF_K, 0)};
    EXPECT_EQ(result_of(by_x), row.taken ? 1U : 0U) << row.comparison << ' ' << row.operand;
  }
}

TEST(BpfEvaluator, ComparesAsUnsigned) {
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_IMM, 0x80000000), BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 1, 0, 1), kReturnOne,
                       BPF_STMT(BPF_RET | BPF_K, 0)}),
            1U);
}

TEST(BpfEvaluator, SkipsWhatAJumpPasses) {
  EXPECT_EQ(result_of({BPF_STMT(BPF_JMP | BPF_JA, 1), BPF_STMT(BPF_RET | BPF_K, 0), kReturnOne}), 1U);
}

TEST(BpfEvaluator, CalculatesLikeTheKernel) {
  const auto with = [](int operation, std::uint32_t operand) {
    return result_of({BPF_STMT(BPF_LD | BPF_IMM, 12),
                      BPF_STMT(static_cast<std::uint16_t>(BPF_ALU | operation | BPF_K), operand), kReturnA});
  };
  EXPECT_EQ(with(BPF_ADD, 0xffffffff), 11U);
  EXPECT_EQ(with(BPF_SUB, 13), 0xffffffffU);
  EXPECT_EQ(with(BPF_MUL, 3), 36U);
  EXPECT_EQ(with(BPF_DIV, 5), 2U);
  EXPECT_EQ(with(BPF_AND, 10), 8U);
  EXPECT_EQ(with(BPF_OR, 3), 15U);
  EXPECT_EQ(with(BPF_XOR, 10), 6U);
  EXPECT_EQ(with(BPF_LSH, 2), 48U);
  EXPECT_EQ(with(BPF_RSH, 2), 3U);
  EXPECT_EQ(with(BPF_NEG, 0), 0xfffffff4U);
}

TEST(BpfEvaluator, KeepsValuesInXAndInScratchCells) {
  EXPECT_EQ(result_of({BPF_STMT(BPF_LD | BPF_IMM, 5), BPF_STMT(BPF_ST, 15), BPF_STMT(BPF_LD | BPF_IMM, 9),
                       BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_MEM, 15),
                       BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0), kReturnA}),
            14U);
  EXPECT_EQ(result_of({BPF_STMT(BPF_LDX | BPF_IMM, 6), BPF_STMT(BPF_STX, 0), BPF_STMT(BPF_LDX | BPF_IMM, 1),
                       BPF_STMT(BPF_LDX | BPF_MEM, 0), BPF_STMT(BPF_MISC | BPF_TXA, 0), kReturnA}),
            6U);
}

TEST(BpfEvaluator, RefusesProgramsThatTheKernelRefuses) {
  EXPECT_NE(refusal_of({}), "accepted");
  EXPECT_NE(refusal_of(Program(BPF_MAXINSNS + 1, kReturnOne)), "accepted");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LD | BPF_IMM, 1)}), "instruction 0: the program runs off its end");
  EXPECT_EQ(refusal_of({BPF_STMT(0xff, 0), kReturnOne}), "instruction 0: unknown operation 0xff");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 2), kReturnOne}), "instruction 0: unknown operation 0x94");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), kReturnOne}), "instruction 0: unknown operation 0x30");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), kReturnOne}),
            "instruction 0: loads from outside the call's data");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), kReturnOne}),
            "instruction 0: loads from outside the call's data");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_JMP | BPF_JA, 1), kReturnOne}), "instruction 0: jumps out of the program");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), kReturnOne}),
            "instruction 0: jumps out of the program");
  EXPECT_EQ(refusal_of({BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), kReturnOne}),
            "instruction 0: jumps out of the program");
  EXPECT_EQ(refusal_of({BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), kReturnOne}),
            "instruction 0: jumps out of the program");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), kReturnOne}), "instruction 0: divides by zero");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), kReturnOne}), "instruction 0: shifts past the word");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_ST, 16), kReturnOne}), "instruction 0: no such scratch cell");
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LD | BPF_MEM, 3), kReturnOne}),
            "instruction 0: reads a scratch cell that was never written");
}

TEST(BpfEvaluator, RefusesAScratchCellThatOnlyOneBranchWrote) {
  const Program one_branch = {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), BPF_STMT(BPF_ST, 2),
                              BPF_STMT(BPF_LD | BPF_MEM, 2), kReturnA};
  EXPECT_EQ(refusal_of(one_branch), "instruction 2: reads a scratch cell that was never written");
  const Program both_branches = {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
                                 BPF_STMT(BPF_ST, 2),
                                 BPF_STMT(BPF_JMP | BPF_JA, 1),
                                 BPF_STMT(BPF_ST, 2),
                                 BPF_STMT(BPF_LD | BPF_MEM, 2),
                                 kReturnA};
  EXPECT_EQ(refusal_of(both_branches), "accepted");
}

TEST(BpfEvaluator, RefusesToDivideByAZeroRegister) {
  EXPECT_EQ(refusal_of({BPF_STMT(BPF_LDX | BPF_IMM, 0), BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), kReturnOne}),
            "instruction 1: divides by zero");
}

}  // namespace
}  // namespace glovebox::os
