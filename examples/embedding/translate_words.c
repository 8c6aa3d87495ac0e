/* Translates its arguments with scores: translate_words CHECKPOINT TEXT... */
#include <phraseq/phraseq.h>
#include <stdio.h>

int main(int argc, char **argv) {
  phraseq_model *model = NULL;
  phraseq_result *result = NULL;
  if (argc < 3) {
    fprintf(stderr, "usage: translate_words CHECKPOINT TEXT...\n");
    return 2;
  }
  if (phraseq_load(argv[1], NULL, 0, &model) != PHRASEQ_OK ||
      phraseq_translate(model, (const char *const *)argv + 2, (size_t)argc - 2, NULL, &result) != PHRASEQ_OK) {
    fprintf(stderr, "%s\n", phraseq_last_error());
    phraseq_free_model(model);
    return 1;
  }
  for (size_t text = 0; text < phraseq_text_count(result); ++text)
    printf("%s\t%.4f\n", phraseq_text(result, text), phraseq_score(result, text, 0, 0));
  phraseq_free_result(result);
  phraseq_free_model(model);
  return 0;
}
