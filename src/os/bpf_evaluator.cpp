#include "os/bpf_evaluator.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace glovebox::os {

using base::ErrorCode;

namespace {

tl::unexpected<base::Error> refuse(std::size_t position, std::string_view message) {
  return base::fail(ErrorCode::invalid_request, fmt::format("instruction {}: {}", position, message));
}

base::Status check_jump(std::size_t position, std::uint64_t distance, std::size_t size) {
  if (position + 1 + distance >= size) {
    return refuse(position, "jumps out of the program");
  }
  return {};
}

base::Status check_instruction(std::size_t position, const sock_filter& one, std::size_t size) {
  switch (one.code) {
    case BPF_LD | BPF_W | BPF_ABS:
      if (one.k % 4 != 0 || one.k >= sizeof(seccomp_data)) {
        return refuse(position, "loads from outside the call's data");
      }
      return {};
    case BPF_LD | BPF_W | BPF_LEN:
    case BPF_LDX | BPF_W | BPF_LEN:
    case BPF_LD | BPF_IMM:
    case BPF_LDX | BPF_IMM:
    case BPF_MISC | BPF_TAX:
    case BPF_MISC | BPF_TXA:
    case BPF_RET | BPF_K:
    case BPF_RET | BPF_A:
    case BPF_ALU | BPF_ADD | BPF_K:
    case BPF_ALU | BPF_ADD | BPF_X:
    case BPF_ALU | BPF_SUB | BPF_K:
    case BPF_ALU | BPF_SUB | BPF_X:
    case BPF_ALU | BPF_MUL | BPF_K:
    case BPF_ALU | BPF_MUL | BPF_X:
    case BPF_ALU | BPF_DIV | BPF_X:
    case BPF_ALU | BPF_AND | BPF_K:
    case BPF_ALU | BPF_AND | BPF_X:
    case BPF_ALU | BPF_OR | BPF_K:
    case BPF_ALU | BPF_OR | BPF_X:
    case BPF_ALU | BPF_XOR | BPF_K:
    case BPF_ALU | BPF_XOR | BPF_X:
    case BPF_ALU | BPF_LSH | BPF_X:
    case BPF_ALU | BPF_RSH | BPF_X:
    case BPF_ALU | BPF_NEG:
      return {};
    case BPF_ALU | BPF_DIV | BPF_K:
      return one.k != 0 ? base::Status() : refuse(position, "divides by zero");
    case BPF_ALU | BPF_LSH | BPF_K:
    case BPF_ALU | BPF_RSH | BPF_K:
      return one.k < 32 ? base::Status() : refuse(position, "shifts past the word");
    case BPF_LD | BPF_MEM:
    case BPF_LDX | BPF_MEM:
    case BPF_ST:
    case BPF_STX:
      return one.k < BPF_MEMWORDS ? base::Status() : refuse(position, "no such scratch cell");
    case BPF_JMP | BPF_JA:
      return check_jump(position, one.k, size);
    case BPF_JMP | BPF_JEQ | BPF_K:
    case BPF_JMP | BPF_JEQ | BPF_X:
    case BPF_JMP | BPF_JGE | BPF_K:
    case BPF_JMP | BPF_JGE | BPF_X:
    case BPF_JMP | BPF_JGT | BPF_K:
    case BPF_JMP | BPF_JGT | BPF_X:
    case BPF_JMP | BPF_JSET | BPF_K:
    case BPF_JMP | BPF_JSET | BPF_X:
      TRY_STATUS(check_jump(position, one.jt, size));
      return check_jump(position, one.jf, size);
    default:
      return refuse(position, fmt::format("unknown operation {:#x}", one.code));
  }
}

// A scratch cell may be read only where every way there has written it. Jumps go forward, so one pass is enough.
base::Status check_scratch(std::span<const sock_filter> program) {
  static_assert(BPF_MEMWORDS == 16);
  std::array<std::uint16_t, BPF_MAXINSNS> written_at;  // per instruction: the cells that all jumps to it have written
  std::fill_n(written_at.begin(), program.size(), std::uint16_t{0xffff});
  std::uint16_t written = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const sock_filter& one = program[i];
    written &= written_at[i];
    const auto arrive = [&](std::size_t target) { written_at[target] &= written; };
    if (one.code == BPF_ST || one.code == BPF_STX) {
      written = static_cast<std::uint16_t>(written | 1U << one.k);
    } else if (one.code == (BPF_LD | BPF_MEM) || one.code == (BPF_LDX | BPF_MEM)) {
      if ((written & 1U << one.k) == 0) {
        return refuse(i, "reads a scratch cell that was never written");
      }
    } else if (BPF_CLASS(one.code) == BPF_JMP) {
      if (one.code == (BPF_JMP | BPF_JA)) {
        arrive(i + 1 + one.k);
      } else {
        arrive(i + 1 + one.jt);
        arrive(i + 1 + one.jf);
      }
      written = 0xffff;  // what follows is reached by jumps only, and those have said what they wrote
    } else if (BPF_CLASS(one.code) == BPF_RET) {
      written = 0xffff;
    }
  }
  return {};
}

struct Machine {
  std::uint32_t a = 0;
  std::uint32_t x = 0;
  std::array<std::uint32_t, BPF_MEMWORDS> scratch{};
};

bool jump_taken(const sock_filter& one, const Machine& machine) {
  const std::uint32_t operand = BPF_SRC(one.code) == BPF_X ? machine.x : one.k;
  switch (BPF_OP(one.code)) {
    case BPF_JEQ:
      return machine.a == operand;
    case BPF_JGE:
      return machine.a >= operand;
    case BPF_JGT:
      return machine.a > operand;
    default:  // BPF_JSET
      return (machine.a & operand) != 0;
  }
}

// Shifts by X count modulo 32, as the kernel's do.
std::uint32_t arithmetic(const sock_filter& one, const Machine& machine) {
  const std::uint32_t operand = BPF_SRC(one.code) == BPF_X ? machine.x : one.k;
  switch (BPF_OP(one.code)) {
    case BPF_ADD:
      return machine.a + operand;
    case BPF_SUB:
      return machine.a - operand;
    case BPF_MUL:
      return machine.a * operand;
    case BPF_DIV:
      return machine.a / operand;
    case BPF_AND:
      return machine.a & operand;
    case BPF_OR:
      return machine.a | operand;
    case BPF_XOR:
      return machine.a ^ operand;
    case BPF_LSH:
      return machine.a << (operand & 31U);
    case BPF_RSH:
      return machine.a >> (operand & 31U);
    default:  // BPF_NEG
      return 0U - machine.a;
  }
}

std::uint32_t loaded(const sock_filter& one, const Machine& machine, const seccomp_data& data) {
  switch (BPF_MODE(one.code)) {
    case BPF_IMM:
      return one.k;
    case BPF_MEM:
      return machine.scratch[one.k];
    case BPF_LEN:
      return sizeof(seccomp_data);
    default: {  // BPF_ABS
      std::uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(&data) + one.k, sizeof(word));
      return word;
    }
  }
}

}  // namespace

base::Status check_program(std::span<const sock_filter> program) {
  if (program.empty() || program.size() > BPF_MAXINSNS) {
    return base::fail(ErrorCode::invalid_request, fmt::format("a program has 1 to {} instructions", BPF_MAXINSNS));
  }
  for (std::size_t i = 0; i < program.size(); ++i) {
    TRY_STATUS(check_instruction(i, program[i], program.size()));
  }
  if (BPF_CLASS(program.back().code) != BPF_RET) {
    return refuse(program.size() - 1, "the program runs off its end");
  }
  return check_scratch(program);
}

base::Result<std::uint32_t> evaluate(std::span<const sock_filter> program, const seccomp_data& data) {
  TRY_STATUS(check_program(program));
  Machine machine;
  // Jumps only go forward and the last instruction returns, so this ends within program.size() steps.
  for (std::size_t i = 0; i < program.size(); ++i) {
    const sock_filter& one = program[i];
    switch (BPF_CLASS(one.code)) {
      case BPF_LD:
        machine.a = loaded(one, machine, data);
        break;
      case BPF_LDX:
        machine.x = loaded(one, machine, data);
        break;
      case BPF_ST:
        machine.scratch[one.k] = machine.a;
        break;
      case BPF_STX:
        machine.scratch[one.k] = machine.x;
        break;
      case BPF_ALU:
        if (one.code == (BPF_ALU | BPF_DIV | BPF_X) && machine.x == 0) {
          return refuse(i, "divides by zero");
        }
        machine.a = arithmetic(one, machine);
        break;
      case BPF_JMP:
        i += one.code == (BPF_JMP | BPF_JA) ? one.k : jump_taken(one, machine) ? one.jt : one.jf;
        break;
      case BPF_RET:
        return BPF_RVAL(one.code) == BPF_A ? machine.a : one.k;
      default:  // BPF_MISC
        if (BPF_MISCOP(one.code) == BPF_TAX) {
          machine.x = machine.a;
        } else {
          machine.a = machine.x;
        }
        break;
    }
  }
  return refuse(program.size(), "the program runs off its end");
}

}  // namespace glovebox::os
