#!/usr/bin/env perl
# A server of debug files that accepts and says nothing: refreshes come meanwhile, without source lines,
# and the last table of a run waits for it only until a signal.
use Countertop qw(:DEFAULT installed write_file);
use DebugServer;

plan skip_all => 'libdebuginfod is not installed' if !DebugServer::library();
my $compiler = (grep { installed($_) } $ENV{CC} // (), qw(cc gcc))[0];
plan skip_all => 'a compiler and strip are needed' if !$compiler || !installed('strip');
my $dir = tempdir(CLEANUP => 1);
my $server = DebugServer->new('hang');
delete $ENV{$_} for grep { /^DEBUGINFOD_/ } keys %ENV;
@ENV{qw(XDG_CACHE_HOME DEBUGINFOD_URLS)} = ("$dir/cache", $server->{url});
write_file("$dir/hot.c", <<'END');
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) void hot(void)
{
    for (int i = 0; i < 10000000; i++)
        sum += i;
}
int main(int argc, char **argv)
{
    for (int left = argc > 1 ? atoi(argv[1]) : -1; left; left--)
        hot();
}
END
for (['-O1', '-Wl,--build-id=sha1', "$dir/hot.c", '-o', "$dir/hot"], ['strip']) {
    my $run = run($_->[0] eq 'strip' ? ('strip', '--strip-debug', "$dir/hot") : ($compiler, @$_));
    die $run->{err} if $run->{status};
}
my @annotate = qw(countertop -b --format json -s software --sample cpu-clock --debuginfod --annotate hot);

my $hot = start("$dir/hot");
my $program = start(@annotate, '-d', 0.1, '-p', $hot->{pid});
ok(wait_for(sub { $server->requests }), 'the server is asked');
# Each of these waited for half a minute.
my @refreshes;
my $in_time = eval {
    local $SIG{ALRM} = sub { die "late\n" };
    alarm 60;
    push @refreshes, next_refresh($program) for 1 .. 10;
    alarm 0;
    1;
};
ok($in_time, 'refreshes come meanwhile');
ok((grep { @{$_->{instructions} // []} } @refreshes), '... with instructions');
is((grep { defined $_->{file} } map { @{$_->{instructions} // []} } @refreshes), 0, '... without lines');
kill TERM => $program->{pid};
is(finish($program)->{status}, 0, '... SIGTERM ends it');
stop($hot);

$server = DebugServer->new('hang');
$ENV{DEBUGINFOD_URLS} = $server->{url};
$program = start(@annotate, '--', "$dir/hot", 20);
ok(wait_for(sub { $server->requests }), 'after a run the server is asked, too');
kill TERM => $program->{pid};
my $end = finish($program);
my ($last) = reverse json_lines($end->{out});
ok($last->{final} && @{$last->{instructions} // []}, '... a signal ends the wait, and the table is written');
done_testing;
