#!/usr/bin/env perl
# Recordings of programs that are killed at random moments: each file is intact, has all intervals
# that were printed, and replays them with the same numbers.
use Countertop;
use Time::HiRes 'sleep';

my $dir = tempdir(CLEANUP => 1);
my $recordings = 15;
my $together = 5;
srand(my $seed = $$);
note "seed $seed";

sub start_recording {
    my ($path) = @_;
    my $victim = start(qw(countertop -b -s software --format json -d 0.05 --record), $path);
    $victim->{path} = $path;
    return $victim;
}

# What was told before it was killed: whole lines.
sub kill_recording {
    my ($victim) = @_;
    my $told = '';
    for (0 .. 1 + int rand 4) {
        $told .= next_line($victim) // '';
    }
    sleep rand 0.1;
    kill KILL => $victim->{pid};
    return grep { $_->{type} eq 'refresh' } json_lines(($told . finish($victim)->{out}) =~ s/[^\n]+\z//r);
}

# What has to be the same in an interval that is shown again.
sub numbers {
    my ($refresh) = @_;
    return [@$refresh{qw(seq time interval total idle unattributed)},
        [map { [$_->{cpu}, $_->{counts}] } @{$refresh->{cpus}}],
        {map { ("$_->{pid}/$_->{comm}" => $_->{counts}) } @{$refresh->{tasks}}}];
}

# Why a file is not as it should be; '' when it is.
sub fault {
    my ($path, $run, @told) = @_;
    my $check = run('sqlite3', $path, 'PRAGMA integrity_check', 'SELECT count(*) FROM intervals',
        'SELECT count(*) FROM intervals i WHERE task_last - task_first + 1 = ' .
        '(SELECT count(*) FROM task_packs WHERE id BETWEEN i.task_first AND i.task_last) AND ' .
        'cpu_last - cpu_first + 1 = ' .
        '(SELECT count(*) FROM cpu_rows WHERE id BETWEEN i.cpu_first AND i.cpu_last)');
    return "sqlite3: $check->{out}$check->{err}" if $check->{out} !~ /^ok\n(\d+)\n\1\n\z/;
    my $replay = countertop(qw(-b -s software --format json --replay), $path);
    return "replay: $replay->{err}" if $replay->{status} || $replay->{err} ne '';
    my @runs = split /^\{"type":"header".*\n/m, $replay->{out};
    my @shown = json_lines($runs[$run]);
    return @shown . ' of ' . @told . ' intervals' if @shown < @told;
    for my $i (0 .. $#told) {
        $shown[$i]{seq} = $told[$i]{seq}; # it goes on in a file that had others
        next if eq_array(numbers($shown[$i]), numbers($told[$i]));
        diag 'interval ', $i + 1;
        is_deeply(numbers($shown[$i]), numbers($told[$i]), 'the numbers');
        return 'other numbers';
    }
    return '';
}

my (@faults, $intervals);
for my $batch (1 .. $recordings / $together) {
    my @victims = map { start_recording("$dir/$batch.$_.db") } 1 .. $together;
    for my $victim (@victims) {
        my @told = kill_recording($victim);
        $intervals += @told;
        my $fault = fault($victim->{path}, 1, @told);
        push @faults, "$victim->{path}: $fault" if $fault ne '';
    }
}
is_deeply(\@faults, [], "$recordings recordings that were killed are sound, and whole");
cmp_ok($intervals, '>=', $recordings, '... with intervals in them');

# Gone on with, and killed again.
@faults = ();
for my $batch (1) {
    my $path = "$dir/$batch.1.db";
    my @told = kill_recording(start_recording($path));
    my $fault = fault($path, 2, @told);
    push @faults, "$path: $fault" if $fault ne '';
}
is_deeply(\@faults, [], 'so they are when they were gone on with and killed once more');
done_testing;
