#!/usr/bin/env perl
# The sources are laid out as `make format` does it.
use Countertop;

# Other versions lay out some lines in another way.
SKIP: {
    my ($version) = run('clang-format', '--version')->{out} =~ /version ((\d+)\S*)/;
    skip 'no clang-format is here', 1 if !$version;
    skip "clang-format $version is not 14, which lays out the tree", 1 if $version !~ /^14\./;
    my @sources = glob "$ENV{TOP}/{src,src/*,src/*/*,src/*/*/*,tests/*}/*.[ch]";
    my $run = run('clang-format', '--dry-run', @sources);
    is($run->{err}, '', "the layout is that of 'make format'");
}

done_testing;
