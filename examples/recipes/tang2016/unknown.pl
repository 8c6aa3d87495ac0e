#!/usr/bin/perl
# unknown.pl DICTIONARY MATCHES prints the numbers of the sentences with a phrase whose translation is in the
# reference and has a word that is not in the dictionary. MATCHES is the output of `phraseq phrase-table match --json`.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

my ($dictionary, $matches) = @ARGV;
open(my $words, '<', $dictionary) or die "unknown.pl: error: $dictionary: $!\n";
my %known = map { (split / /)[0] => 1 } <$words>;
open(my $lines, '<', $matches) or die "unknown.pl: error: $matches: $!\n";
while (my $line = <$lines>) {
  my @said = grep { /"span":\[/ } split /\{"source":/, $line;
  my @targets = map { /"target":\[(.*?)\],"category"/ ? $1 : () } @said;
  print "$.\n" if grep { !$known{$_} } map { /"((?:[^"\\]|\\.)*)"/g } @targets;
}
