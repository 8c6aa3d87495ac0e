#ifndef PHRASEQ_PHRASEQ_H
#define PHRASEQ_PHRASEQ_H

/* The C interface for programs that translate, of libphraseq-translate.so.
 *
 * All texts are UTF-8 and end in a zero byte. Functions that can fail return a phraseq_status; what went wrong is in
 * phraseq_last_error(). No function throws, exits or prints. All functions may be called by several threads at a
 * time, except the phraseq_free_ functions for an object that another thread still uses.
 * docs/guide/embedding.md has an example. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PHRASEQ_C_EXPORT __attribute__((visibility("default")))

/* The exit codes of the commands. */
typedef enum phraseq_status {
  PHRASEQ_OK = 0,
  PHRASEQ_ERROR_INTERNAL = 1,
  PHRASEQ_ERROR_USAGE = 2,      /* an option of phraseq_load, a null pointer, a wrong size or split */
  PHRASEQ_ERROR_DATA = 3,       /* a text: not UTF-8, control characters, too long; nbest or prefixes out of range */
  PHRASEQ_ERROR_FORMAT = 4,     /* a checkpoint is damaged or of the wrong kind */
  PHRASEQ_ERROR_PLUGIN = 5,     /* a plugin is missing or failed */
  PHRASEQ_ERROR_IO = 6,         /* the operating system reported an error; memory ran out */
  PHRASEQ_ERROR_DIVERGENCE = 7, /* a number is not finite */
} phraseq_status;

typedef enum phraseq_split {
  PHRASEQ_SPLIT_LONG = 0,   /* split lines that are longer than the model accepts into sentences */
  PHRASEQ_SPLIT_ALWAYS = 1, /* split all lines */
  PHRASEQ_SPLIT_NEVER = 2,  /* a line that is longer than the model accepts is an error */
} phraseq_split;

typedef struct phraseq_model phraseq_model;
typedef struct phraseq_result phraseq_result;

/* Set `size` to sizeof(phraseq_options) and everything else to zero, then change what should differ. */
typedef struct phraseq_options {
  size_t size;
  int64_t nbest;               /* hypotheses of each sentence; 0 = 1 */
  int32_t alignment;           /* not 0: compute alignments */
  int32_t split;               /* a phraseq_split */
  const char *const *prefixes; /* one for each text, or null: the beginning of the translation; "" = none */
} phraseq_options;

/* "0.2.0"; never freed. */
PHRASEQ_C_EXPORT const char *phraseq_version(void);

/* The last error of the calling thread, "" if there was none; valid until the thread's next call. */
PHRASEQ_C_EXPORT const char *phraseq_last_error(void);

/* Loads a checkpoint (several, separated by colons, form an ensemble) with options of `phraseq generate`, such as
 * {"--beam", "4"}; `options` may be null if `count` is 0. Free *model with phraseq_free_model; it is null after an
 * error. */
PHRASEQ_C_EXPORT phraseq_status phraseq_load(const char *path,
                                             const char *const *options,
                                             size_t count,
                                             phraseq_model **model);
/* Results stay valid. Null is ignored. */
PHRASEQ_C_EXPORT void phraseq_free_model(phraseq_model *model);

/* Language codes; valid as long as the model. Null for a null model. */
PHRASEQ_C_EXPORT const char *phraseq_source_language(const phraseq_model *model);
PHRASEQ_C_EXPORT const char *phraseq_target_language(const phraseq_model *model);
/* Limits of the model: tokens of a source sentence, and hypotheses that a call may ask for. 0 for a null model. */
PHRASEQ_C_EXPORT int64_t phraseq_max_source_tokens(const phraseq_model *model);
PHRASEQ_C_EXPORT int64_t phraseq_max_nbest(const phraseq_model *model);

/* Translates texts; `options` may be null. Free *result with phraseq_free_result; it is null after an error. */
PHRASEQ_C_EXPORT phraseq_status phraseq_translate(const phraseq_model *model,
                                                  const char *const *texts,
                                                  size_t count,
                                                  const phraseq_options *options,
                                                  phraseq_result **result);
PHRASEQ_C_EXPORT void phraseq_free_result(phraseq_result *result);

/* The contents of a result. Pointers are valid as long as the result. An index that does not exist gives null, 0 or
 * NaN. */
PHRASEQ_C_EXPORT size_t phraseq_text_count(const phraseq_result *result);
/* The translation of a text, including line breaks. */
PHRASEQ_C_EXPORT const char *phraseq_text(const phraseq_result *result, size_t text);
PHRASEQ_C_EXPORT size_t phraseq_sentence_count(const phraseq_result *result, size_t text);
PHRASEQ_C_EXPORT const char *phraseq_source(const phraseq_result *result, size_t text, size_t sentence);
PHRASEQ_C_EXPORT size_t phraseq_hypothesis_count(const phraseq_result *result, size_t text, size_t sentence);
/* Hypotheses are sorted, best first. */
PHRASEQ_C_EXPORT const char *phraseq_hypothesis(const phraseq_result *result,
                                                size_t text,
                                                size_t sentence,
                                                size_t rank);
/* What hypotheses are sorted by: natural logarithm, after the length penalty. */
PHRASEQ_C_EXPORT double phraseq_score(const phraseq_result *result, size_t text, size_t sentence, size_t rank);
PHRASEQ_C_EXPORT double phraseq_log_probability(const phraseq_result *result,
                                                size_t text,
                                                size_t sentence,
                                                size_t rank);
/* The subwords of a source sentence and of a hypothesis. */
PHRASEQ_C_EXPORT size_t phraseq_source_token_count(const phraseq_result *result, size_t text, size_t sentence);
PHRASEQ_C_EXPORT const char *phraseq_source_token(const phraseq_result *result,
                                                  size_t text,
                                                  size_t sentence,
                                                  size_t token);
PHRASEQ_C_EXPORT size_t phraseq_token_count(const phraseq_result *result,
                                            size_t text,
                                            size_t sentence,
                                            size_t rank);
PHRASEQ_C_EXPORT const char *phraseq_token(const phraseq_result *result,
                                           size_t text,
                                           size_t sentence,
                                           size_t rank,
                                           size_t token);
/* `*count` pairs of positions, (source token, token); null if there are none. */
PHRASEQ_C_EXPORT const int64_t *phraseq_alignment(const phraseq_result *result,
                                                  size_t text,
                                                  size_t sentence,
                                                  size_t rank,
                                                  size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* PHRASEQ_PHRASEQ_H */
