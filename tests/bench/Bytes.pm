# What a refresh writes to the terminal: what a slow line has to carry.
package Bytes;
use strict;
use warnings;
use Bench;
use Compile;
use Countertop;
use File::Path 'make_path';
use Time::HiRes qw(sleep time);

my $delay = quick() ? 0.5 : 1;
my $refreshes = quick() ? 2 : 20;
my @sizes = quick() ? ([80, 24]) : ([80, 24], [200, 50]);
my @loads = (
    {name => 'nothing else runs'},
    {name => 'make -j2 of this program', command => \&compile},
    {name => '20 threads wake 100 times a second', command => sub { start(qw(sleepers -a 20 100)) }},
    {name => 'two processes compute', command => sub { map { start(qw(spin -s 600)) } 1 .. 2 }},
);
# The goal: of what htop writes. A screen that is not built in has no trend.
my @programs = (
    {name => 'countertop', command => ['countertop', '-d', $delay], goal => 1},
    {name => 'countertop, neither bars nor trend', goal => 0.5,
        command => ['countertop', '-d', $delay, '--bars', 'off', '-s', 'plain']},
    {name => 'countertop -H', command => ['countertop', '-H', '-d', $delay]},
    {name => 'top', command => ['top', '-d', $delay]},
    {name => 'htop', command => ['htop', '-d', 10 * $delay]},
    {name => 'btop', command => ['btop']},
);

# The screen 'software' without the columns that are there where there is room.
sub make_plain_screen {
    my $dir = "$ENV{HOME}/.config/countertop";
    make_path($dir);
    open my $file, '>', "$dir/plain.ini" or die "bench: $dir: $!\n";
    print $file "[screen plain]\nevents = context-switches,cpu-migrations,page-faults\n",
        "columns = pid user cpu cpu_pct ctxsw_per_s migrations_per_s faults_per_s command\n";
    close $file or die "bench: $dir: $!\n";
}

# btop takes its delay from there only.
sub set_btop_delay {
    my $dir = "$ENV{HOME}/.config/btop";
    make_path($dir);
    open my $file, '>', "$dir/btop.conf" or die "bench: $dir: $!\n";
    print $file 'update_ms = ', 1000 * $delay, "\n";
    close $file or die "bench: $dir: $!\n";
}

# Again and again, as long as it is needed.
sub compile {
    my $dir = Compile::make_job();
    return start('sh', '-c', "while make -s -j2 -C $dir B=build build; do rm -rf $dir/build; done 2>$dir/errors");
}

# Starts a program on a terminal of that size; what it writes comes to us.
sub open_screen {
    my ($program, $columns, $rows) = @_;
    my $seconds = 10 + int($delay * ($refreshes + 4));
    return {program => start('onscreen', $seconds, $columns, $rows, @{$program->{command}}),
        bytes => 0, refreshes => 0, last => 0};
}

# Reads what all of them write for that many seconds. A pause begins a refresh: on a busy machine
# not all programs have as many.
sub run_for {
    my ($seconds, @screens) = @_;
    my $end = time + $seconds;
    while ((my $left = $end - time) > 0) {
        my $wanted = '';
        vec($wanted, fileno $_->{program}{out}, 1) = 1 for @screens;
        select($wanted, undef, undef, $left) > 0 or last;
        for my $screen (grep { vec $wanted, fileno $_->{program}{out}, 1 } @screens) {
            my $got = sysread $screen->{program}{out}, my $bytes, 1 << 16;
            die "bench: the screen of a program is gone\n" if !$got;
            $screen->{bytes} += $got;
            $screen->{refreshes}++ if time - $screen->{last} > $delay / 5;
            $screen->{last} = time;
        }
    }
}

# All at once, so that they see the same.
sub measure {
    my ($columns, $rows) = @_;
    my @screens = map { open_screen($_, $columns, $rows) } @programs;
    run_for(3.5 * $delay, @screens); # the first refreshes fill the screen
    @$_{qw(bytes refreshes)} = (0, 0) for @screens;
    run_for($refreshes * $delay, @screens);
    stop($_->{program}) for @screens;
    return map { $programs[$_]{name} => $screens[$_]{bytes} / ($screens[$_]{refreshes} || 1) } 0 .. $#programs;
}

my @columns = (['bytes', '%.0f'], ['to htop', '%.2f'], ['to top', '%.2f'], ['to btop', '%.2f']);

sub table {
    my ($title, %bytes) = @_;
    header($title, @columns);
    for my $name (map { $_->{name} } @programs) {
        row($name, \@columns, $bytes{$name},
            map { $bytes{$_} ? $bytes{$name} / $bytes{$_} : undef } qw(htop top btop));
    }
    ratio("bytes of countertop to btop, $title", '%.2f', $bytes{countertop} / $bytes{btop}, 1 / 3) if $bytes{btop};
    return if !$bytes{htop};
    ratio("bytes of $_->{name} to htop, $title", '%.2f', $bytes{$_->{name}} / $bytes{htop}, $_->{goal})
        for grep { $_->{goal} } @programs;
}

sub measure_all {
    print "\nBytes written to the terminal (TERM=$ENV{TERM}) in a refresh, one each $delay s;\n",
        "all run at the same time\n";
    for my $program (@programs) {
        $program->{missing} = !have($program->{command}[0]);
        left_out($program->{name}, 'it is not installed') if $program->{missing};
    }
    @programs = grep { !$_->{missing} } @programs;
    make_plain_screen();
    set_btop_delay();
    for my $load (quick() ? $loads[0] : @loads) {
        my @work = $load->{command} ? $load->{command}->() : ();
        sleep 0.5;
        table("$_->[0]x$_->[1], $load->{name}", measure(@$_)) for @sizes;
        stop($_) for @work;
    }
}

1;
