#!/usr/bin/env perl
# What a refresh reads of the machine: each file once.
use Countertop qw(:DEFAULT installed);

plan skip_all => "'strace' is not here" if !installed('strace');
my $sleeper = start('sleep', 1000);
my $file = tempdir(CLEANUP => 1) . '/calls';

# {path => how often it was read}, for so many refreshes.
sub reads {
    my ($refreshes) = @_;
    my $run = run('strace', '-fyo', $file, '-e', 'trace=pread64', "$ENV{B}/countertop", '-b', '-H', '-d', 0.05,
        '-n', $refreshes, '--engine', 'task', '-e', 'task-clock', '-p', $sleeper->{pid});
    is($run->{status}, 0, "$refreshes refreshes") or diag $run->{err};
    my %reads;
    $reads{$_}++ for slurp($file) =~ /pread64\(\d+<([^>]+)>/g;
    return %reads;
}

my %few = reads(2);
my %more = reads(12);
for my $path ('/proc/stat', grep { -e } map { "/proc/pressure/$_" } qw(cpu memory io)) {
    # Where the machine is busy, the interval after the last one may have been read, too.
    cmp_ok(abs($more{$path} - $few{$path} - 10), '<=', 1, "$path is read once a refresh, $more{$path} times in 12");
}
stop($sleeper);
done_testing;
