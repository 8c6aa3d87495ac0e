# The tables of docs/evidence.md from the committed logs: report.pl report|check RESULTS PAGE < SYSTEMS
#
# SYSTEMS: a line for each system in the order of the tables, "NAME<TAB>GROUP<TAB>LABEL". RESULTS/CORPUS holds what
# evidence.sh --results has copied. The part of the page between "<!-- tables -->" and "<!-- end of tables -->" is
# written (report) or compared line by line (check); the exit status is 1 if it differs.
use strict;
use warnings;
use utf8;
use JSON::PP;

my ($mode, $results, $page) = @ARGV;
binmode $_, ':encoding(UTF-8)' for *STDIN, *STDOUT, *STDERR;
my (@systems, %label, %group);
while (<STDIN>) {
  chomp;
  my ($name, $group, $label) = split /\t/;
  push @systems, $name;
  ($label{$name}, $group{$name}) = ($label, $group);
}

sub text_of {
  my ($file) = @_;
  open my $in, '<:encoding(UTF-8)', $file or die "evidence.sh: error: $file: $!\n";
  local $/;
  return scalar <$in>;
}

sub json_of {
  open my $in, '<:raw', $_[0] or die "evidence.sh: error: $_[0]: $!\n";
  local $/;
  my $value = eval { decode_json(scalar <$in>) };
  die "evidence.sh: error: $_[0] is not JSON: $@" unless defined $value;
  return $value;
}

sub rows_of { return map { [split /\t/] } split /\n/, text_of($_[0]) }
sub mean { my $sum = 0; $sum += $_ for @_; return @_ ? $sum / @_ : 0 }

sub deviation {
  return 0 if @_ < 2;
  my $mean = mean(@_);
  my $sum = 0;
  $sum += ($_ - $mean)**2 for @_;
  return sqrt($sum / (@_ - 1));
}

# "40.1 ± 0.2", or "40.1 (2 seeds)" with fewer than three seeds.
sub spread {
  my ($score, $deviation, $seeds, $digits) = @_;
  return sprintf("%.*f ± %.*f", $digits, $score, $digits, $deviation) if $seeds >= 3;
  return sprintf('%.*f (%d %s)', $digits, $score, $seeds, $seeds == 1 ? 'seed' : 'seeds');
}

sub table {
  my ($header, @rows) = @_;
  my $line = sub { my $text = '| ' . join(' | ', @_) . ' |'; $text =~ s/  +/ /g; return "$text\n" };
  return $line->(@$header) . '|' . '---|' x @$header . "\n" . join('', map { $line->(@$_) } @rows);
}

# What the runs of a corpus report besides scores, as the mean over the seeds.
sub runs_of {
  my ($folder) = @_;
  my %runs;
  for (rows_of("$folder/runs.tsv")) {
    my ($system, $seed, $config, $dev, $parameters, $updates, $train, $test, $words) = @$_;
    my $run = $runs{$system} //= {config => $config, parameters => $parameters};
    push @{$run->{dev}}, $dev;
    push @{$run->{updates}}, $updates;
    push @{$run->{hours}}, $train / 3600;
    push @{$run->{speed}}, $words / $test if $test > 0;
  }
  return \%runs;
}

# Systems whose trials began with an earlier configuration of the baseline.
sub outdated_systems {
  my ($folder, $runs) = @_;
  my %outdated;
  for my $system (grep { -e "$folder/$_/trials.tsv" } @systems) {
    my ($baseline) = grep { $group{$_} eq $group{$system} } @systems;
    next if $system eq $baseline or !$runs->{$baseline};
    my ($first) = rows_of("$folder/$system/trials.tsv");
    $outdated{$system} = 1 if $first->[1] ne $runs->{$baseline}{config};
  }
  return \%outdated;
}

sub scores_table {
  my ($compared, $runs, $is_test, $outdated) = @_;
  my @metrics = grep { $_ ne 'system' } qw(BLEU chrF2 TER);
  my @header = ('', 'BLEU', 'Δ', 'p', 'chrF', 'TER', 'parameters');
  push @header, 'updates', 'processor hours', 'words/s' if $is_test;
  my @rows;
  for my $system (@{$compared->{systems}}) {
    my $name = $system->{system};
    next unless $label{$name};
    my $run = $runs->{$name};
    my @cells = ($label{$name} . ($outdated->{$name} ? ' †' : ''));
    for my $metric (@metrics) {
      my $score = $system->{$metric};
      push @cells, spread($score->{score}, $score->{standard_deviation}, scalar @{$score->{outputs}}, 1);
      next if $metric ne 'BLEU';
      push @cells, @rows ? sprintf('%+.1f', $score->{difference}) : '', defined $score->{p_value} ? sprintf('%.3f', $score->{p_value}) : '';
    }
    push @cells, sprintf('%.2fM', $run->{parameters} / 1e6);
    push @cells, sprintf('%.0f', mean(@{$run->{updates}})), sprintf('%.2f', mean(@{$run->{hours}})),
      sprintf('%.0f', mean(@{$run->{speed} // []})) if $is_test;
    push @rows, \@cells;
  }
  return table(\@header, @rows);
}

sub bucket_name {
  my ($bucket) = @_;
  return "$bucket->{from} or more" unless defined $bucket->{to};
  return $bucket->{from} if $bucket->{to} == $bucket->{from} + 1;
  return "$bucket->{from} to " . ($bucket->{to} - 1);
}

# The scores of the buckets, whose sizes are numbers of sentences or words.
sub buckets_table {
  my ($compared, $rows, $unit) = @_;
  my @buckets = grep { $_->{$unit} > 0 } @$rows;
  my %cells;
  for my $bucket (@buckets) {
    push @{$cells{$_->{system}}}, sprintf('%.1f', $_->{score}) . (($_->{p_value} // 1) < 0.05 ? '*' : '') for @{$bucket->{systems}};
  }
  my @names = grep { $label{$_} } map { $_->{system} } @{$compared->{systems}};
  return table(['', map { bucket_name($_) . " ($_->{$unit})" } @buckets],
               map { [$label{$_}, @{$cells{$_}}] } @names);
}

# The reports of a system's seeds: FOLDER/SYSTEM.SEED.json.
sub reports_of {
  my ($folder, $system) = @_;
  return map { json_of($_) } grep { m{/\Q$system\E\.\d+\.json$} } sort glob "$folder/$system.*.json";
}

# Accuracy by distance, the mean over seeds, from FOLDER/SYSTEM.SEED.json.
sub contrastive_table {
  my ($folder) = @_;
  my (@names, %accuracy, %pairs, %total);
  for my $system (@systems) {
    for my $report (reports_of($folder, $system)) {
      my ($groups) = grep { $_->{by} eq 'distance' } @{$report->{groups}};
      for my $row ($groups ? @{$groups->{rows}} : ()) {
        next unless @{$row->{systems}};
        push @names, $row->{name} unless exists $pairs{$row->{name}};
        $pairs{$row->{name}} = $row->{pairs};
        push @{$accuracy{$system}{$row->{name}}}, 100 * $row->{systems}[0]{accuracy};
      }
      push @{$total{$system}}, 100 * $report->{all}{systems}[0]{accuracy};
      $pairs{all} = $report->{all}{pairs};
    }
  }
  my @rows;
  for my $system (grep { $total{$_} } @systems) {
    my @seeds = @{$total{$system}};
    push @rows, [$label{$system}, spread(mean(@seeds), deviation(@seeds), scalar @seeds, 1),
                 map { my $at = $accuracy{$system}{$_}; $at ? sprintf('%.1f', mean(@$at)) : '' } @names];
  }
  return @rows ? table(['', "all ($pairs{all})", map { "$_ ($pairs{$_})" } @names], @rows) : '';
}

# Share of the attended n-grams that are constituents, and of all n-grams of these lengths, layer by layer, from
# FOLDER/SYSTEM.SEED.json; the mean over seeds.
sub constituents_table {
  my ($folder) = @_;
  my (@rows, $most);
  for my $system (@systems) {
    my (%share, %chance, $seeds);
    for my $report (reports_of($folder, $system)) {
      ++$seeds;
      for (@{$report->{layers}}) {
        next unless $_->{ngrams} > 0;
        push @{$share{$_->{layer}}}, 100 * $_->{constituents} / $_->{ngrams};
        push @{$chance{$_->{layer}}}, 100 * $_->{chance};
      }
    }
    my @layers = sort { $a <=> $b } keys %share;
    next unless @layers;
    $most = $layers[-1] if !defined $most || $layers[-1] > $most;
    push @rows, [$label{$system}, $seeds, \%share, \%chance];
  }
  return '' unless @rows;
  my @cells = map {
    my ($label, $seeds, $share, $chance) = @$_;
    [$label, $seeds, map { $share->{$_} ? sprintf('%.1f (%.1f)', mean(@{$share->{$_}}), mean(@{$chance->{$_}})) : '' } 1 .. $most]
  } @rows;
  return table(['', 'seeds', map { "layer $_" } 1 .. $most], @cells);
}

# The increase of the loss without one head, the mean over the heads that attend to n-grams of the same lengths, from
# FOLDER/SYSTEM.SEED.json; the mean over seeds.
sub heads_table {
  my ($folder) = @_;
  my (@rows, %increase, %seeds);
  for my $system (@systems) {
    for my $report (reports_of($folder, $system)) {
      ++$seeds{$system};
      push @{$increase{$system}{join ', ', @{$_->{ngrams}}}{$_->{attention}}}, $_->{increase} for @{$report->{heads}};
    }
  }
  my @attentions = qw(encoder decoder cross);
  for my $system (grep { $seeds{$_} } @systems) {
    for my $ngrams (sort keys %{$increase{$system}}) {
      my $of = $increase{$system}{$ngrams};
      push @rows, [$label{$system}, $seeds{$system}, $ngrams, map { $of->{$_} ? sprintf('%+.3f', mean(@{$of->{$_}})) : '' } @attentions];
    }
  }
  return @rows ? table(['', 'seeds', 'n-grams', 'encoder', 'decoder', 'cross-attention'], @rows) : '';
}

sub trials_table {
  my ($folder, $runs) = @_;
  my @rows;
  for my $system (grep { -e "$folder/$_/trials.tsv" } @systems) {
    my @trials = rows_of("$folder/$system/trials.tsv");
    my ($best) = sort { $b <=> $a } map { $_->[0] } @trials;
    push @rows, [$label{$system}, scalar @trials, sprintf('%.1f', $trials[0][0]), sprintf('%.1f', $best),
                 $runs->{$system} ? "`$runs->{$system}{config}`" : ''];
  }
  return table(['', 'trials', 'dev BLEU, first', 'dev BLEU, chosen', 'chosen configuration'], @rows);
}

sub setup_of {
  my ($folder) = @_;
  my $manifest = json_of("$folder/manifest.json");
  my $text = "`$manifest->{command}`\n\n";
  $text =~ s/\\(.)/$1/g;
  $text .= "Commit $manifest->{commit}, $manifest->{date}; " . join(', ', @{$manifest->{machine}}) . ".\n";
  for (rows_of("$folder/leaks.tsv")) {
    my ($test, $count, $source, $target, $pair) = @$_;
    $text .= "Test set `$test`: $count pairs; in the training text are $pair of the pairs, $source of the sources and $target of the targets.\n";
  }
  return $text;
}

sub section {
  my ($corpus) = @_;
  my $folder = "$results/$corpus";
  my $runs = runs_of($folder);
  my $outdated = outdated_systems($folder, $runs);
  my $text = "### $corpus\n\n" . setup_of($folder);
  my @pictures = sort glob "$folder/curves-*.svg";
  $text .= "\nLearning curves of the first seeds; each picture links to the same curves by processor hours.\n" if @pictures;
  for (@pictures) {
    my ($paper) = /curves-([^\/]+)\.svg$/;
    my $from = "../examples/recipes/evidence/results/$corpus";
    $text .= "\n[![Learning curves: $paper]($from/curves-$paper.svg)]($from/cost-$paper.svg)\n";
  }
  for my $file (sort glob "$folder/scores/*.json") {
    my ($test, $group) = $file =~ m{/([^/]+)\.([a-z]+)\.json$} or next;
    my $compared = json_of($file);
    $text .= "\n#### $corpus, $test ($group)\n\n" . scores_table($compared, $runs, $test eq 'test', $outdated);
    $text .= "\n† trained with an earlier configuration of the baseline, which has had more trials since.\n" if %$outdated;
    my $length = $compared->{buckets}{by} =~ s/(.*) length in (.*)/number of $2 in the $1/r;
    $text .= "\nBLEU by the $length. The number of sentences is in parentheses; an asterisk marks p < 0.05:\n\n" . buckets_table($compared, $compared->{buckets}{rows}, 'sentences');
    my $words = $compared->{word_frequencies} or next;
    $text .= "\nF1 of words by their frequency in the training text. The number of words is in parentheses; an asterisk marks p < 0.05:\n\n" . buckets_table($compared, $words->{rows}, 'words');
  }
  for my $set (sort glob "$folder/scores/*.contrastive") {
    my ($name) = $set =~ m{/([^/]+)\.contrastive$};
    my $table = contrastive_table($set);
    $text .= "\n#### $corpus, $name\n\nAccuracy in % by distance (number of pairs):\n\n$table" if $table;
  }
  my $used = constituents_table("$folder/scores/constituents");
  $text .= "\n#### $corpus, constituents\n\nShare in % of the n-grams with the largest weights that are constituents (of all n-grams of the same lengths):\n\n$used" if $used;
  my $heads = heads_table("$folder/scores/heads");
  $text .= "\n#### $corpus, heads\n\nIncrease of the loss of the test set, in bits per token, when one attention head is switched off: the mean over the heads that attend to n-grams of the same lengths (1: words, 2: bigrams, …).\n\n$heads" if $heads;
  return $text . "\n#### $corpus, trials\n\n" . trials_table($folder, $runs);
}

my @corpora = sort map { m{([^/]+)/runs\.tsv$} } glob "$results/*/runs.tsv";
my $tables = @corpora ? join("\n", map { section($_) } @corpora)
  : "No corpus has been run to convergence yet: there are no committed logs, and therefore no tables.\n";
my $old = text_of($page);
my ($before, $inside, $after) = $old =~ /\A(.*<!-- tables -->\n\n?)(.*?)(\n?<!-- end of tables -->.*)\z/s
  or die "evidence.sh: error: $page has no '<!-- tables -->' and '<!-- end of tables -->'\n";
my $new = "$before$tables$after";
if ($mode eq 'report') {
  open my $out, '>:encoding(UTF-8)', "$page.new" or die "evidence.sh: error: $page.new: $!\n";
  print $out $new;
  close $out or die "evidence.sh: error: $page.new: $!\n";
  rename "$page.new", $page or die "evidence.sh: error: $page: $!\n";
  exit 0;
}
my @old = split /\n/, $inside, -1;
my @new = split /\n/, $tables, -1;
my $different = 0;
for my $i (0 .. ($#old > $#new ? $#old : $#new)) {
  my ($is, $should) = ($old[$i] // '', $new[$i] // '');
  next if $is eq $should;
  ++$different;
  print "line ", $i + 1, " of the tables: page \"$is\", results \"$should\": DIFFERENT\n";
}
print scalar(@corpora), " corpora, ", scalar(@new), " lines, $different different\n";
exit($different ? 1 : 0);
