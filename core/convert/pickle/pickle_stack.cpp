#include "core/convert/pickle/pickle_stack.h"

namespace phraseq {

PickleRef PickleStack::top() const {
  if (values_.size() <= floor())
    input_.fail("a value is missing on the stack");
  return values_.back();
}

PickleRef PickleStack::pop() {
  const PickleRef value = top();
  values_.pop_back();
  return value;
}

std::vector<PickleRef> PickleStack::pop_count(size_t count) {
  if (values_.size() - floor() < count)
    input_.fail("a value is missing on the stack");
  std::vector<PickleRef> popped(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end());
  values_.resize(values_.size() - count);
  return popped;
}

std::vector<PickleRef> PickleStack::pop_to_mark() {
  if (marks_.empty())
    input_.fail("a mark is missing on the stack");
  std::vector<PickleRef> popped = pop_count(values_.size() - marks_.back());
  marks_.pop_back();
  return popped;
}

void PickleStack::drop() {
  if (values_.size() == floor() && !marks_.empty()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

}  // namespace phraseq
