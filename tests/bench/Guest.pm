# The parts of the bench that run in the emulated machine, where time is exact: its clock goes on
# by one nanosecond for each instruction, of whatever CPU, however slow the host is.
package Guest;
use strict;
use warnings;
use Bench;
use Countertop;
use Exporter 'import';

our @EXPORT = qw(guest_missing with_tiptop guest_rows);
my ($top, $seconds) = ($ENV{TOP}, 900);
my $tiptop = "$top/build-arm64/tiptop";

# Why the machine can't be used, undef if it can.
sub guest_missing {
    return 'build-arm64/countertop is not there (make arm64)'
        if !-x "$top/build-arm64/countertop" || !-x "$top/build-arm64/work/spend";
    return 'qemu-system-aarch64 is not installed' if !have('qemu-system-aarch64');
    return undef;
}

# The rows without those that need tiptop, if it isn't there.
sub with_tiptop {
    my @rows = @_;
    # A test must not depend on a network.
    my $run = -x "$tiptop/tiptop" ? undef
        : quick() ? {status => 1, err => 'make bench fetches it'}
        : run("$top/tests/bench/tiptop", $tiptop);
    return @rows if !$run || $run->{status} == 0;
    chomp(my $why = $run->{err} || 'its package cannot be fetched');
    $why =~ s/\n/; /g;
    left_out($_->[0], $why) for grep { $_->[1] =~ /^tiptop/ } @rows;
    return grep { $_->[1] !~ /^tiptop/ } @rows;
}

# Runs a script of tests/bench/guest, on a machine of so many CPUs, with [name, command] rows: {name => [fields]}.
sub guest_rows {
    my ($script, $cpus, $arguments, @rows) = @_;
    my @add = map { -e $_ ? ('--add', $_) : () } $tiptop, "$top/build-arm64/bench/minimal";
    my $run = run("$top/tests/pmu/guest", '--smp', $cpus, '--seconds', $seconds, @add,
        "$top/tests/bench/guest/$script", @$arguments, map { @$_ } @rows);
    print $run->{err};
    my %fields;
    for (split /\n/, $run->{out}) {
        my ($name, @values) = split /\t/;
        $fields{$name} = [map { $_ eq '' ? undef : $_ } @values];
    }
    return %fields;
}

1;
