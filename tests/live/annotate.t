#!/usr/bin/env perl
# The instructions of a function by samples of time: a chain of divisions, whose time is known to be
# spent at one of them; code of a process that has ended, and the kernel's.
use Countertop;
use List::Util qw(sum0);

my $x86 = `uname -m` =~ /^x86_64/;

# The refresh with these options that has most samples of the function: beside others a run that was
# recorded takes more than one interval.
sub annotated {
    my $samples = sub { ($_[0]{function} // {})->{samples} // 0 };
    my ($most) = sort { $samples->($b) <=> $samples->($a) } reverse refreshes(@_);
    return $most;
}

# ---- one instruction has almost all ----

my $found = annotated('--annotate', 'chain', '--sample', 'cpu-clock', '--', 'chain', 300);
my @listing = @{$found->{instructions}};
my $function = $found->{function};
is($function->{function}, 'chain', 'the function of that name');
cmp_ok($function->{share}, '>', 0.9, '... has most of the samples');
is(sum0(map { $_->{samples} } @listing), $function->{samples}, 'each of its samples is at an instruction');
cmp_ok($found->{sampling}{samples}, '>=', $function->{samples}, '... those of the run are more, or as many');
cmp_ok(abs(sum0(map { $_->{share} } @listing) - 1), '<', 1e-4, 'all shares are 1');
SKIP: {
    skip 'the text is known for x86', 3 if !$x86;
    my ($div) = grep { $listing[$_]{text} =~ /^div / } 0 .. $#listing;
    ok(defined $div, 'the division is found') or skip 'no division', 2;
    cmp_ok($listing[$div]{share} + $listing[$div + 1]{share}, '>', 0.5,
        'the division, or the instruction after it, has most of them');
    is_deeply([map { $_->{text} } @listing[$div + 1 .. $div + 3]],
        ['add $0x1, %rsi', 'xor $0x1, %rdi', 'dec %rcx'], 'what follows it');
}

SKIP: {
    skip 'the text is known for x86', 1 if !$x86;
    my $ended;
    for my $seconds (1, 5, 20) { # its list is read while it runs: beside others that takes longer
        my $run = countertop(qw(-b --format json --annotate made_loop --sample cpu-clock -- shares -s), $seconds, 'made');
        $ended = (json_lines($run->{out}))[-1];
        last if $ended->{function}{function};
    }
    my $listed = @{$ended->{instructions}};
    ok($listed == 3 || ($ended->{function}{reason} // '') =~ /^cannot read the memory of process \d+: /,
        'code made at run time, after its end: as it was, or the reason') or diag explain $ended->{function};
}

SKIP: {
    skip 'only root samples the kernel here', 1 if $> != 0;
    my $kernel = annotated('--view', 'instructions', '--sample', 'cpu-clock:k', '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=9000');
    my $listed = @{$kernel->{instructions}};
    -e '/proc/kcore' ? cmp_ok($listed, '>', 1, 'the kernel is listed from its memory')
        : is($kernel->{function}{reason}, q(cannot read the kernel's code in /proc/kcore: No such file or directory), 'why the kernel is not listed');
}
done_testing;
