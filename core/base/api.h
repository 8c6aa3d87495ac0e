#pragma once

/// Marks what a shared library exports; everything else is built hidden.
#define PHRASEQ_API __attribute__((visibility("default")))
