#!/usr/bin/env perl
# --demo list tells what there is to count, and --demo NAME --verify counts it: what is known exactly
# is counted exactly, and what cannot be counted here says why.
use strict;
use warnings;
use Countertop;
use Slurp;
use Test::More;
use Time::HiRes qw(sleep time);

my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);

# ---- the list ----

my $list = countertop(qw(--demo list --format json));
is("$list->{status}$list->{err}", 0, '--demo list ends well');
my @listed = json_lines($list->{out});
my %workload = map { $_->{name} => $_ } @listed;
cmp_ok(scalar(@listed), '>', 15, 'there are workloads');
is_deeply([grep { !$_->{teaches} || !$_->{events} } @listed], [], 'each teaches something, with events');
is_deeply([grep { $_->{measurable} xor !defined $_->{reason} } @listed], [],
    'what is not measurable here has a reason');
is_deeply([grep { !$workload{$_} } qw(scalar vector frontend stream alias4k alias4k-not tlb-huge inline)], [],
    'what the table of workloads is to have, it has');
like(slurp("$ENV{TOP}/README.md"), qr/ --demo list names ${\(@listed - 1)} more$/m, 'the README has their number');
my ($page) = json_lines(countertop(qw(--check --format json))->{out});
my $hardware = $page->{result} eq 'hardware';
is(!!$workload{loop}{measurable}, !!$hardware, 'instructions are measurable where --check says so');
is(!!$workload{faults}{measurable}, !!1, 'page faults are');
my $text = countertop(qw(--demo list));
is_deeply([$text->{out} =~ /^(\S+)/mg], [map({ $_->{name} } @listed), 'tour', 'all'], 'the text has the same');
like($text->{out}, qr/^faults +page faults: .*\n +page-faults/m, '... what it teaches, and events');
is_deeply([grep { length > 80 && !/: / } split /\n/, $text->{out}], [], '... in 80 columns, but for reasons');

# ---- the self-test ----

my $mounted = grep { / tracefs / } do { open my $mounts, '<', '/proc/self/mounts'; readline $mounts };

sub verify {
    my ($name, @wrapper) = @_;
    my $run = run(@wrapper, qw(countertop --demo), $name, qw(--verify --format json));
    is($run->{err}, '', "$name: nothing on standard error");
    my @checks = json_lines($run->{out});
    is_deeply([map { join ' ', sort keys %$_ } @checks],
        [map { 'cause expected high low measured name type verdict what' } @checks], '... the keys');
    is($run->{status}, grep({ $_->{verdict} eq 'fail' } @checks) ? 1 : 0, '... the status');
    return @checks;
}

# Exact, whatever else runs.
my %exact = (faults => 3, owners => 5, ($page->{cpus} > 1 ? (migrate => 1) : ()), ($mounted ? (syscalls => 2) : ()));
for my $name (sort keys %exact) {
    my @checks = verify($name);
    is(scalar(@checks), $exact{$name}, "$name: all its checks");
    for my $check (@checks) {
        # A page that the kernel took back meanwhile is one more fault.
        my $more = $check->{what} =~ /^page-faults/ ? $check->{high} - $check->{expected} : 0;
        my $over = $check->{measured} - $check->{expected};
        ok($check->{verdict} eq 'pass' && $over >= 0 && $over <= $more, "$name: $check->{what}") or diag explain $check;
    }
}
my ($faults, $ledger) = map { $_->{measured} } (verify('faults'))[0, 2];
is("$faults $ledger", '1024 1024', 'both engines count the pages that were touched');

# The code view.
SKIP: {
    skip 'needs assembler', 1 if !$workload{deepstack}{measurable};
    my ($deep) = verify('deepstack');
    is(($deep->{measured} // 'nothing') . " $deep->{verdict}", '10 pass', 'ten frames') or diag explain $deep;
    for my $check (map { $workload{$_}{measurable} ? verify($_) : () } qw(hot3 inline offcpu)) {
        is($check->{verdict}, 'pass', "$check->{name}: $check->{what}") or diag explain $check;
    }
}

# Within bounds that what came between explains.
for my $name ('pingpong', 'clock') {
    for my $check (verify($name)) {
        is($check->{verdict}, 'pass', "$name: $check->{what}") or diag explain $check;
        cmp_ok($check->{low}, '<=', $check->{measured}, '... not less');
        cmp_ok($check->{measured}, '<=', $check->{high}, '... nor more');
    }
}
my ($switches) = verify('pingpong');
is($switches->{expected}, 1000, 'two switches a turn');

# The hardware half: numbers where there are counters, a reason where there are none.
for my $check (verify('loop'), verify('mul')) {
    next if $hardware;
    is($check->{verdict}, 'not measurable', "$check->{name}: $check->{what} is not measurable");
    is($check->{measured}, undef, '... missing is null, never 0');
    like($check->{cause}, qr/^no hardware counters/, '... with the reason');
}
SKIP: {
    skip 'there are counters', 1 if $hardware;
    my ($mul) = verify('mul');
    like($mul->{cause}, qr/; from time: about \d+\.\d\d$/, 'cycles by time are told apart');
}

# Without counters, time says whether workloads do what they teach. The least of fifteen runs is taken.
my %cycles;
sub cycles_of {
    my ($name) = @_;
    my ($check) = grep { $_->{what} =~ m{^cycles/} } verify($name);
    return ($check->{cause} // '') =~ /; from time: about (\d+\.\d\d)$/ ? $1 : undef;
}
$cycles{$_} = cycles_of($_) for qw(scalar vector frontend alias4k alias4k-not tlb tlb-huge);
note explain \%cycles;

# How many times as many one takes as the other. Others may have the caches for all of a measurement:
# then both are measured again.
sub times_longer {
    my ($one, $other, $times, $name) = @_;
    SKIP: {
        skip "the cycles of $one and $other are not known by time", 1 if !$cycles{$one} || !$cycles{$other};
        for (1 .. 4) {
            last if $cycles{$one} / $cycles{$other} > $times;
            $cycles{$_} = cycles_of($_) // die "no time of $_" for $one, $other;
        }
        cmp_ok($cycles{$one} / $cycles{$other}, '>', $times, $name);
    }
}
times_longer('scalar', 'vector', 1.5, 'vectors are quicker than scalar instructions');
times_longer('tlb', 'tlb-huge', 1.5, 'small pages are slower than huge ones');
SKIP: {
    my $cpu = slurp('/proc/cpuinfo');
    skip 'this processor may compare whole addresses', 1
        if $cpu !~ /GenuineIntel/ && $cpu !~ /AuthenticAMD\ncpu family\s*: 26\n/;
    times_longer('alias4k', 'alias4k-not', 1.3, 'a load that seems to be of the store waits');
}
SKIP: {
    skip 'there are counters, or no pipeline', 1 if !$cycles{frontend};
    # No processor that is known can do more than eight instructions a cycle; caches of code give less.
    cmp_ok($cycles{frontend}, '>', 63 / 8 * 1.2, 'code that no cache holds comes in slowly');
}

my $run = countertop(qw(--demo owners --verify));
is($run->{status}, 0, 'as text');
like($run->{out}, qr/^workload +counted +expected +measured verdict$/m, '... a table');
like($run->{out}, qr/^owners +page-faults of 2nd, ledger +750 +750 pass$/m, '... with the numbers');
like($run->{out}, qr/^5 pass, 0 fail, 0 not measurable, 0 too noisy$/m, '... and a sum');

# Without rights: what a user may count is right, too.
SKIP: {
    skip 'needs root', 1 if $> != 0;
    my %verdict = map { ("$_->{name} $_->{what}" => $_) } verify('faults', @as_nobody), verify('pingpong', @as_nobody);
    is($verdict{'faults page-faults'}{verdict}, 'pass', 'a user counts page faults');
    my $other = $verdict{'faults page-faults, ledger'};
    is($other->{verdict}, 'not measurable', '... not those of all tasks') if $page->{limits}{perf_event_paranoid} > 0;
    like($other->{cause}, qr/perf_event_paranoid/, '... and is told why') if $page->{limits}{perf_event_paranoid} > 0;
}

# ---- its processes ----

# The children of a process.
sub children {
    open my $file, '<', "/proc/$_[0]/task/$_[0]/children" or return;
    return split ' ', readline($file) // '';
}

# Without a terminal a workload is a process like any other, with its events.
my ($row) = map { @{$_->{tasks} // []} }
    json_lines(countertop(qw(-b -n 2 -d 0.2 --format json --no-config --demo faults))->{out});
is($row->{comm}, 'faults', 'a workload in batch mode');
cmp_ok($row->{counts}{'page-faults'}, '>', 0, '... with its event');
ok(!kill(0, $row->{pid}), '... ends with the program');

my $program = start(qw(countertop --demo all --verify));
my ($worker, $until) = (undef, time + 60);
($worker) = children($program->{pid}), sleep 0.005 while !$worker && time < $until;
ok($worker, 'a workload is a child process');
kill KILL => $program->{pid};
sleep 0.01 while -e "/proc/$worker" && time < $until;
ok(!-e "/proc/$worker", '... that ends with its parent, however that ends');
stop($program);

# ---- mistakes ----

for (
    [[qw(--demo fautls --verify)], qr/^countertop: unknown workload 'fautls': see --demo list; nearest is 'faults'$/],
    [[qw(--verify)], qr/^countertop: --verify goes with --demo NAME: see --help$/],
    [[qw(-b --demo fautls)], qr/^countertop: unknown workload 'fautls': see --demo list; nearest is 'faults'$/],
    [[qw(--demo faults)], qr/^countertop: standard input and output are not a terminal: use -b /],
    [[qw(-b --demo tour)], qr/^countertop: the tour needs a terminal: -b \(--batch\) has none$/],
    [[qw(--demo all)], qr/^countertop: --demo all goes with --verify; one is shown with --demo NAME$/],
    [[qw(--demo faults -p 1)], qr/^countertop: --pid cannot be used with --demo: see --help$/],
    [[qw(--demo faults -- ls)], qr/^countertop: --demo has no command: see --help$/],
    [[qw(--demo list --format csv)], qr/^countertop: --demo has the formats text and json: see --help$/],
) {
    my ($arguments, $message) = @$_;
    my $run = countertop(@$arguments);
    is($run->{status}, 2, "@$arguments is wrong usage");
    like($run->{err}, $message, '... with a message');
}
done_testing;
