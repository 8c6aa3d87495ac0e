#include "core/search/search_state.h"

#include <algorithm>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

constexpr int64_t kMaxWords = int64_t{1} << 32;  // more than any phrase has

/// Forbids the slots of a row whose phrase is empty or exceeds the maximum length.
void forbid_slots(const SearchState& state, int64_t row, StepConstraint& constraint) {
  const auto& session = state.input.session();
  const int64_t room =
      state.sentence_of(state.rows[static_cast<size_t>(row)]).max_length - state.step;
  for (int64_t slot = 0; slot < session.slots(); ++slot) {
    const auto words = static_cast<int64_t>(session.expand_slot(row, slot).size());
    if (words == 0 || words > room) {
      constraint.edits.push_back({state.vocabulary + slot, kImpossible});
    }
  }
}

/// The slot whose phrase a candidate begins or continues with, -1 = none.
int64_t slot_of(const SearchState& state, const Candidate& candidate) {
  if (candidate.queued)
    return state.row_of(candidate).slot;
  return candidate.column < state.vocabulary ? -1 : candidate.column - state.vocabulary;
}

/// Returns the strings of a slot's phrase, word by word, numbered as in strings_of.
std::vector<int64_t> strings_of_slot(const SearchState& state, int64_t row, int64_t slot) {
  const auto& known = state.sentence_of(state.rows[static_cast<size_t>(row)]).phrase_strings;
  if (static_cast<size_t>(slot) < known.size())
    return known[static_cast<size_t>(slot)];
  std::vector<int64_t> strings = state.input.session().expand_slot(row, slot);
  for (size_t place = 0; place < strings.size(); ++place) {
    if (strings[place] == kUnk)
      strings[place] = -1 - (slot * kMaxWords + static_cast<int64_t>(place));
  }
  return strings;
}

SearchRow next_row(SearchState& state, const Candidate& candidate) {
  const SearchRow& old = state.row_of(candidate);
  const std::vector<int64_t> words = tokens_of(state, candidate);
  const int64_t slot = slot_of(state, candidate);
  const int64_t node = state.tree.add({old.node,
                                       words.front(),
                                       candidate.log_probability,
                                       0,
                                       candidate.row,
                                       slot,
                                       strings_of(state, candidate).front()});
  SearchRow row{old.sentence, node, candidate.total, old.sample};
  row.queue.assign(words.begin() + 1, words.end());
  row.slot = row.queue.empty() ? -1 : slot;
  return row;
}

/// One row of attention [rows, src_time], without padding.
std::vector<float> attention_row(const at::Tensor& attention, int64_t row, int64_t source_length) {
  const float* weights = attention.data_ptr<float>() + row * attention.size(1);
  return {weights, weights + source_length};
}

}  // namespace

SearchState::SearchState(SearchInput& the_input, const SearchOptions& the_options)
    : input(the_input), options(the_options), finished(the_input.sentences().size()) {
  for (size_t i = 0; i < finished.size(); ++i) rows.push_back({static_cast<int64_t>(i)});
}

const SentenceInput& SearchState::sentence_of(const SearchRow& row) const {
  return input.sentences()[static_cast<size_t>(row.sentence)];
}

Candidate SearchState::decision(int64_t row, int64_t column, double log_probability) const {
  const double before = rows[static_cast<size_t>(row)].log_probability;
  return {row, column, log_probability, before + log_probability};
}

DecodingStep score_rows(SearchState& state) {
  std::vector<int64_t> tokens, sentences;
  for (const SearchRow& row : state.rows) {
    sentences.push_back(row.sentence);
    tokens.push_back(row.node < 0 ? state.sentence_of(row).start_token
                                  : state.tree.node(row.node).token);
  }
  DecodingStep step = state.input.step(tokens);
  state.input.keep_candidates(step, sentences);
  if (step.output.attention.defined())
    state.attention.push_back(step.output.attention);
  state.vocabulary = step.columns() - state.input.session().slots();
  return step;
}

std::vector<StepConstraint> constrain_rows(const SearchState& state) {
  std::vector<StepConstraint> constraints;
  constraints.reserve(state.rows.size());
  for (size_t row = 0; row < state.rows.size(); ++row) {
    const SearchRow& hypothesis = state.rows[row];
    if (!hypothesis.queue.empty()) {
      constraints.push_back({kNoDecision, {}});
      continue;
    }
    const SentenceInput& sentence = state.sentence_of(hypothesis);
    const ConstraintSettings& settings = state.options.constraints;
    constraints.push_back(
        step_constraint(settings, state.step, sentence.max_length, sentence.prefix));
    if (settings.no_repeat_ngram_size > 0) {
      forbid_repeats(
          constraints.back(), state.tree.tokens(hypothesis.node), settings.no_repeat_ngram_size);
    }
    forbid_slots(state, static_cast<int64_t>(row), constraints.back());
  }
  return constraints;
}

CandidateLists row_candidates(const SearchState& state,
                              const std::vector<std::vector<RankedColumn>>& ranked) {
  CandidateLists candidates(state.rows.size());
  for (size_t i = 0; i < state.rows.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const SearchRow& hypothesis = state.rows[i];
    if (!hypothesis.queue.empty()) {
      candidates[i] = {
          {row, hypothesis.queue.front(), 0, hypothesis.log_probability, /*queued=*/true}};
      continue;
    }
    candidates[i].reserve(ranked[i].size());
    for (const auto& [log_probability, column] : ranked[i])
      candidates[i].push_back(state.decision(row, column, log_probability));
  }
  return candidates;
}

std::vector<Candidate> joined(const CandidateLists& lists) {
  std::vector<Candidate> all;
  size_t count = 0;
  for (const auto& list : lists) count += list.size();
  all.reserve(count);
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<int64_t> tokens_of(const SearchState& state, const Candidate& candidate) {
  if (candidate.queued)
    return state.row_of(candidate).queue;
  const int64_t slot = slot_of(state, candidate);
  if (slot < 0)
    return {candidate.column};
  return state.input.session().expand_slot(candidate.row, slot);
}

std::vector<int64_t> strings_of(const SearchState& state, const Candidate& candidate) {
  const int64_t slot = slot_of(state, candidate);
  if (slot < 0)
    return {candidate.column};
  std::vector<int64_t> strings = strings_of_slot(state, candidate.row, slot);
  if (candidate.queued) {
    const auto left = static_cast<int64_t>(state.row_of(candidate).queue.size());
    strings.erase(strings.begin(), strings.end() - left);
  }
  return strings;
}

bool ends(const Candidate& candidate) { return candidate.column == kEos && !candidate.queued; }

void finish(SearchState& state, const Candidate& candidate) {
  const SearchRow& row = state.row_of(candidate);
  std::vector<HypothesisNode> path = state.tree.path(row.node);
  path.push_back({row.node, kEos, candidate.log_probability, state.step, candidate.row});
  Hypothesis hypothesis;
  const int64_t source_length = state.sentence_of(row).source_length;
  for (const HypothesisNode& node : path) {
    hypothesis.tokens.push_back(node.token);
    hypothesis.token_scores.push_back(node.log_probability);
    hypothesis.slots.push_back(node.slot);
    if (state.attention.empty())
      continue;
    hypothesis.attention.push_back(
        attention_row(state.attention[static_cast<size_t>(node.step)], node.row, source_length));
  }
  hypothesis.log_probability = candidate.total;
  hypothesis.score = state.options.score(candidate.total, static_cast<int64_t>(path.size()));
  state.finished[static_cast<size_t>(row.sentence)].push_back(std::move(hypothesis));
}

std::vector<Candidate> finish_ended(SearchState& state, const std::vector<Candidate>& candidates) {
  std::vector<Candidate> survivors;
  for (const Candidate& candidate : candidates) {
    if (ends(candidate)) {
      finish(state, candidate);
    } else {
      survivors.push_back(candidate);
    }
  }
  return survivors;
}

void advance(SearchState& state, const std::vector<Candidate>& survivors) {
  std::vector<SearchRow> rows;
  std::vector<int64_t> origins, choices;
  for (const Candidate& candidate : survivors) {
    rows.push_back(next_row(state, candidate));
    origins.push_back(candidate.row);
    choices.push_back(candidate.column);
  }
  state.rows = std::move(rows);
  ++state.step;
  if (origins.empty())
    return;
  state.input.session().select(origins);
  state.input.session().chosen(choices);
}

std::vector<std::vector<Hypothesis>> best_hypotheses(SearchState& state, int64_t count) {
  for (auto& hypotheses : state.finished) {
    std::stable_sort(hypotheses.begin(),
                     hypotheses.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    if (static_cast<int64_t>(hypotheses.size()) > count)
      hypotheses.resize(static_cast<size_t>(count));
  }
  return std::move(state.finished);
}

}  // namespace phraseq
