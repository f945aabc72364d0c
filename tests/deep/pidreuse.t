#!/usr/bin/env perl
# A pid that is used again is another process for the task engine. In a pid namespace of its own: who
# chooses the next pid chooses it for all others, too, and who counts them meets a pid twice.
use Countertop qw(:DEFAULT write_file);

my @alone = qw(unshare --pid --fork --kill-child --mount-proc);
if (!$ENV{ALONE}) {
    plan skip_all => 'no pid namespace can be had (unshare --pid)' if run(@alone, 'true')->{status};
    exec @alone, 'env', 'ALONE=1', $^X, $0;
}
my $next = '/proc/sys/kernel/ns_last_pid';
plan skip_all => 'no pid can be chosen here (ns_last_pid)' if !-w $next;

my $old = start('sleepers', 3);
next_line($old);
my $watch = start(qw(countertop -b --format json --engine task -s software -d 0.2 -p), $old->{pid});
next_refresh($watch) for 1 .. 2; # the header
stop($old);
write_file($next, $old->{pid} - 1);
my $new = start('spin');
is($new->{pid}, $old->{pid}, 'a pid is used again');
my @tasks;
ok(wait_for(sub {
    push @tasks, @{next_refresh($watch)->{tasks}};
    return grep { $_->{comm} eq 'spin' && ($_->{oncpu} // 0) > 0.01 } @tasks;
}), '... by another process');
my @sleepers = grep { $_->{comm} eq 'sleepers' } @tasks;
is((grep { $_->{exited} } @sleepers), 1, '... and the end of the first is told once');
is((grep { ($_->{oncpu} // 0) > 0.1 } @sleepers), 0, '... which does not do what the second does');
stop($_) for $watch, $new;
done_testing;
