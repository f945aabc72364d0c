#!/usr/bin/env perl
# If descriptors run out, the busiest threads are counted, the others are reported with the remedy,
# and all are counted when the limit is raised.
use Countertop;

my ($asleep, $awake) = (1000, 5);
my $work = start('sleepers', '-a', $awake, $asleep);
next_line($work);
my $threads = $asleep + $awake + 1;
my @limited = ('sh', '-c', 'ulimit -n 60 && exec "$@"', 'sh');
my @common = (qw(countertop -b --format json --engine task -e page-faults -s software -d 0.1 -p),
    $work->{pid});

my $watch = start(@limited, @common, '-H');
my $header = next_refresh($watch);
like($header->{notice}, qr/^no descriptors for \d+ threads \(the limit is 60\): run 'ulimit -n (\d+)' before the start, or set LimitNOFILE=\1 for a service/,
    'the limit and the command that raises it are told');

sub counted {
    return grep { defined $_->{oncpu} } @{$_[0]{tasks}};
}

# Refreshes until a condition holds, at most that many.
sub until_true {
    my ($most, $condition) = @_;
    my $refresh;
    do {
        $refresh = next_refresh($watch) // return;
        return $refresh if $condition->($refresh);
    } while $most-- > 0;
    return;
}

my $best = until_true(60, sub { counted($_[0]) == $awake });
ok($best, 'the threads that work are counted before long');
is((grep { !defined $_->{oncpu} } @{$best->{tasks}}), $best->{starved_tasks},
    '... those that are not have no numbers');
cmp_ok($best->{starved_tasks}, '>', 950, '... which are nearly all');
is((grep { defined } map { values %{$_->{counts}} } grep { !defined $_->{oncpu} }
    @{$best->{tasks}}), 0, '... of no event');
is((grep { $_->{oncpu} > 0.2 } counted($best)), 0, '... and the numbers are sensible');
cmp_ok($best->{self}{descriptors}, '<=', 60, '... within the limit');

stop($watch);

# With -i they stay, also where the screen would keep files of shown tasks open.
$watch = start('sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh', @common, qw(-H -i));
next_refresh($watch);
for my $seq (1 .. 6) {
    my $refresh = next_refresh($watch);
    is(@{$refresh->{tasks}}, $threads, "refresh $seq has all threads");
    is($refresh->{starved_tasks}, scalar(grep { !defined $_->{oncpu} } @{$refresh->{tasks}}), '... and says how many are not counted');
}
stop($watch);

# A process is counted as a whole or not at all.
$watch = start(@limited, @common);
next_refresh($watch);
my $refresh = next_refresh($watch);
is_deeply([map { $_->{oncpu} } @{$refresh->{tasks}}], [undef], 'a sum without its parts is not known');
is($refresh->{starved_tasks}, $threads, '... for that many threads');
stop($watch);

my $text = run(@limited, qw(countertop -b -n 1 --engine task -p), $work->{pid});
like($text->{out}, qr/no descriptor for $threads threads/, 'the text says so');
like($text->{out}, qr/^no descriptors for $threads threads.*ulimit -n/m, '... and what helps');
like($text->{out}, qr/^ *$work->{pid} .*( -){3,} +sleepers$|( +-){4,} +sleepers$/m,
    '... with dashes for numbers');
stop($work);

# Who ends makes room.
my ($first, $second) = map { start('sleepers', $_) } 14, 5;
next_line($_) for $first, $second;
$watch = start(@limited, qw(countertop -b --format json --engine task -s software -d 0.1 -H -i -p),
    "$first->{pid},$second->{pid}");
next_refresh($watch);
$refresh = next_refresh($watch);
cmp_ok($refresh->{starved_tasks}, '>', 0, 'two processes have more threads than may be opened');
is(@{$refresh->{tasks}}, 15 + 6, '... all of which are shown');
stop($first);
$refresh = until_true(60, sub { !$_[0]{starved_tasks} });
is(scalar(counted($refresh)), 6, '... and when one has ended, those of the other are counted');
stop($_) for $watch, $second;
# Where there are too few to start at all, the message says how to have more.
for my $limit (4, 5, 7, 12) {
    my $run = run('sh', '-c', "ulimit -n $limit && exec \"\$@\"", 'sh', qw(countertop -b -n 1 -s software));
    like("$run->{status} $run->{err}", qr/\A1 countertop: cannot [^\n]*: Too many open files; raise the limit with 'ulimit -n'\n\z/,
        "$limit descriptors");
}
done_testing;
