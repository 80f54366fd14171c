// Enumerations by the names that Python uses: one table for each, which messages list.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace thresher {

template <class Enum>
struct Choice {
  std::string_view name;
  Enum value;
};

// Returns the value of that name; throws std::invalid_argument if there is none.
template <class Enum, std::size_t n>
Enum choice_from(std::string_view parameter, std::string_view name, const Choice<Enum> (&choices)[n]) {
  std::string known;
  for (const auto& choice : choices) {
    if (choice.name == name) return choice.value;
    known += (known.empty() ? "'" : ", '") + std::string(choice.name) + "'";
  }
  throw std::invalid_argument(std::string(parameter) + " must be one of " + known + ", got '" + std::string(name) +
                              "'");
}

}  // namespace thresher
