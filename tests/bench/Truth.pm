# How true the counts are, in the emulated machine, where an instruction takes two cycles: loops of
# known length, counted in one group, and in two and three that take turns; beside tiptop.
package Truth;
use strict;
use warnings;
use Bench;
use Countertop;
use Exporter 'import';
use Guest;

our @EXPORT_OK = qw(truth_rows);
my ($top, $shift) = ($ENV{TOP}, 1);

# The same two events over and over under names of their own, four for a loop's own instructions.
my @known = qw(instructions:u cycles:u r08:u r11:u);
my @others = map { my $event = $_; map { "$event$_" } '', ':k' } qw(instructions cycles r08 r11);
my @more = map { "$_:uk" } qw(instructions cycles r08 r11);
my @groups = (
    ['one group', [@known[0, 1]]],
    ['two groups', [@known, @others]],
    ['three groups', [@known, @others, @more]],
);

sub countertop_row {
    my ($name, $n, $events) = @_;
    return ($name, $n,
        'countertop -b --format json --engine cpu -d 1 -s software -e ' . join ',', @$events);
}

# What tiptop's columns Mcycle and Minst add up to for the pid, in events.
sub tiptop_sums {
    my ($text, $pid) = @_;
    my (%at, %sum);
    for (split /\n/, $text) {
        my @cells = split;
        if (/\bMcycle\b/) {
            my ($shift) = grep { $cells[$_] eq 'PID' } 0 .. $#cells;
            $at{$cells[$_]} = $_ - ($shift // 0) for 0 .. $#cells;
        }
        next if !%at || $cells[0] !~ /^$pid[+*]?$/;
        for (['Mcycle', 'cycles:u'], ['Minstr', 'instructions:u'], ['Minst', 'instructions:u']) {
            my ($title, $event) = @$_;
            $sum{$event} += 1e6 * $cells[$at{$title}] if defined $at{$title};
        }
    }
    return \%sum;
}

sub countertop_sums {
    my ($text, $pid) = @_;
    my (%sum, %coverage);
    for my $task (map { grep { $_->{pid} == $pid } @{$_->{tasks} // []} } json_lines($text)) {
        $sum{$_} += $task->{counts}{$_} // 0 for keys %{$task->{counts}};
        $coverage{$_} = $task->{coverage}{$_} for keys %{$task->{coverage}};
    }
    $sum{coverage} = \%coverage;
    return \%sum;
}

# Runs rows, [name, n, command]: {name => [{event => count}, ...]} of the two loops.
sub run_rows {
    my @add = -x "$top/build-arm64/tiptop/tiptop" ? ('--add', "$top/build-arm64/tiptop") : ();
    my $run = run("$top/tests/pmu/guest", '--smp', 1, '--shift', $shift, '--timeout', 400, '--append',
        'norandmaps', @add, "$top/tests/bench/guest/truth.sh", map { @$_ } @_);
    print $run->{err};
    my %rows;
    for (split /^row /m, $run->{out}) {
        my ($name, $one, $two, $text) = /\A(.*)\npids (\d+) (\d+)\n(.*)\z/s or next;
        $rows{$name} = [map { $text =~ /^\{/ ? countertop_sums($text, $_) : tiptop_sums($text, $_) }
                $one, $two];
    }
    return \%rows;
}

# For each row {name, groups, coverage, errors => {event => [of each loop, relative]}, difference}:
# the latter is by how much the second loop has not exactly a quarter more instructions, an event's
# count less the start of the program, which is the same for both.
sub truth_rows {
    my ($short, $long, @tiptop) = @_;
    my @rows = map { [countertop_row($_->[0], $_->[0] eq 'one group' ? $short : $long, $_->[1])] }
        @groups;
    push @rows, map { [$_->[0], $long, $_->[1]] } @tiptop;
    my $seen = run_rows(@rows);
    my $start = ($seen->{'one group'} // [{}])->[0]{'instructions:u'} // 0;
    $start -= $short;
    my @results;
    for (@rows) {
        my ($name, $n) = @$_;
        my ($one, $two) = @{$seen->{$name} // []};
        next if !$one;
        my %errors;
        for my $event (grep { defined $one->{$_} && defined $two->{$_} } @known) {
            my $cycles = $event =~ /cycles|r11/ ? 2**$shift : 1;
            my @wanted = map { ($_ + $start) * $cycles } $n, $n + $n / 4;
            $errors{$event} = [abs($one->{$event} / $wanted[0] - 1), abs($two->{$event} / $wanted[1] - 1)];
        }
        my @parts = values %{$one->{coverage} // {}};
        push @results, {
            name => $name,
            errors => \%errors,
            difference => ($two->{'instructions:u'} // 0) - ($one->{'instructions:u'} // 0) - $n / 4,
            coverage => @parts ? (sort { $a <=> $b } @parts)[0] : 1,
        };
    }
    return @results;
}

my @columns = (['least coverage', '%.2f'], ['mean error %', '%.3f'], ['most error %', '%.3f'],
    ['differs by', '%.0f']);

sub measure_all {
    print "\nCounts of two loops that share a CPU, of known length, 10 s of an emulated Arm machine\n";
    my $missing = guest_missing();
    return left_out('truth', $missing) if $missing;
    my ($short, $long) = quick() ? (2e7, 2e8) : (2e8, 2.2e9);
    my @tiptop = map { ['tiptop', 'tiptop -b -d 1'] } with_tiptop(['tiptop', 'tiptop']);
    header('instructions and cycles', @columns);
    for my $row (truth_rows($short, $long, @tiptop)) {
        my @errors = map { 100 * $_ } map { @$_ } values %{$row->{errors}};
        my ($mean, $most) = (0, 0);
        $mean += $_ / @errors for @errors;
        $most = $_ > $most ? $_ : $most for @errors;
        # Of what was scaled a difference of single instructions says nothing.
        my $exact = $row->{name} eq 'one group' ? $row->{difference} : undef;
        row($row->{name}, \@columns, $row->{coverage}, @errors ? ($mean, $most) : (undef, undef), $exact);
        goal($row->{name}, '%.3f %%', $mean, $row->{name} eq 'one group' ? 0 : 1)
            if @errors && $row->{name} ne 'tiptop';
    }
}

1;
