// What the protocol's own conformance suite wants to find in a server: tools, prompts and resources with given names
// that return given things. Only `glovebox serve --mcp-conformance` has them, beside the real ones.
#pragma once

#include "mcp/listeners.h"
#include "mcp/offer.h"
#include "mcp/request_state.h"
#include "mcp/ticker.h"

namespace glovebox::mcp::conformance {

// What the fixtures work with. The listeners are the server's, which is made later.
struct Surroundings {
  explicit Surroundings(Ticker& of_ticker) : ticker(of_ticker), states(std::chrono::seconds(60)) {}

  Ticker& ticker;
  RequestStates states;
  Listeners* listeners = nullptr;
};

void add_fixtures(Offer& offer, Surroundings& surroundings);

// The parts.
void add_content_tools(Offer& offer, Surroundings& surroundings);
void add_asking_tools(Offer& offer, Surroundings& surroundings);
void add_input_required(Offer& offer, Surroundings& surroundings);
void add_prompts(Offer& offer);
void add_resources(Offer& offer);

[[nodiscard]] Tool fixture(std::string name, std::string description, std::function<void(const CallPtr&)> call);
// A tool's answer of one text.
void answer_text(Call& call, std::string_view text);

inline constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

}  // namespace glovebox::mcp::conformance
