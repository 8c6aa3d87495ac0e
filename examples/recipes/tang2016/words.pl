#!/usr/bin/perl
# Splits text into words, one line at a time: each Chinese character and each punctuation mark is a word, numbers
# keep their points and commas, and Latin letters are lowercased. Reads standard input.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

while (my $line = <STDIN>) {
  $line =~ s/\r?\n$//;
  $line =~ s/(\p{Han})/ $1 /g;
  $line =~ s/(?<=\d)([.,])(?=\d)/\x{E000}$1\x{E001}/g;    # keeps a point within a number
  $line =~ s/([\p{P}\p{S}])/ $1 /g;
  $line =~ s/\x{E000} ([.,]) \x{E001}/$1/g;
  $line = lc $line;
  $line =~ s/\s+/ /g;
  $line =~ s/^ | $//g;
  print "$line\n";
}
