# How true the counts are, in the emulated machine, where an instruction takes two cycles: loops of
# known length, counted in one group, and in two and three that take turns; beside tiptop.
package Truth;
use strict;
use warnings;
use Bench;
use Countertop;
use Exporter 'import';
use Guest;
use Slurp;

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
        'countertop -b -H --format json --engine cpu -d 1 -s software -e ' . join ',', @$events);
}

# What tiptop's columns Mcycle and Minst add up to for the pid, in events.
sub tiptop_sums {
    my ($text, $pid) = @_;
    my (%at, %sum);
    for (split /\n/, $text) {
        my @cells = split;
        if (/\bMcycle\b/) {
            my $bracket = grep { $_ eq '[' } @cells; # of a title, with a blank behind it
            $at{$cells[$_]} = $_ - $bracket for 0 .. $#cells;
        }
        next if !%at || ($cells[0] // '') !~ /^$pid\D?$/;
        for (['Mcycle', 'cycles:u'], ['Minstr', 'instructions:u']) {
            my ($title, $event) = @$_;
            my $cell = defined $at{$title} ? $cells[$at{$title}] : undef;
            $sum{$event} += 1e6 * $cell if ($cell // '') =~ /^[\d.]+$/;
        }
    }
    return \%sum;
}

sub countertop_sums {
    my ($text, $tid) = @_;
    my (%sum, %covered);
    for my $task (map { grep { $_->{tid} == $tid } @{$_->{tasks} // []} } json_lines($text)) {
        $sum{$_} += $task->{counts}{$_} // 0 for keys %{$task->{counts}};
        $covered{$_} += ($task->{coverage}{$_} // 1) * $task->{oncpu} for keys %{$task->{counts}};
        $sum{oncpu} += $task->{oncpu};
    }
    my ($least) = sort { $a <=> $b } values %covered;
    $sum{coverage} = $least / $sum{oncpu} if $sum{oncpu};
    return \%sum;
}

# Runs rows, [name, n, command]: {name => [{event => count}, ...]} of the two loops.
sub run_rows {
    my @add = -x "$top/build-arm64/tiptop/tiptop" ? ('--add', "$top/build-arm64/tiptop") : ();
    my $arguments = join ' ', map { "'$_'" } map { @$_ } @_;
    my $run = guest("set -- $arguments\n" . slurp("$top/tests/bench/guest/truth.sh"),
        '--smp', 1, '--shift', $shift, '--seconds', 400, '--append', 'norandmaps', @add);
    print $run->{err};
    my %rows;
    for (split /^row /m, $run->{out}) {
        my ($name, $one, $two, $text) = /\A(.*?)\n\d+ (\d+) (\d+)\n(.*)\z/s or next;
        $rows{$name} = [map { $text =~ /^\{/ ? countertop_sums($text, $_) : tiptop_sums($text, $_) }
                $one, $two];
    }
    return \%rows;
}

# What the loops count besides their length, known from shorter ones.
sub starts {
    my ($n, @loops) = @_;
    return map { ($loops[$_]{'instructions:u'} // 0) - $n * (1 + $_ / 4) } 0, 1;
}

# For each row {name, coverage, errors => {event => [relative, of each loop]}, off}: coverage is the
# least of an event of the first loop, in the mean over its time; off is by how many events both are
# wrong, together.
sub truth_rows {
    my ($short, $long, @tiptop) = @_;
    my @rows = map { [countertop_row($_->[0], $_->[0] eq 'one group' ? $short : $long, $_->[1])] }
        @groups;
    push @rows, map { [$_->[0], $long, $_->[1]] } @tiptop;
    my $seen = run_rows([countertop_row('start', $short / 10, $groups[0][1])], @rows);
    my @starts = starts($short / 10, @{$seen->{start} // [{}, {}]});
    my @results;
    for (@rows) {
        my ($name, $n) = @$_;
        my @loops = @{$seen->{$name} // []} or next;
        my (%errors, $off);
        for my $event (grep { defined $loops[0]{$_} && defined $loops[1]{$_} } @known) {
            my $cycles = $event =~ /cycles|r11/ ? 2**$shift : 1;
            for my $i (0, 1) {
                my $wanted = ($n * (1 + $i / 4) + $starts[$i]) * $cycles;
                my $wrong = abs($loops[$i]{$event} - $wanted);
                push @{$errors{$event}}, $wrong / $wanted;
                $off += $wrong;
            }
        }
        push @results,
            {name => $name, errors => \%errors, off => $off, coverage => $loops[0]{coverage}};
    }
    return @results;
}

my @columns = (['counted part', '%.2f'], ['mean error %', '%.3f'], ['most error %', '%.3f'],
    ['off by', '%.0f']);

sub measure_all {
    print "\nCounts of two loops of known length that share a CPU, in the emulated machine: 10 s\n";
    my $missing = guest_missing();
    return left_out('truth', $missing) if $missing;
    my ($short, $long) = quick() ? (2e7, 2e8) : (2e8, 2.2e9);
    # Many refreshes: it writes by the block, and what it has not written when it is ended is lost.
    my @tiptop = map { ['tiptop', 'tiptop -b -H -d 0.1'] } with_tiptop(['tiptop', 'tiptop']);
    header('instructions and cycles', @columns);
    for my $row (truth_rows($short, $long, @tiptop)) {
        my @errors = map { 100 * $_ } map { @$_ } values %{$row->{errors}};
        my ($mean, $most) = (0, 0);
        $mean += $_ / @errors for @errors;
        $most = $_ > $most ? $_ : $most for @errors;
        row($row->{name}, \@columns, $row->{coverage}, @errors ? ($mean, $most, $row->{off}) : ());
        goal($row->{name}, '%.3f %%', $mean, $row->{name} eq 'one group' ? 0 : 1)
            if @errors && $row->{name} ne 'tiptop';
    }
}

1;
