#!/usr/bin/env perl
# Beside load, the user of a program with capabilities tries to get at each of its children before it
# executes another program: commands, readers of symbols and servers; and a process of the user nobody
# at the servers of root. What is done at each step by itself: deep/helpers.t.
use Countertop;
use File::Copy;

plan skip_all => 'only root can give a file capabilities' if $> != 0;
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR} // ();
my @files = qw(countertop countertop-lines countertop-http countertop-fetch);
for (@files) {
    copy("$ENV{B}/$_", "$dir/$_") or die "copy $_: $!";
    chmod 0755, "$dir/$_";
}
my $given = run('setcap', 'cap_perfmon,cap_sys_ptrace+ep', "$dir/countertop");
plan skip_all => "$dir can have no capabilities of files: $given->{err}" if $given->{status};
plan skip_all => "$dir is on a file system where they have no effect (nosuid)"
    if run('findmnt', '-no', 'OPTIONS', '-T', $dir)->{out} =~ /\bnosuid\b/;

my $user = 65528;
sub as {
    my ($uid, @command) = @_;
    return ('setpriv', "--reuid=$uid", "--regid=$uid", '--clear-groups', '--', 'env', 'HOME=/', @command);
}
plan skip_all => "user $user cannot run what is in $dir" if run(as($user, "$dir/countertop", '--version'))->{status};

my @load = map { start('sh', '-c', 'while :; do :; done') } 1 .. 2;

# Runs the program until its children were tried that often; the figures of who chases them.
sub chase {
    my ($what, $uid, $chaser_uid, $wanted, @options) = @_;
    my %sum;
    for (my $end = time + 600; ($sum{tried} // 0) < $wanted && time < $end;) {
        my $chaser = start(as($chaser_uid, "$ENV{B}/work/chaser", "$dir/countertop"));
        for (my $runs = 0; $runs < 20; $runs++) {
            run(as($uid, "$dir/countertop", @options));
        }
        my %got = finish($chaser)->{out} =~ /(\w+) (\d+)/g;
        $sum{$_} += $got{$_} for keys %got;
    }
    note("$what: tried $sum{tried}, held $sum{held}, lost $sum{lost}; programs later: $sum{later}");
    cmp_ok($sum{tried}, '>=', $wanted, "$what: $sum{tried} tries");
    is($sum{lost}, 0, "... $sum{held} were held");
    return \%sum;
}

my $commands = chase('commands', $user, $user, 600, qw(-b -r 20 -s software -- true));
cmp_ok($commands->{later}, '>', 0, '... the commands themselves can be traced');
chase('readers of symbols', $user, $user, 250, qw(-b -n 1 -d 0.05 -s software --view functions --sample page-faults -- true));
chase('servers', $user, $user, 100, qw(-b -n 1 -d 0.05 -s software --listen 0));
chase('servers of root', 0, 65534, 50, qw(-b -n 1 -d 0.05 -s software --listen 0));
stop($_) for @load;
done_testing;
