#!/usr/bin/env perl
# --debuginfod: debug files come from a server, only where it is asked for; what goes wrong is said
# and is not asked for again; nothing else opens a socket.
use Countertop qw(:DEFAULT installed write_file);
use DebugServer;
use File::Path 'remove_tree';

plan skip_all => 'libdebuginfod is not installed' if !DebugServer::library();
plan skip_all => 'gcc, objcopy and strip are needed' if grep { !installed($_) } qw(gcc objcopy strip);
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
$ENV{XDG_CACHE_HOME} = "$dir/cache";
delete $ENV{$_} for grep { /^DEBUGINFOD_/ } keys %ENV;

write_file("$dir/hot.c", <<'END');
#include <stdlib.h>
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 50; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}
__attribute__((noinline)) unsigned long hot(unsigned long n)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += mix(sum + i);
    return sum;
}
int main(int argc, char **argv)
{
    return argc > 1 && hot(strtoul(argv[1], NULL, 10)) == 1;
}
END
my ($program, $debug) = ("$dir/hot", "$dir/debug");
for (['gcc', '-g', '-O2', '-Wl,--build-id', 'hot.c', '-o', 'hot'], [qw(objcopy --only-keep-debug hot debug)], [qw(strip hot)]) {
    my $run = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, @$_);
    die "@$_: $run->{err}" if $run->{status} != 0;
}
my ($id) = run('readelf', '-n', $program)->{out} =~ /Build ID: ([0-9a-f]+)/;
my @sampled = ('-b', '--format', 'json', '--view', 'instructions', '--sample', 'cpu-clock');

# The last refresh of a run of the stripped program, and what went to standard error.
sub lines_of {
    my (@options) = @_;
    my $run = countertop(@sampled, @options, '--', $program, 400_000);
    my ($refresh) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    return ($refresh, $run);
}

sub forget { remove_tree("$dir/cache") }

# ---- what is needed ----

my ($none, $run) = lines_of('--debuginfod');
is($run->{status}, 2, 'without a server: wrong usage');
is($run->{err}, "countertop: --debuginfod: no server is named: set DEBUGINFOD_URLS, for example to 'https://debuginfod.elfutils.org/'\n",
    '... one line says what to set');

my $server = DebugServer->new('file', $debug);
$ENV{DEBUGINFOD_URLS} = $server->{url};
($none) = lines_of();
like($none->{function}{lines}, qr/^no debug information in '\Q$program\E' and no '.*\.debug'$/, 'without the option: as before');
is_deeply([$server->requests], [], '... and nobody is asked, although a server is named');

# ---- it is fetched ----

my ($got) = lines_of('--debuginfod');
is($got->{function}{lines}, undef, 'with it: nothing is missing');
ok((grep { ($_->{file} // '') eq "$dir/hot.c" && $_->{line} == 5 && "@{$_->{inlined}}" eq 'mix' } @{$got->{instructions}}),
    '... lines and inlined functions of a stripped program');
is_deeply([$server->requests], ["GET /buildid/$id/debuginfo HTTP/1.1\r"], '... by one request');
ok(-s "$dir/cache/debuginfod_client/$id/debuginfo", '... which is kept where elfutils keeps it');
($got) = lines_of('--debuginfod');
is($got->{function}{lines}, undef, 'again: it is there');
is(scalar(my @again = $server->requests), 1, '... and not asked for');
undef $server;
like(countertop('-b', '--view', 'instructions', '--sample', 'cpu-clock', '--debuginfod', '--', $program, 400_000)->{out},
    qr/ hot\.c:5 in mix /, 'text: as lines among instructions');

# ---- it is not ----

for (['missing', qr/The requested URL returned error: 404/],
    ['garbage', qr/what the server sent is not its debug file/],
    ['short', qr/.* bytes (?:remaining to read|missing)/],
    ['endless', qr/Failure writing output/]) {
    my ($how, $why) = @$_;
    forget();
    $server = DebugServer->new($how, $debug);
    local $ENV{DEBUGINFOD_URLS} = $server->{url};
    local $ENV{DEBUGINFOD_MAXSIZE} = 3_000_000;
    my ($bad) = lines_of('--debuginfod', '-d', 0.2);
    like($bad->{function}{lines} // '', qr/^no debug information in '\Q$program\E', and none was fetched: $why/, "$how: says why");
    cmp_ok(scalar(@{$bad->{instructions}}), '>', 5, '... and has the instructions');
    my @files = glob "$dir/cache/debuginfod_client/*/debuginfo.*";
    is_deeply(\@files, [], '... no part of a file is left');
}
forget();
{
    local $ENV{DEBUGINFOD_URLS} = 'http://127.0.0.1:1/';
    my ($bad) = lines_of('--debuginfod');
    like($bad->{function}{lines} // '', qr/, and none was fetched: Failed to connect to 127\.0\.0\.1 port 1 /, 'no server there: says why');
}

done_testing;
