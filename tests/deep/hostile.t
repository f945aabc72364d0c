#!/usr/bin/env perl
# Helpers that were taken over: what they send, or do not send, spoils what they answer and nothing else.
use Countertop qw(:DEFAULT write_file);
use DebugServer;
use File::Copy;

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;
my $program = "$dir/countertop";
for (qw(countertop countertop-lines countertop-http countertop-fetch)) {
    copy("$ENV{B}/$_", "$dir/$_") or die "$_: $!";
    chmod 0755, "$dir/$_";
}

# From now on that helper is the hostile one, and behaves so; all others are what they are.
sub take_over {
    my ($name, $mode) = @_;
    for (qw(lines http fetch)) {
        unlink "$dir/countertop-$_";
        copy($_ eq $name ? "$ENV{B}/lib/hostile" : "$ENV{B}/countertop-$_", "$dir/countertop-$_") or die "$_: $!";
        chmod 0755, "$dir/countertop-$_";
    }
    write_file("$dir/mode", "$mode\n");
}

# Runs until so many refreshes came, then ends it.
sub watch {
    my ($refreshes, @options) = @_;
    my $watching = start($program, qw(-b --no-config -d 0.1 -s software --format json), @options);
    my @came = map { next_refresh($watching) // () } 1 .. $refreshes;
    kill TERM => $watching->{pid};
    my $end = finish($watching);
    return ($end->{status}, scalar @came, $end->{out});
}

# --- What speaks HTTP ---

take_over('http', 'ends');
my $run = run($program, qw(-b --no-config -s software --listen 0));
is("$run->{status} $run->{err}", "1 countertop: cannot listen: the server has ended\n",
    'a server that ends before it answers is an error');
for my $mode (qw(flood short)) {
    take_over('http', $mode);
    $run = run($program, qw(-b --no-config -d 0.1 -n 30 -s software -o /dev/null --listen 0));
    like("$run->{status} $run->{err}", qr/^1 .*countertop: the server at \S+ was ended by signal 9/s,
        "a server that does not keep to the protocol is ended: $mode");
}
take_over('http', 'lingers');
write_file("$dir/sent", '');
chmod 0666, "$dir/sent";
is((watch(2, qw(--listen 0)))[0], 0, 'a server that does not end is ended');
cmp_ok(length slurp("$dir/sent"), '<', 16, '... though it sends something all the time');

# --- What reads programs, and what fetches debug files ---

my @annotate = qw(--sample page-faults --annotate faults_seventy);
my $work = start("$ENV{B}/work/shares", qw(faults 1000000000));
for my $mode (qw(silent length counts random)) {
    take_over('lines', $mode);
    my ($status, $came) = watch(4, @annotate, '-p', $work->{pid});
    is("$status $came", '0 4', "refreshes go on beside a reader of programs that is hostile: $mode");
}
SKIP: {
    skip 'libdebuginfod is not installed', 20 if !DebugServer::library();
    delete $ENV{$_} for grep { /^DEBUGINFOD_/ } keys %ENV;
    @ENV{qw(XDG_CACHE_HOME DEBUGINFOD_URLS)} = ("$dir/cache", 'http://127.0.0.1:9/');
    take_over('fetch', 'text');
    $run = run($program, qw(-b --no-config -s software -n 1 --debuginfod), @annotate, '-p', $work->{pid});
    is($run->{status}, 2, 'a reason of what fetches that does not end is one');
    cmp_ok(length $run->{err}, '<', 2000, '... which is cut');
    # Without debug information, so that it is asked.
    copy("$ENV{B}/work/shares", "$dir/bare") or die $!;
    chmod 0755, "$dir/bare";
    skip 'strip is needed', 18 if run('strip', '--strip-debug', "$dir/bare")->{status};
    my $bare = start("$dir/bare", qw(faults 1000000000));
    for my $mode (qw(silent flood escape pipe folder endless sparse path)) {
        take_over('fetch', $mode);
        my ($status, $came, $out) = watch(6, '--debuginfod', @annotate, '-p', $bare->{pid});
        is("$status $came", '0 6', "refreshes go on beside what fetches that is hostile: $mode");
        unlike($out, qr/\e/, '... and nothing of it reaches the output as it is');
    }
    stop($bare);
}
stop($work);
done_testing;
