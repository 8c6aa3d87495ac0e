#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Phrases that a translation must contain.
using LexicalConstraints = std::vector<std::vector<int64_t>>;

/// Tracks how much of a sentence's lexical constraints a hypothesis contains so far, counting as in
/// fairseq (token_generation_constraints.py).
class PHRASEQ_API LexicalState {
 public:
  virtual ~LexicalState() = default;
  virtual std::unique_ptr<LexicalState> copy() const = 0;
  /// Reads the next token of the hypothesis.
  virtual void advance(int64_t token) = 0;
  /// Returns the number of constraint tokens that have been generated.
  virtual int64_t bank() const = 0;
  /// Whether all constraints have been generated.
  virtual bool finished() const = 0;
  /// Returns the tokens that begin or continue a constraint.
  virtual std::set<int64_t> next_tokens() const = 0;
};

/// Requires the constraints in their order; other tokens may occur between them.
///
/// As in fairseq, a token that interrupts a constraint of several tokens resets all progress,
/// including that of earlier constraints.
class PHRASEQ_API OrderedLexicalState final : public LexicalState {
 public:
  explicit OrderedLexicalState(const LexicalConstraints& constraints);

  std::unique_ptr<LexicalState> copy() const override;
  void advance(int64_t token) override;
  int64_t bank() const override { return done_; }
  bool finished() const override { return done_ == size(); }
  std::set<int64_t> next_tokens() const override;

 private:
  struct Sequence {
    std::vector<int64_t> tokens;
    std::vector<bool> ends;  // whether a constraint ends with this token
  };
  int64_t size() const { return static_cast<int64_t>(sequence_->tokens.size()); }

  std::shared_ptr<const Sequence> sequence_;
  int64_t done_ = 0;  // number of constraint tokens generated so far
};

/// Requires the constraints in any order. Equal constraints must occur as often as they are given.
class PHRASEQ_API UnorderedLexicalState final : public LexicalState {
 public:
  explicit UnorderedLexicalState(const LexicalConstraints& constraints);

  std::unique_ptr<LexicalState> copy() const override;
  void advance(int64_t token) override;
  int64_t bank() const override;
  bool finished() const override;
  std::set<int64_t> next_tokens() const override;

 private:
  /// A place in the trie of the constraints; place 0 is its root.
  struct Node {
    int64_t parent = -1;
    int64_t terminal = 0;     // constraints that end here
    int64_t constraints = 0;  // constraints that end here or below
    std::map<int64_t, size_t> children;
  };
  using Trie = std::vector<Node>;

  static std::shared_ptr<const Trie> trie_of(const LexicalConstraints& constraints);
  static void add(Trie& trie, const std::vector<int64_t>& constraint);
  bool may_enter(size_t from, int64_t token, size_t& child) const;
  void rewind(size_t from);

  std::shared_ptr<const Trie> trie_;
  size_t node_ = 0;
  std::vector<int64_t> completed_;  // how often each node's constraint is complete
  std::vector<int64_t> generated_;  // how often each node was entered
};

}  // namespace phraseq
