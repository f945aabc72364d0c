#!/usr/bin/env perl
# Threads that have not run are not read, with hardware counters and on an older kernel too; what they
# count when they run at last is all there.
use Countertop;

my $threads = 40;
my $script = "threads=$threads\n" . <<'END';
mkfifo calls
called $threads <calls >answers &
work=$!
exec 3>calls
until [ -s answers ]; do usleep 10000; done
lines=1
call() {
    echo "$@" >&3
    lines=$((lines + 1))
    until [ $(wc -l <answers) = $lines ]; do usleep 10000; done
}
call 1 touch 1
for options in "" -H; do
    countertop -b --format json -d 0.2 -n 15 --engine task -s software -e page-faults,instructions:u \
        -p $work $options >out &
    top=$!
    until [ -s out ] || ! kill -0 $top; do usleep 10000; done
    usleep 900000
    call 7 touch 100
    call 9 touch 1000
    usleep 700000
    call 7 touch 30
    wait $top || exit
    cat out
done
tail -n 1 answers
kill $work
END
my $run = guest($script);
my @lines = json_lines($run->{out} =~ s/^\d+$//mr);
my ($tid) = $run->{out} =~ /^(\d+)$/m;
is($run->{status}, 0, 'countertop ends well') or diag $run->{out};
for my $rows (['all threads', 1130, sub { 1 }], ['a thread', 130, sub { $_[0]{tid} == $tid }]) {
    my ($what, $pages, $theirs) = @$rows;
    my ($header, @refreshes) = splice @lines, 0, 16;
    my $sum = 0;
    $sum += $_->{counts}{'page-faults'} // 0
        for grep { $theirs->($_) } map { @{$_->{tasks}} } @refreshes;
    is($sum, $pages, "$what: exactly $pages pages");
    my $instructions = 0;
    $instructions += $_->{counts}{'instructions:u'} // 0
        for grep { $theirs->($_) } map { @{$_->{tasks}} } @refreshes;
    cmp_ok($instructions, '>', $pages, '... and instructions');
    my @idle = grep { my $r = $_; !grep { $theirs->($_) } @{$r->{tasks}} } @refreshes;
    cmp_ok(scalar @idle, '>=', 4, '... and in between they have no row');
    is($refreshes[0]{self}{descriptors} % ($threads + 1), 0, 'each thread has as many descriptors');
}
done_testing;
