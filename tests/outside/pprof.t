#!/usr/bin/env perl
# --format pprof: Go's viewer of profiles reads it, and has the sums, functions, lines and labels that
# JSON and the program itself have.
use Countertop qw(:DEFAULT installed);
use File::Copy 'copy';

my $dir = tempdir(CLEANUP => 1);
my @viewer = installed('pprof') ? 'pprof' : ('go', 'tool', 'pprof');
plan skip_all => 'neither pprof nor go is here' if run(@viewer, '-h')->{err} !~ /usage/i;
$ENV{PPROF_TMPDIR} = $dir;

# What the viewer prints for these options.
sub viewed {
    my ($file, @options) = @_;
    my $seen = run(@viewer, @options, $file);
    diag $seen->{err} if $seen->{status};
    return $seen->{out};
}

# ---- exact: page faults of three functions ----

my @faults = (qw(--sample page-faults --view functions -- shares faults), 300);
is(run('countertop', '-b', '--format', 'pprof', '-o', "$dir/faults.pb.gz", @faults)->{status}, 0, 'a profile of a command');
my $top = viewed("$dir/faults.pb.gz", '-top', '-nodecount=1000', '-nodefraction=0');
like($top, qr/^Type: page-faults$/m, 'its event');
like($top, qr/^File: shares$/m, 'its program');
for (['seventy', 21_000], ['twenty', 6_000], ['ten', 3_000]) {
    my ($name, $count) = @$_;
    # Others are those of the function's own code and stack.
    my ($cumulated) = $top =~ /(\d+) +[\d.]+% +faults_$name$/m;
    ok(defined $cumulated && $cumulated >= $count && $cumulated <= $count + 5, "$count page faults in faults_$name")
        or diag $top;
}
like(viewed("$dir/faults.pb.gz", '-top', '-lines'), qr{ work \S*/shares\.c:\d+ \(inline\)$}m, 'inlined functions and lines');
like(viewed("$dir/faults.pb.gz", '-tags'), qr/^ *comm: Total [\d.]+\n +[\d.]+ \( *100%\): shares$/m, 'labels');
like(viewed("$dir/faults.pb.gz", '-raw'), qr{^\d+: \S+ \S*/shares [0-9a-f]{40} \[FN\]\[FL\]\[LN\]\[IN\]$}m, 'mappings with build-ids');
my $callers = viewed("$dir/faults.pb.gz", '-peek', '^faults_ten$');
like($callers, qr/\| +main$/m, 'callers') or diag $callers;

# ---- names that are no text ----

link "$ENV{B}/work/shares", "$dir/\e[1m\xff" or copy("$ENV{B}/work/shares", "$dir/\e[1m\xff") or die $!;
chmod 0755, "$dir/\e[1m\xff";
is(run('countertop', '-b', '--format', 'pprof', '-o', "$dir/raw.pb.gz", qw(--sample page-faults --view functions --), "$dir/\e[1m\xff", 'faults', 10)->{status}, 0,
    'a program whose name is no text');
unlike(viewed("$dir/raw.pb.gz", $_), qr/\e|\xff/, "... $_: none of its bytes reach a terminal") for '-top', '-tags', '-raw';

# ---- the sums of a recording ----

is(run('countertop', '-b', '-n', 1, '-o', '/dev/null', '--record', "$dir/clock.db", qw(-e cpu-clock --sample cpu-clock/997 --view functions -- shares cycles),
    3_000)->{status}, 0, 'a recording');
my @replay = ('countertop', '-b', '--replay', "$dir/clock.db", qw(--show total -n 1 --view functions));
is(run(@replay, qw(--format pprof -o), "$dir/clock.pb.gz")->{status}, 0, '... as a profile') ;
my $last = (refreshes(@replay[2 .. $#replay]))[-1];
my @sums = (0, 0);
for (@{$last->{functions}}) {
    $sums[0] += $_->{samples};
    $sums[1] += $_->{counts}{'cpu-clock'};
}
my ($raw) = viewed("$dir/clock.pb.gz", '-raw') =~ /^Samples:\n(.*?)^Locations/ms;
my @raw = (0, 0);
while ($raw =~ /^ +(\d+) +(\d+):/mg) {
    $raw[0] += $1;
    $raw[1] += $2;
}
cmp_ok($raw[0], '>', 0, '... has samples');
is_deeply(\@raw, \@sums, '... as many as in JSON, and of as many nanoseconds');
my %top;
my $listed = viewed("$dir/clock.pb.gz", qw(-top -nodecount=1000 -nodefraction=0 -noinlines -unit=ns));
while ($listed =~ /^ *([1-9]\d*)ns +([\d.]+)% +[\d.]+% +\d+ns +[\d.]+% +(.*)$/mg) {
    $top{$3} = [$1, $2];
}
is_deeply([grep { my $top = $top{$_->{function}} // [0, 0]; $top->[0] != $_->{counts}{'cpu-clock'} || abs($top->[1] - 100 * $_->{share}) > 0.05 }
    grep { $_->{named} } @{$last->{functions}}], [], '... each function has its name, time and share') or diag explain \%top;

my $terminal = run('script', '-qec', 'countertop -b -n 1 --format pprof --view functions', '/dev/null');
like($terminal->{out}, qr/^countertop: the format 'pprof' is no text for a terminal: add -o FILE\r?$/m, 'it is not written to a terminal');
isnt($terminal->{status}, 0, '... which is an error');
done_testing;
