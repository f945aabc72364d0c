#!/usr/bin/env perl
# --demo NAME --verify of workloads that take time or samples, and --demo all: each check passes, or says
# why it cannot be made here. What is exact: tests/cli/demo.t.
use Countertop;

my %workload = map { $_->{name} => $_ } json_lines(countertop(qw(--demo list --format json))->{out});
my $hardware = (json_lines(countertop(qw(--check --format json))->{out}))[0]{result} eq 'hardware';
my $mounted = slurp('/proc/self/mounts') =~ / tracefs /;

sub verify {
    my ($name) = @_;
    return json_lines(countertop('--demo', $name, qw(--verify --format json))->{out});
}

for my $name ('owners', $mounted ? 'syscalls' : ()) {
    ok($_->{verdict} eq 'pass', "$name: $_->{what}") or diag explain $_ for verify($name);
}

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

my $all = countertop(qw(--demo all --verify));
is($all->{status}, 0, '--demo all --verify');
like($all->{out}, qr/^\d+ pass, 0 fail, /m, '... no check fails') or diag $all->{out};
done_testing;
