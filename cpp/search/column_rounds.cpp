#include "search/column_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace thresher {

std::size_t ColumnRounds::n_references(std::size_t n_features) const {
  const std::size_t n_by_size = n_features == 0 ? 0 : (measure_.hints().round_size + n_features - 1) / n_features;
  return std::max(kReferences, n_by_size);
}

void ColumnRounds::ask(std::span<const std::uint32_t> references, std::span<const std::uint32_t> features) {
  struct Question {
    std::uint32_t reference;
    std::vector<std::uint32_t> features;
    std::vector<double> terms;
  };
  std::vector<Question> questions;
  for (const std::uint32_t reference : references) {
    if (knows(reference)) continue;
    columns_.emplace(reference, std::vector<double>(measure_.n_features(), std::numeric_limits<double>::quiet_NaN()));
    const auto has_asked = [&](std::uint32_t f) { return std::ranges::count(questions, f, &Question::reference) > 0; };
    Question question;
    question.reference = reference;
    for (const std::uint32_t f : features) {
      if (f == reference) continue;
      // The other column knows it, or has just asked for it.
      const auto other = measure_.is_symmetric() ? columns_.find(f) : columns_.end();
      const bool is_known = other != columns_.end() && (!std::isnan(other->second[reference]) || has_asked(f));
      if (!is_known) question.features.push_back(f);
    }
    question.terms.resize(question.features.size());
    n_evaluations_ += question.features.size();
    questions.push_back(std::move(question));
  }
  std::vector<TermRequest> requests;
  for (Question& question : questions) {
    requests.push_back({{&question.reference, 1}, question.features, question.terms});
  }
  if (requests.empty()) return;
  measure_.answer(requests);
  for (const Question& question : questions) {
    auto& column = columns_.find(question.reference)->second;
    for (std::size_t i = 0; i < question.features.size(); ++i) column[question.features[i]] = question.terms[i];
  }
}

void ColumnRounds::take(std::uint32_t reference, std::span<const std::uint32_t> features, std::vector<double>& terms) {
  terms.resize(features.size());
  const std::vector<double> column = std::move(columns_.at(reference));
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double term = column[features[i]];
    terms[i] = std::isnan(term) ? columns_.at(features[i])[reference] : term;
  }
  columns_.erase(reference);
}

}  // namespace thresher
