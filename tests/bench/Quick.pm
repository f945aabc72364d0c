# The five figures that matter, in a minute, as ratios to peers in the same run: what a start takes, when
# the first table comes, what a refresh takes beside a thousand threads that wake, what a switch takes
# countertop itself, and what it costs those who are watched. The minimal reader (minimal.c) does the
# least that a reader of all switches can do.
package Quick;
use strict;
use warnings;
use Bench;
use Countertop;
use File::Temp 'tempdir';
use Slurp;
use Time::HiRes qw(sleep time);

my $rounds = quick() ? 1 : 5;
my $seconds = quick() ? 0.2 : 0.5;
my $threads = quick() ? 100 : 1_000;
my $events = 'context-switches,cpu-migrations,page-faults,task-clock'; # minimal 3 reads the same

sub load {
    return (split ' ', slurp('/proc/loadavg'))[0];
}

# ms of CPU of a command that ends.
sub start_cost {
    my $run = run('perf', 'stat', '-x,', '-e', 'task-clock', @_);
    return $run->{err} =~ /^([\d.]+),/m ? $1 : undef;
}

# Seconds until a terminal shows a row of the program of that name.
sub first_row {
    my ($name, @command) = @_;
    my $file = tempdir(CLEANUP => 1) . '/screen';
    my $began = time;
    my $program = start('sh', '-c', "exec script -qfc 'stty rows 50 columns 160; exec @command' $file >/dev/null 2>&1");
    await('no row', sub { slurp_or_empty($file) =~ /\b$name\b/ });
    my $passed = time - $began;
    stop($program);
    return $passed;
}

# ms of CPU in a second, of terminals that run side by side: {name => [figures]}.
sub refresh_costs {
    my @peers = @_;
    my $sleepers = start('sleepers', '-a', $threads, 0);
    my @started = map { launch({command => $_->{command}, terminal => $_->{terminal}}) } @peers;
    sleep 2; # what is done once at the start is not counted
    my %taken;
    for (1 .. $rounds) {
        my @before = map { cpu_seconds($_->{pid}) } @started;
        sleep 1;
        push @{$taken{$peers[$_]{name}}}, (cpu_seconds($started[$_]{pid}) - $before[$_]) * 1e3 for 0 .. $#peers;
    }
    stop($_->{program}) for @started;
    stop($sleepers);
    return %taken;
}

# Rows of a table, {name => [figures]}, and the ratios of the first to the others.
sub show {
    my ($title, $unit, $format, $taken, @names) = @_;
    my @columns = ([$unit, $format], ['least', $format], ['most', $format]);
    header("$title (load average " . load() . ')', @columns);
    my %median;
    for my $name (grep { $taken->{$_} } @names) {
        my @sorted = sort { $a <=> $b } @{$taken->{$name}};
        $median{$name} = median(@sorted);
        row($name, \@columns, $median{$name}, @sorted[0, -1]);
    }
    my ($own, @others) = @names;
    ratio("$title: $own to $_", '%.2f', $median{$own} / $median{$_}) for grep { $median{$_} } @others;
    printf "  %s: %s\n", $title, join ', ',
        map { sprintf '%.2f of %s', $median{$own} / $median{$_}, $_ } grep { $median{$_} } @others;
}

sub measure_all {
    print "\nThe five figures, median of $rounds rounds in turn, beside what is installed\n";
    my %taken;
    my @terminals = (['countertop'], map { have($_) ? [$_, '-d', $_ eq 'htop' ? 10 : 1] : () } qw(top htop));
    my @tables = ([qw(countertop -b -n 1 -d 0.1)], have('top') ? [qw(top -b -n 1)] : ());
    if (have('perf')) {
        for my $round (1 .. $rounds) {
            push @{$taken{$_->[0]}}, start_cost(@$_) for @tables;
        }
        show('one table', 'ms of CPU', '%.1f', \%taken, qw(countertop top));
    } else {
        left_out('one table', 'perf is not installed');
    }
    if (have('script')) {
        my $spin = start(qw(spin));
        %taken = ();
        for my $round (1 .. $rounds) {
            push @{$taken{$_->[0]}}, first_row('spin', @$_) for @terminals;
        }
        stop($spin);
        show('first row', 'seconds', '%.3f', \%taken, qw(countertop top htop));
        my @peers = map { {name => $_->[0], command => $_, terminal => 1} } @terminals;
        %taken = refresh_costs(@peers, {name => 'countertop -b', command => [qw(countertop -b -H)]});
        show("a second beside $threads threads that wake", 'ms of CPU', '%.1f', \%taken, $_, qw(top htop))
            for 'countertop', 'countertop -b';
    } else {
        left_out('terminals', 'script is not installed');
    }
    measure_switches();
}

sub measure_switches {
    my $game = start_pingpong();
    my @watchers = (
        {name => 'alone'},
        {name => 'minimal reader', command => ["$ENV{B}/bench/minimal", 3]},
        {name => 'countertop', command => [qw(countertop -b -H --engine cpu -d 10 -e), $events]},
        have('perf') ? {name => 'perf stat --per-thread',
            command => [qw(perf stat --per-thread -I 1000 -e), $events, '-p', $game->{pid}]} : (),
    );
    my (%us, %own);
    for my $round (1 .. $rounds) {
        for my $watcher (@watchers) {
            my $costs = switch_costs($seconds, [$game->{pid}], @{$watcher->{command} // []});
            push @{$us{$watcher->{name}}}, $costs->{us};
            push @{$own{$watcher->{name}}}, $costs->{own} * 1e9 / $costs->{rate};
            failed("$watcher->{name}: $costs->{lost} records were lost") if $costs->{lost};
        }
    }
    stop($game);
    delete $own{alone};
    show('own time for a switch', 'ns', '%.1f', \%own, 'countertop', 'minimal reader');
    show('a switch of the watched', 'us', '%.3f', \%us, 'countertop', 'alone', 'minimal reader', 'perf stat --per-thread');
    my ($own, $minimal, $alone) = map { median(@{$us{$_}}) } 'countertop', 'minimal reader', 'alone';
    goal('what the watched pay beyond the minimal reader', '%.2f', ($own - $minimal) / $alone, 0.05);
}

1;
