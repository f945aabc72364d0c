#!/usr/bin/env perl
# What each perf_event_paranoid permits for a user without capabilities. The guest runs Debian's
# kernel, which also has the level 3: nothing at all.
use Countertop;

my $script = <<'END_OF_SCRIPT';
for level in 3 2 1 0 -1; do
    echo $level >/proc/sys/kernel/perf_event_paranoid
    su user -c 'countertop --check --format json'
    su user -c 'countertop -b -n 1 -d 0.2 --format json' >out 2>err
    echo "status $?"
    head -n 1 out
    cat err
    echo end
    rm -f out err
done
END_OF_SCRIPT

my $run = guest($script);
is($run->{status}, 0, 'the machine ran all of it') or diag $run->{out};
my %told;
for my $level (3, 2, 1, 0, -1) {
    $run->{out} =~ s/\A(\{.*\})\nstatus (\d+)\n((?s:.*?))end\n//
        or BAIL_OUT("level $level: $run->{out}");
    my ($page) = json_lines($1);
    $told{$level} = {
        page => $page,
        can => {map { $_->{what} => $_->{works} ? 1 : 0 } @{$page->{can}}},
        reason => {map { $_->{what} => $_->{reason} } @{$page->{can}}},
        status => $2,
        said => $3,
    };
    is($page->{limits}{perf_event_paranoid}, $level, "perf_event_paranoid $level");
}

sub can {
    my ($level, @what) = @_;
    is_deeply([sort grep { $told{$level}{can}{$_} } keys %{$told{$level}{can}}], [sort @what],
        "level $level allows: " . (@what ? "@what" : 'nothing'));
}

my @events = ('hardware events', 'software events', 'breakpoints');
can(3);
can(2, @events);
can(1, @events, 'kernel mode');
can(0, @events, 'kernel mode', 'all tasks of a CPU');
can(-1, @events, 'kernel mode', 'all tasks of a CPU');

my $nothing = "counting is not permitted (perf_event_paranoid is 3): as root, run 'sysctl "
    . "kernel.perf_event_paranoid=2' or '/bin/countertop'"; # the guest has no setcap(8)
is($told{3}{status}, 1, 'with level 3 it ends');
is($told{3}{said}, "countertop: cannot count anything: $nothing\n", '... and says why');
is($told{3}{reason}{$_}, $nothing, "... as --check does of $_") for @events, 'kernel mode';
is_deeply([map { $_->{free} } @{$told{3}{page}{counters}}], [0], '... which finds no counter');

for my $level (2, 1, 0) {
    is($told{$level}{status}, 0, "with level $level it counts");
    my ($header) = json_lines($told{$level}{said});
    my %state = map { $_->{name} => $_->{state} } @{$header->{events}};
    is($state{cycles}, 'counted', '... cycles');
    is($header->{mode}, $level > 1 ? 'user' : 'all', '... in the mode that is allowed');
    is($header->{engine}, $level > 0 ? 'task' : 'cpu', '... with the engine that is allowed');
    is_deeply([map { "$_->{all} $_->{free}" } @{$told{$level}{page}{counters}}], ['7 7'],
        '... with all counters');
}

done_testing;
