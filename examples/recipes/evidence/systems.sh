# The systems of protocol.md: the rows of the tables, their options and their trials.

# Each group has a table; its first system is the baseline of the others.
transformer_systems=(base fairseq wide_ta wide_homogeneous_queryk wide_interleaved_queryk wide_pt_2_3
  mean max attn ta parse mean_centered ta_centered
  homogeneous_convkv homogeneous_queryk heterogeneous_convkv heterogeneous_queryk interleaved_convkv interleaved_queryk
  homogeneous_convkv_tri homogeneous_queryk_tri heterogeneous_convkv_tri heterogeneous_queryk_tri
  pt_3 pt_4 pt_2_3 pt_3_position pt_4_position pt_2_3_position)
published_systems=(base_xu mean_xu ta_xu)
postnorm_systems=(base_postnorm homogeneous_queryk_postnorm)
memory_systems=(rnnsearch gate gate_1000 gate_norules softmax softmax_masked)
groups=(transformer published postnorm memory)
systems=("${transformer_systems[@]}" "${published_systems[@]}" "${postnorm_systems[@]}" "${memory_systems[@]}")

systems_of_group() { # GROUP
  local -n list=${1}_systems
  echo "${list[@]}"
}

group_of() { # SYSTEM
  local group
  for group in "${groups[@]}"; do
    if [[ " $(systems_of_group "$group") " == *" $1 "* ]]; then echo "$group"; return; fi
  done
}

baseline_of() { # SYSTEM
  local list
  read -ra list <<< "$(systems_of_group "$(group_of "$1")")"
  echo "${list[0]}"
}

# The recipe for the paper that describes a system; empty for a baseline.
paper_of() { # SYSTEM
  case $1 in
    wide_*) echo controls ;;
    mean* | max | attn | ta* | parse) echo xu2020 ;;
    homogeneous_* | heterogeneous_* | interleaved_*) echo nguyen_joty2018 ;;
    pt_*) echo nguyen2022 ;;
    gate* | softmax*) echo tang2016 ;;
  esac
}

# The system whose number of parameters a control has, which is a larger baseline; empty for other systems.
widened_to() { # SYSTEM
  if [[ $1 == wide_* ]]; then echo "${1#wide_}"; fi
}

label_of() { # SYSTEM
  case $1 in
    base) echo "Transformer" ;;
    fairseq) echo "Transformer, trained by fairseq" ;;
    *_postnorm) echo "$(label_of "${1%_postnorm}"), post-norm, 4,000 tokens per batch" ;;
    wide_*) echo "Transformer, as large as $(label_of "${1#wide_}")" ;;
    mean) echo "Xu et al., +Mean" ;;
    max) echo "Xu et al., +Max" ;;
    attn) echo "Xu et al., +Max+Attn" ;;
    ta) echo "Xu et al., +Max+Attn+TA" ;;
    parse) echo "Xu et al., +Parse" ;;
    base_xu) echo "Transformer of Xu et al., 6+6 layers, post-norm" ;;
    *_xu) echo "$(label_of "${1%_xu}"), 6+6 layers, post-norm" ;;
    *_centered) echo "$(label_of "${1%_centered}"), centered" ;;
    homogeneous_* | heterogeneous_* | interleaved_*)
      local type=${1%%_*} rest=${1#*_}
      echo "Nguyen & Joty, $type ${rest%_tri}$([[ $rest == *_tri ]] && echo ", trigrams")" ;;
    pt_*_position) echo "$(label_of "${1%_position}"), a mask per token" ;;
    pt_2_3) echo "Nguyen & Nguyen, {2, 3}" ;;
    pt_*) echo "Nguyen & Nguyen, {${1#pt_}}" ;;
    rnnsearch) echo "RNNsearch, coverage" ;;
    gate) echo "Tang et al., gate" ;;
    gate_1000) echo "Tang et al., gate, 1,000 phrases" ;;
    gate_norules) echo "Tang et al., gate, without rules" ;;
    softmax) echo "Tang et al., softmax" ;;
    softmax_masked) echo "Tang et al., softmax, used slots excluded" ;;
  esac
}

# Sets `width`, `ffn`, `heads` and `layers` according to --size.
use_size() { # tiny|base
  case $1 in
    tiny) width=128 ffn=256 heads=4 layers=4 pieces=10000 vocabulary=6000 ;;
    base) width=512 ffn=2048 heads=8 layers=6 pieces=32000 vocabulary=16000 ;;
    *) fail "--size is tiny or base, not '$1'" ;;
  esac
}

sizes() { # FFN LAYERS
  local side
  for side in encoder decoder; do
    echo "--$side-embed-dim $width --$side-ffn-embed-dim $1 --$side-attention-heads $heads --$side-layers $2"
  done
}

# All Transformers of the first table have fairseq's conventions where the papers do not differ.
conventions() {
  echo "--pos fairseq --embed-norm no --norm-eps 1e-5 --ffn-bias1 yes --ffn-bias2 yes --out-bias no --start-token eos" \
    "--source-bos no --forbid-outputs no --init fairseq --share-all-embeddings yes --activation-fn relu" \
    "--attention-dropout 0 --activation-dropout 0"
}

phrase_rep() { # ROW
  case $1 in
    mean) echo "--pr-glance mean --pr-attn none --pr-ta none" ;;
    max) echo "--pr-glance max --pr-attn none --pr-ta none" ;;
    attn) echo "--pr-glance max --pr-attn softmax --pr-ta none" ;;
    ta) echo "--pr-glance max --pr-attn softmax --pr-ta phrase" ;;
    parse) echo "--pr-glance max --pr-attn softmax --pr-ta phrase --pr-seg parse" ;;
  esac
}

# In "homogeneous_convkv", half of the heads are for words and half for bigrams; with trigrams ("_tri"), 3, 3 and 2 of
# 8.
phrasal() { # SYSTEM
  local type=${1%%_*} rest=${1#*_} ngrams=12
  [[ $rest != *_tri ]] || ngrams=123
  if [[ $type == homogeneous ]]; then
    case $ngrams/$heads in
      12/*) ngrams=$((heads / 2))$((heads / 2)) ;;
      123/4) ngrams=211 ;;
      123/8) ngrams=323 ;;
    esac
  fi
  echo "--pa-type $type --pa-method ${rest%_tri} --pa-ngrams $ngrams"
}

# The options of phraseq train that define a system.
model_of() { # SYSTEM
  case $1 in
    *_postnorm) model_of "${1%_postnorm}" ;;
    base) echo "--arch transformer $(sizes "$ffn" "$layers") $(conventions) --attn-bias yes" ;;
    wide_*) echo "--arch transformer $(sizes "$(widened_ffn "${1#wide_}")" "$layers") $(conventions) --attn-bias yes" ;;
    base_xu) echo "--arch transformer_xu_base $(sizes "$ffn" 6)" ;;
    *_xu) echo "--arch phrase_rep $(sizes "$ffn" 6) $(phrase_rep "${1%_xu}")" ;;
    *_centered) echo "$(model_of "${1%_centered}") --pr-comb-centered yes" ;;
    mean | max | attn | ta | parse)
      echo "--arch phrase_rep $(sizes "$ffn" "$layers") $(conventions) --attn-bias yes $(phrase_rep "$1")" ;;
    homogeneous_* | heterogeneous_* | interleaved_*)
      echo "--arch phrasal_attention $(sizes "$ffn" "$layers") $(conventions) --attn-bias no $(phrasal "$1")" ;;
    pt_*)
      local grams=${1#pt_} scope=window
      if [[ $grams == *_position ]]; then scope=position grams=${grams%_position}; fi
      echo "--arch phrase_transformer $(sizes "$ffn" "$layers") $(conventions) --attn-bias yes" \
        "--pt-grams ${grams//_/,} --pt-dropout-scope $scope" ;;
    rnnsearch) echo "--arch $([[ $size == tiny ]] && echo rnnsearch_tiny || echo rnnsearch_base)" ;;
    gate* | softmax*)
      local preset=phrasenet variant=${1%%_*}
      [[ $size != tiny ]] || preset=phrasenet_tiny
      echo "--task translation_with_phrase_memory --arch ${preset}_$variant" \
        "$([[ $1 != softmax_masked ]] || echo "--mask-used both")" ;;
  esac
}

# The data folder of a system: words with a phrase table, or subwords.
data_of() { # SYSTEM
  case $1 in
    gate_1000) echo data-words-1000 ;;
    gate_norules) echo data-words-norules ;;
    rnnsearch | gate | softmax*) echo data-words ;;
    *) echo data-bin ;;
  esac
}

# Where the search for the baseline's configuration begins: the settings of the multi30k recipe, of the tiny presets
# for corpora of a few thousand pairs, and of tang2016's. The table "postnorm" compares systems with few pairs in the
# configuration of large corpora.
start_of_group() { # GROUP
  local few=${pairs:+/few}
  [[ $1 != postnorm ]] || few=''
  case $1/$size$few in
    memory/tiny*) echo "dropout=0.2 lr=0.002 warmup=200 tokens=2000" ;;
    memory/base*) echo "dropout=0.2 lr=0.0005 warmup=1000 tokens=4000" ;;
    */tiny/few) echo "dropout=0.3 lr=0.003 warmup=300 tokens=1000 smoothing=0.1 norm=pre" ;;
    */tiny) echo "dropout=0.3 lr=0.005 warmup=2000 tokens=4000 smoothing=0.1 norm=post" ;;
    */base*) echo "dropout=0.1 lr=0.0007 warmup=4000 tokens=8000 smoothing=0.1 norm=post" ;;
  esac
}

# The baseline's trials, one factor after another; x2 means twice the value so far. A few thousand pairs may need more
# dropout than the start has.
grid_of_baseline() { # GROUP
  case $1 in
    memory) echo "dropout=0.1 dropout=0.3 lr=x0.5 lr=x2 warmup=x4 tokens=x2" ;;
    *)
      echo "${pairs:+dropout=0.4 }dropout=0.2 dropout=0.1 lr=x0.5 lr=x2 warmup=x2 tokens=x2 smoothing=0.2" \
        "norm=pre norm=post" ;;
  esac
}

# The trials of the other systems, the most promising first, and never more than the baseline had.
grid_of() { # SYSTEM
  case $1 in
    mean | max | attn | ta | parse | *_centered) echo "pr-comb-residual=both norm=pre lr=x0.5 warmup=x2 dropout=0.2 dropout=0.1" ;;
    *_xu) echo "lr=x0.5 warmup=x4 pr-comb-residual=both dropout=0.2 dropout=0.1" ;;
    pt_*) echo "pt-dropout=0.1 pt-dropout=0 lr=x0.5 warmup=x2 norm=pre dropout=0.2" ;;
    gate* | softmax*) echo "lr=x0.5 lr=x2 dropout=0.1 dropout=0.3 warmup=x4" ;;
    *) echo "lr=x0.5 lr=x2 warmup=x2 norm=pre dropout=0.2 dropout=0.1" ;;
  esac
}

# A configuration as options of phraseq train; a factor that is not listed here has the name of an option.
options_of() { # CONFIGURATION, with spaces
  local setting value
  for setting in $1; do
    value=${setting#*=}
    case ${setting%%=*} in
      dropout | lr) echo "--${setting%%=*} $value" ;;
      warmup) echo "--warmup-updates $value" ;;
      tokens) echo "--max-tokens $value" ;;
      smoothing) echo "--label-smoothing $value" ;;
      norm)
        local before=no
        [[ $value == post ]] || before=yes
        echo "--encoder-normalize-before $before --decoder-normalize-before $before" ;;
      *) echo "--${setting%%=*} $value" ;;
    esac
  done
}

criterion_of() { # SYSTEM
  case $1 in
    rnnsearch) echo "--criterion cross_entropy --clip-norm 1" ;;
    gate* | softmax*) echo "--criterion phrase_mixture --clip-norm 1" ;;
    *) echo "--criterion label_smoothed_cross_entropy --clip-norm 1" ;;
  esac
}
