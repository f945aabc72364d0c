#!/usr/bin/env perl
# Each name that perf lists is accepted.
use Countertop qw(:DEFAULT installed);

plan skip_all => 'perf is not installed' if !installed('perf') || run(qw(perf --version))->{status};
my $list = run(qw(perf list --no-desc))->{out};
my @names;
for (split /\n/, $list) {
    my ($names) = /^  (\S.*?)\s+\[/ or next;
    next if $names =~ /^rNNN|^mem:<|=v1|\/modifier/; # how to write others
    push @names, split / OR /, $names;
}
cmp_ok(@names, '>', 10, 'perf lists events');
# A name at the end that nobody knows, so that nothing is opened; it is the first to be refused
# only if all before it are accepted.
my $run = countertop(qw(-b -n1 -e), join ',', @names, 'cylces');
like($run->{err}, qr/^countertop: unknown event 'cylces'/, '... and each name is accepted')
    or diag $run->{err};
done_testing;
