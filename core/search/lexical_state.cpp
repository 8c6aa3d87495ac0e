#include "core/search/lexical_state.h"

#include <numeric>
#include <utility>

namespace phraseq {

OrderedLexicalState::OrderedLexicalState(const LexicalConstraints& constraints) {
  Sequence sequence;
  for (const auto& constraint : constraints) {
    for (size_t place = 0; place < constraint.size(); ++place) {
      sequence.tokens.push_back(constraint[place]);
      sequence.ends.push_back(place + 1 == constraint.size());
    }
  }
  sequence_ = std::make_shared<const Sequence>(std::move(sequence));
}

std::unique_ptr<LexicalState> OrderedLexicalState::copy() const {
  return std::make_unique<OrderedLexicalState>(*this);
}

void OrderedLexicalState::advance(int64_t token) {
  if (finished())
    return;
  if (sequence_->tokens[static_cast<size_t>(done_)] == token) {
    ++done_;
  } else if (done_ > 0 && !sequence_->ends[static_cast<size_t>(done_ - 1)]) {
    done_ = token == sequence_->tokens.front() ? 1 : 0;
  }
}

std::set<int64_t> OrderedLexicalState::next_tokens() const {
  std::set<int64_t> tokens;
  if (done_ > 1)
    tokens.insert(sequence_->tokens.front());
  if (!finished())
    tokens.insert(sequence_->tokens[static_cast<size_t>(done_)]);
  return tokens;
}

UnorderedLexicalState::UnorderedLexicalState(const LexicalConstraints& constraints)
    : trie_(trie_of(constraints)), completed_(trie_->size()), generated_(trie_->size()) {}

std::shared_ptr<const UnorderedLexicalState::Trie> UnorderedLexicalState::trie_of(
    const LexicalConstraints& constraints) {
  Trie trie(1);
  for (const auto& constraint : constraints) {
    if (!constraint.empty())
      add(trie, constraint);
  }
  return std::make_shared<const Trie>(std::move(trie));
}

void UnorderedLexicalState::add(Trie& trie, const std::vector<int64_t>& constraint) {
  size_t node = 0;
  ++trie[node].constraints;
  for (const int64_t token : constraint) {
    const auto [child, is_new] = trie[node].children.emplace(token, trie.size());
    const size_t next = child->second;
    if (is_new) {
      trie.emplace_back();
      trie.back().parent = static_cast<int64_t>(node);
    }
    node = next;
    ++trie[node].constraints;
  }
  ++trie[node].terminal;
}

std::unique_ptr<LexicalState> UnorderedLexicalState::copy() const {
  return std::make_unique<UnorderedLexicalState>(*this);
}

int64_t UnorderedLexicalState::bank() const {
  return std::accumulate(generated_.begin(), generated_.end(), int64_t{0});
}

bool UnorderedLexicalState::finished() const {
  const bool ends_here = completed_[node_] < (*trie_)[node_].terminal;
  const int64_t complete =
      std::accumulate(completed_.begin(), completed_.end(), int64_t{ends_here});
  return complete == trie_->front().constraints;
}

std::set<int64_t> UnorderedLexicalState::next_tokens() const {
  std::set<int64_t> tokens;
  for (const size_t node : {size_t{0}, node_}) {
    for (const auto& [token, child] : (*trie_)[node].children) tokens.insert(token);
  }
  return tokens;
}

/// Sets `child` to the node that `token` leads to; true if constraints at or below it are still
/// missing.
bool UnorderedLexicalState::may_enter(size_t from, int64_t token, size_t& child) const {
  const auto& children = (*trie_)[from].children;
  const auto found = children.find(token);
  if (found == children.end())
    return false;
  child = found->second;
  return generated_[child] < (*trie_)[child].constraints;
}

/// Leaves the trie: the longest prefix of the path that is a missing constraint counts as complete,
/// and the tokens after it no longer count as generated.
void UnorderedLexicalState::rewind(size_t from) {
  for (size_t node = from; node != 0; node = static_cast<size_t>((*trie_)[node].parent)) {
    if (completed_[node] < (*trie_)[node].terminal) {
      ++completed_[node];
      return;
    }
    --generated_[node];
  }
}

void UnorderedLexicalState::advance(int64_t token) {
  const size_t left = node_;
  size_t child = 0;
  if (may_enter(left, token, child)) {
    node_ = child;
    ++generated_[child];
    return;
  }
  node_ = may_enter(0, token, child) ? child : 0;
  if (node_ != 0)
    ++generated_[child];
  rewind(left);
}

}  // namespace phraseq
