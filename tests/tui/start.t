#!/usr/bin/env perl
# The screen is taken before counting starts, and the first rows come before anything that only a later look needs:
# by the order of system calls, not by time.
use Countertop qw(:DEFAULT installed);
use Screen;

plan skip_all => "'strace' is not here" if !installed('strace');

my $dir = tempdir(CLEANUP => 1);
my $screen = Screen->new(120, 40, "strace -f -s 16000 -e trace=write,clone,clone3,perf_event_open,futex,poll "
        . "-o $dir/calls $ENV{B}/countertop -s software");
ok($screen->wait(qr/PID .*COMMAND *\n *\S+ +\S/), 'rows');
ok($screen->wait(qr/‹software› \w/), 'the screens beside the one shown are named') if $> == 0;
$screen->type('q');
$screen->wait(sub { $_[0] !~ /COMMAND/ });
$screen->close;

my @calls = split /\n/, slurp("$dir/calls");
my ($main) = $calls[0] =~ /^(\d+)/;
my $first = sub { my $what = shift; return (grep { $calls[$_] =~ $what } 0 .. $#calls)[0] };
my $taken = $first->(qr/^\d+ +write\(\d+, ".*\[\?1049h/);
my $rows = $first->(qr/^\d+ +write\(\d+, ".*\[\?2026h/);
ok(defined $taken && defined $rows, 'the screen is taken, and rows are drawn');
cmp_ok($taken, '<', $first->(qr/^\d+ +clone3?\(/), 'the first frame comes before there is a thread that counts');
is((grep { /^$main +(?:futex\(.*WAIT|poll\()/ } @calls[0 .. $taken]), 0, '... and nothing is waited for');
cmp_ok((grep { /^$main +poll\(/ } @calls[$taken .. $rows]), '<=', 1, 'the first rows wait for one interval at most');
is((grep { /^$main +futex\(.*WAIT_BITSET/ } @calls[$taken .. $rows]), 0, '... and ask nothing of the thread that counts');
done_testing;
