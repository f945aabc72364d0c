#!/usr/bin/env perl
# make install-service: units that systemd accepts, and a program that counts with the rights, the
# calls and the network that they leave it.
use Countertop;
use Fcntl;
use File::Copy;
use HTTP::Tiny;
use IO::Socket::INET;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR};
delete @ENV{qw(MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR)};
my $build = $ENV{B} =~ s{^\Q$ENV{TOP}\E/}{}r;

sub run_make {
    return run('make', '-C', $ENV{TOP}, '-o', 'build', "B=$build", "PREFIX=$dir", @_);
}
sub has {
    return run('sh', '-c', "command -v $_[0]")->{status} == 0;
}

my $run = run_make('install-service');
is($run->{status}, 0, 'make install-service') or diag $run->{err};
like($run->{out}, qr/^countertop: systemctl .* enable --now countertop\.socket countertop\.service$/m,
    '... says how it is started');
my $units = "$dir/lib/systemd/system";
my $unit = slurp("$units/countertop.service");
is((stat "$units/countertop.service")[2] & 07777, 0644, 'a unit for all to read');
my ($start) = $unit =~ /^ExecStart=(.*)$/m;
my ($program, @options) = split ' ', $start;
is($program, "$dir/bin/countertop", '... of the program that was installed');
like(slurp("$units/countertop.socket"), qr/^ListenStream=127\.0\.0\.1:9464$/m, '... and a socket, of this machine alone');

# systemd-analyze needs no systemd that runs, only its own units.
SKIP: {
    skip "'systemd-analyze' is not installed", 2 if !has('systemd-analyze');
    $run = run('systemd-analyze', 'verify', '--man=no', glob("$units/countertop*"));
    my @ours = grep { /countertop/ } split /\n/, $run->{err};
    is("@ours", '', 'systemd accepts the units');
    # 10 is without protection, 0 is the most. What is missing is CAP_PERFMON and a view of /proc.
    $run = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', "$units/countertop.service");
    skip 'this systemd-analyze cannot rate a file', 1 if $run->{err} =~ /offline|Unknown/;
    is($run->{status}, 0, '... and rates what they can do at most 2.0') or diag $run->{out};
}

# What the unit says, as far as it can be had without systemd: nobody's account, one capability, no
# new privileges, and no network but the socket.
my $door = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die $!;
fcntl $door, F_SETFD, 0;
my $user = 65530;
my @confined = ('setpriv', "--reuid=$user", "--regid=$user", '--clear-groups', '--no-new-privs',
    '--inh-caps=-all,+perfmon', '--ambient-caps=-all,+perfmon', '--bounding-set=-all,+perfmon,+sys_ptrace', '--');
sub service {
    my ($executable, @before) = @_;
    # Without our libraries, which may lie in a folder that is closed to that user.
    my @handed = ('env', '-u', 'PERL5LIB', $^X, '-MPOSIX', '-e', 'POSIX::dup2(shift, 3); @ENV{qw(LISTEN_PID LISTEN_FDS)} = ($$, 1); exec @ARGV',
        fileno $door);
    return start(@before, 'unshare', '-n', @confined, @handed, $executable, @options, '-d', '0.2');
}
my $http = HTTP::Tiny->new(timeout => 20);
my $url = 'http://127.0.0.1:' . $door->sockport . '/metrics';

# The text when it has an interval.
sub scrape {
    for (my $end = time + 120; time < $end; select undef, undef, undef, 0.1) {
        my $text = $http->get($url)->{content};
        return $text if $text =~ /^countertop_refreshes_total [1-9]/m;
    }
    return '';
}

SKIP: {
    skip 'only root can take everything else away', 9 if $> != 0;
    skip 'setpriv(1) or unshare(1) cannot do it here', 9 if run('unshare', '-n', @confined, 'true')->{status};
    skip "user $user cannot run what was built here (a folder is closed to others)", 9
        if run(@confined, $program, '--version')->{status};
    my $server = service($program);
    my $text = scrape();
    like($text, qr/^countertop_info\{.*engine="cpu",mode="all"/m, 'with that it counts all tasks, also in the kernel');
    like($text, qr/^countertop_tasks_context_switches_total\{.*command="/m, '... by their commands');
    like(slurp("/proc/$server->{pid}/status"), qr/^CapEff:\t0000004000000000$/m, '... with CAP_PERFMON alone');
    is(stop($server)->{status}, 0, '... and ends well');

    # The second unit: its folder is the only one that it writes to.
    my ($alarms) = slurp("$units/countertop-alarms.service") =~ /^ExecStart=(.*)$/m;
    mkdir "$dir/countertop";
    chown $user, $user, "$dir/countertop";
    # systemd makes words of $MORE, which is empty, but one of ${WHEN}.
    my @words = map { s/%S/$dir/r =~ s/\$\{WHEN\}/count(pid >= 0) >= 0/r } split ' ', $alarms =~ s/ \$MORE\b//r;
    my $armed = start(@confined, 'env', '-u', 'PERL5LIB', @words, '-d', '0.2', '--after', '0.5');
    ok(wait_for(sub { my @made = glob "$dir/countertop/alarm-*-count-pid-0-0.db"; @made && !-e "$made[0]-wal" }),
        'the unit of alarms makes recordings with those rights');
    is(stop($armed)->{status}, 0, '... and ends well');
    my ($made) = glob "$dir/countertop/alarm-*.db";
    like(run('sqlite3', $made, 'SELECT event, count(*) > 0 FROM profiles')->{out}, qr/^cpu-clock\|1$/, '... which have functions');

    # A program with capabilities of its file gets no more by them.
    SKIP: {
        skip "'setcap' is not installed", 1 if !has('setcap');
        my $capable = "$dir/bin/capable"; # beside it are its helpers
        copy($program, $capable) or die $!;
        chmod 0755, $capable;
        skip 'files can have no capabilities here', 1 if run('setcap', 'cap_perfmon,cap_sys_ptrace+ep', $capable)->{status};
        $server = service($capable);
        like(scrape(), qr/^countertop_info\{.*engine="cpu",mode="all"/m, 'so does one from make install-caps');
        stop($server);
    }

    # The calls that it makes are those that the unit lets through.
    SKIP: {
        skip "'strace' or 'systemd-analyze' is not installed", 1 if !has('strace') || !has('systemd-analyze');
        my %calls = map { /^\s+([a-z]\w+)$/ ? ($1 => 1) : () } map { split /\n/ } expand(filter(''));
        delete $calls{$_} for map { /^\s+([a-z]\w+)$/ ? $1 : () } map { split /\n/ } expand(filter('~'));
        $calls{$_} = 1 for grep { !/^@/ } filter('');
        skip 'systemd-analyze does not list its filters', 1 if !$calls{read};
        local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0'; # which traces, too
        $server = service($program, 'strace', '-f', '-qq', '-o', "$dir/calls");
        isnt(scrape(), '', 'it counts while it is traced');
        stop($server);
        # From the program's start on: what is before is setpriv's and perl's.
        my ($of, %made);
        for (split /\n/, slurp("$dir/calls")) {
            my ($pid, $call) = /^(\d+) +(\w+)\(/ or next;
            $of = 1 if $call eq 'execve' && index($_, "\"$program\"") >= 0;
            $made{$call} = 1 if $of;
        }
        cmp_ok(scalar keys %made, '>', 20, 'there are calls');
        is(join(' ', grep { !$calls{$_} } sort keys %made), '', 'it makes only calls that the unit allows');
    }
}

# The words of SystemCallFilter=, of the lines that allow, or of those that take away.
sub filter {
    my ($sign) = @_;
    return map { split ' ' } $unit =~ /^SystemCallFilter=\Q$sign\E((?=[@\w]).*)$/mg;
}

# The lists of the sets among words, and of the sets in them.
sub expand {
    my %done;
    my @sets = grep { /^@/ } @_;
    while (my $set = shift @sets) {
        next if $done{$set};
        $done{$set} = run('systemd-analyze', 'syscall-filter', $set)->{out};
        push @sets, $done{$set} =~ /^\s+(\@[\w-]+)/mg;
    }
    return values %done;
}

$run = run_make('uninstall');
is($run->{status} . join(' ', grep { !m{/capable$} } glob "$units/* $dir/bin/*"), '0', 'make uninstall removes them');
done_testing;
