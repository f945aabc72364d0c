# What a key and a refresh take in the terminal where very many rows are shown.
package Keys;
use strict;
use warnings;
use Bench;
use Countertop;
use Pty;
use Sleepers;
use Slurp;

my $threads = quick() ? 100 : 30_000;
my $refreshes = quick() ? 2 : 12;
my ($key_goal, $refresh_goal) = (20, 50); # ms

# What is typed, one key after the other; words are keys.
my %bytes = (Down => "\e[B", PgDn => "\e[6~", End => "\e[F", Home => "\e[H", Tab => "\t", Esc => "\e",
    Enter => "\r", Space => ' ', F6 => "\e[17~", F7 => "\e[18~");
my @series = (
    ['moving', qw(Down Down Down PgDn PgDn PgDn End Home 1 2 3 Home)],
    ['sorting', qw(< > < > I I P F6 Down Enter P)],
    ['searching', qw(/ s l e e p Esc)],
    ['filtering', qw(\\ s l e e p e r Esc)],
    ['filtering by a condition', qw(\\ c p u Space > Space 0 Esc)],
    ['tree', qw(t Down - + * * t Home)],
    ['threads, processes', qw(H H H H)],
    ['views', qw(Tab Tab Tab Tab Tab)],
    ['details', qw(Down Enter Down Esc)],
    ['amounts, digits, commands', qw(o o o X X c c)],
    ['tags, what ended', qw(Down Space Down Space U S S)],
    ['catalogue', qw(F7 c a Esc)],
);

# CPU milliseconds so far of the thread that shows, which is the first one, and of that which counts.
sub spent {
    my ($pid) = @_;
    my %ms = (shows => 0, counts => 0);
    for my $task (glob "/proc/$pid/task/*") {
        my $who = $task =~ m{/$pid\z} ? 'shows' : 'counts';
        $ms{$who} += ((split ' ', slurp_or_empty("$task/schedstat"))[0] // 0) / 1e6;
    }
    return \%ms;
}

# Types a key, and waits until nothing has been computed for so long: what it took.
sub cost {
    my ($screen, $typed, $seconds) = @_;
    my $before = spent($screen->{pid});
    $screen->type($typed);
    my ($now, $quiet, $moment) = ($before, 0, 0.03);
    while ($quiet < ($seconds // 0.09)) {
        my $last = $now;
        $screen->read($moment);
        $now = spent($screen->{pid});
        $quiet = "@$now{qw(shows counts)}" eq "@$last{qw(shows counts)}" ? $quiet + $moment : 0;
    }
    $screen->{output} = '';
    return {map { $_ => $now->{$_} - $before->{$_} } keys %$now};
}

my @columns = (['median ms', '%.2f'], ['most ms', '%.2f'], ['number', '%d']);

sub line {
    my ($name, @ms) = @_;
    my ($most) = sort { $b <=> $a } @ms;
    row($name, \@columns, median(@ms), $most, scalar @ms);
    return $most;
}

sub measure {
    my ($screen) = @_;
    # Until then the names of all are asked for.
    await('no row', sub { $screen->read(0.1); $screen->{output} =~ /root/ });
    cost($screen, 'r', 0.3) for 1 .. 3;
    header("$threads rows", @columns);
    my @most;
    for my $series (@series) {
        my ($name, @keys) = @$series;
        push @most, line($name, map { cost($screen, $bytes{$_} // $_)->{shows} } @keys);
    }
    my @refreshes = map { cost($screen, 'r', 0.3) } 1 .. $refreshes;
    line('refresh, the thread that shows', map { $_->{shows} } @refreshes);
    line('refresh, the one that counts', map { $_->{counts} } @refreshes);
    my ($most) = sort { $b <=> $a } @most;
    goal('ms of any key', '%.2f', $most, $key_goal);
    goal('ms of a refresh, both threads', '%.2f',
        median(map { $_->{shows} + $_->{counts} } @refreshes), $refresh_goal);
}

sub measure_all {
    print "\nCPU time of the thread that shows to answer a key, threads and idle ones shown (-H -i)\n";
    my $why = Sleepers::limit($threads);
    return left_out("$threads rows", $why) if $why;
    my $sleepers = start('sleepers', '-a', 20, $threads);
    return left_out("$threads rows", 'the kernel refuses') if !defined next_line($sleepers);
    # It refreshes when it is told to, so that nothing else is measured.
    my $screen = Pty->start({width => 160, height => 50}, qw(countertop -H -i -d 3600 --no-config));
    measure($screen);
    $screen->close;
    stop($sleepers);
}

1;
