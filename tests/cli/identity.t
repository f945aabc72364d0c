#!/usr/bin/env perl
# Who a task is may change while it runs: its user by setuid() without exec, of all threads or of one
# alone, its name, its cgroup. What it creates is what it was at that moment. And /proc, which tells
# who they are, may be of another pid namespace, or have nothing of a first thread that has ended.
use Countertop qw(:DEFAULT write_file);
use List::Util 'sum0';

plan skip_all => 'another user is only for root to become' if $>;

use constant TRIES => 300; # refreshes of 0.2 s
my $user = 54321;
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $name = "actor$$";
system 'cp', "$ENV{B}/work/actor", "$dir/$name";

# An actor: {pid, in, out, tids}.
sub actor {
    my $actor = start("$dir/$name");
    (undef, my @tids) = split ' ', next_line($actor);
    $actor->{tids} = \@tids;
    return $actor;
}

sub order {
    my ($actor, @orders) = @_;
    for my $line (@orders) {
        print {$actor->{in}} "$line\n";
        next_line($actor) eq "done\n" or die "$line: failed";
    }
}

# Repeats an order to the actor until a refresh of the running countertop pleases: that refresh.
sub watch_until {
    my ($watch, $actor, $order, $pleases) = @_;
    for (1 .. TRIES) {
        order($actor, $order);
        my $refresh = next_refresh($watch) // last;
        return $refresh if $pleases->($refresh);
    }
    return undef;
}

# How many processes each user has under each name, as "name user count".
sub census {
    my ($refresh) = @_;
    my %count;
    $count{"$_->{comm} " . ($_->{user} // '?')}++ for grep { $_->{comm} =~ /^act/ } @{$refresh->{tasks}};
    return [map { "$_ $count{$_}" } sort keys %count];
}

# Whether the kernel tells of each change: from 6.6 on, to the first namespaces.
my ($major, $minor) = slurp('/proc/sys/kernel/osrelease') =~ /^(\d+)\.(\d+)/;
my $told = $major * 100 + $minor >= 606 && -e '/proc/net/connector' && slurp('/proc/net/connector') =~ /cn_proc/ &&
    readlink('/proc/self/ns/pid') eq 'pid:[4026531836]' && readlink('/proc/self/ns/user') eq 'user:[4026531837]';
my @untold = qw(unshare --net);
my $no_net = run(@untold, 'true')->{status};
my $orders = join '\n', '0 children 30', "0 setuid $user", '0 children 40', '0 name 7', '0 children 5', '';

for my $engine (qw(cpu task)) {
    my @options = ('-b', '--format', 'json', '-e', 'page-faults', '--engine', $engine);

    # Short children of one run.
    SKIP: {
        skip 'the kernel does not tell who changes its user (Linux 6.6)', 2 if !$told;
        my @run = json_lines(run('countertop', @options, '--', 'sh', '-c', "printf '$orders' | $dir/$name >/dev/null")->{out});
        is_deeply(census($run[-1]), ["act7 $user 6", "$name $user 40", "$name root 30"],
            "$engine: children are of the user and have the name that their parent had at their birth")
            or diag explain census($run[-1]);
        @run = json_lines(run('countertop', @options, '--view', 'users', '--', 'sh', '-c', "printf '$orders' | exec $dir/$name >/dev/null")->{out});
        my %processes = map { $_->{name} => $_->{processes} } @{$run[-1]{groups}};
        is($processes{$user}, 46, '... in the view of users, too');
    }
    my @become = ('setpriv', "--reuid=$user", '--clear-groups');
    my @run = json_lines(run('countertop', @options, '--', @become, 'sh', '-c', "printf '0 children 25\n' | $dir/$name >/dev/null")->{out});
    is_deeply(census($run[-1]), ["$name $user 26"], "$engine: setuid(), then exec, then children");
    SKIP: {
        skip 'no network namespace can be made', 1 if $no_net;
        @run = json_lines(run(@untold, 'countertop', @options, '--', @become, 'sh', '-c', "printf '0 children 25\n' | $dir/$name >/dev/null")->{out});
        is_deeply(census($run[-1]), ["$name $user 26"], '... also where the kernel does not tell');
    }

    # A daemon, and whoever looks for its new user.
    for my $how ([], \@untold) {
        SKIP: {
            skip 'no network namespace can be made', $engine eq 'cpu' ? 4 : 3 if @$how && $no_net;
            my $where = @$how ? "$engine, without the kernel's help" : $engine;
            my $daemon = actor();
            my $watch = start(@$how, 'countertop', @options, '-d', 0.2, '-u', $user);
            my $old = start(@$how, 'countertop', @options, '-d', 0.2, '-H', '-p', $daemon->{pid});
            next_refresh($_) for $watch, $old; # the header
            my $of = sub { my ($refresh, $tid) = @_; (map { $_->{user} } grep { $_->{tid} == $tid } @{$refresh->{tasks}})[0] // '' };
            my ($first, $second) = @{$daemon->{tids}};
            order($daemon, "1 own $user");
            ok(watch_until($old, $daemon, '1 work 1', sub { $of->($_[0], $second) eq $user }),
                "$where: a thread that changes its user alone has it");
            ok(watch_until($old, $daemon, '0 work 1', sub { $of->($_[0], $first) eq 'root' }),
                '... and the first one has not');
            if ($engine eq 'cpu') {
                my $sums = start(@$how, qw(countertop -b --show total --engine cpu -e page-faults -H -d 0.2 -u), $user);
                my $line = '';
                for (1 .. 4 * TRIES) {
                    order($daemon, '1 work 1');
                    $line = next_line($sums) // last;
                    last if $line =~ /^ *$daemon->{pid} +$second +$user /;
                }
                like($line, qr/ $second /, '... also in sums since the start with -u');
                stop($sums);
            }
            order($daemon, "0 setuid $user");
            ok(watch_until($watch, $daemon, '0 work 1', sub {
                grep { $_->{pid} == $daemon->{pid} && $_->{tid} == $daemon->{pid} } @{$_[0]{tasks}} }),
                "$where: -u finds a process that changes its user");
            stop($_) for $watch, $old, $daemon;
        }
    }

    # A thread by its id: its own counts.
    my $actor = actor();
    my $watch = start('countertop', @options, '-d', 0.2, '-t', $actor->{tids}[1]);
    next_refresh($watch) for 1 .. 2; # the header
    order($actor, '1 faults 1000', '2 faults 7000');
    my $faults = 0;
    for (1 .. TRIES) {
        my $refresh = next_refresh($watch) // last;
        $faults += sum0(map { $_->{counts}{'page-faults'} // 0 } @{$refresh->{tasks}});
        last if $faults >= 1000;
    }
    $faults += sum0(map { $_->{counts}{'page-faults'} // 0 } @{next_refresh($watch)->{tasks}});
    cmp_ok($faults, '>=', 1000, "$engine: -t has the counts of the thread");
    cmp_ok($faults, '<', 2000, '... and of no other of its process');
    stop($watch);
    stop($actor);
}

# A recording has them as they were.
my $recording = "$dir/recording.db";
my $actor = actor();
my $cgroups = cgroup_mount();
my $cgroup = defined $cgroups && -w $cgroups ? "/identity$$" : undef;
mkdir "$cgroups$cgroup" if $cgroup;
my $watch = start(qw(countertop -b --format json -e page-faults -d 0.2 --record), $recording, '-p', $actor->{pid});
next_refresh($watch);
my $mine = sub { grep { $_->{pid} == $actor->{pid} } @{$_[0]{tasks}} };
watch_until($watch, $actor, '0 work 1', $mine);
order($actor, "0 setuid $user", '0 name 9');
watch_until($watch, $actor, '0 work 1', sub { ($mine->($_[0]))[0] && ($mine->($_[0]))[0]{user} eq $user });
write_file("$cgroups$cgroup/cgroup.procs", $actor->{pid}) if $cgroup;
my $start = time;
watch_until($watch, $actor, '0 work 1', sub { time > $start + 1 }); # a cgroup is asked for once a second
kill INT => $watch->{pid};
finish($watch);
my @replay = json_lines(countertop('--replay', $recording, qw(-b --format json))->{out});
my %seen = map { ("$_->{comm} $_->{user}" => 1) } map { $mine->($_) } grep { $_->{type} eq 'refresh' } @replay;
ok($seen{"$name root"} && $seen{"act9 $user"} && !$seen{'act9 root'}, 'a recording has a user and a name as they were')
    or diag explain \%seen;
SKIP: {
    skip 'no cgroup can be made', 1 if !$cgroup;
    @replay = json_lines(countertop('--replay', $recording, qw(-b --format json --view cgroups))->{out});
    my @names = map { map { $_->{name} // '?' } @{$_->{groups}} } grep { $_->{type} eq 'refresh' } @replay;
    is($names[-1], $cgroup, '... and a cgroup that it was moved to');

    # Short processes there.
    my $look = start(qw(countertop -b --format json -e page-faults -d 0.2 --view cgroups -p), "act9,$actor->{pid}");
    next_refresh($look) for 1 .. 2;
    my $groups;
    my $refresh = watch_until($look, $actor, '0 children 20', sub {
        $groups = {map { ($_->{name} // '?') => $_->{processes} } @{$_[0]{groups}}};
        ($groups->{$cgroup} // 0) > 20 });
    ok($refresh && !$groups->{'?'}, 'the view of cgroups: short processes are in that of their parent') or diag explain $groups;
    stop($look);
}

# Its first thread ends; the others go on.
order($actor, '0 exit');
for (1 .. TRIES) {
    last if slurp("/proc/$actor->{pid}/stat") =~ /\) Z /;
    select undef, undef, undef, 0.2;
}
$watch = start(qw(countertop -b --format json --view functions --sample page-faults/1 -d 0.2 -p), $actor->{pid});
next_refresh($watch);
my %functions;
watch_until($watch, $actor, '1 faults 100', sub {
    $functions{$_->{function}} += $_->{samples} for @{$_[0]{functions} // []};
    $functions{touch_pages} });
ok($functions{touch_pages}, 'without its first thread: its functions have names') or diag explain \%functions;
is((grep { /ended process/ } keys %functions), 0, '... and it has not ended');
stop($watch);
$watch = start(qw(countertop -b --format json -e page-faults -d 0.2 -p), $actor->{pid});
next_refresh($watch);
my $row;
watch_until($watch, $actor, '1 work 1', sub { ($row) = $mine->($_[0]) });
unlike($row->{state} // 'Z', qr/[ZX]/, '... its state is not that of a zombie');
stop($watch);
SKIP: {
    skip 'no cgroup can be made', 1 if !$cgroup;
    write_file("$cgroups/cgroup.procs", $actor->{pid});
    $watch = start(qw(countertop -b --format json -e page-faults -d 0.2 --view cgroups -p), $actor->{pid});
    next_refresh($watch);
    my $in;
    watch_until($watch, $actor, '1 work 1', sub { ($in) = map { $_->{name} // '?' } @{$_[0]{groups}} });
    isnt($in, $cgroup, '... and its cgroup is that of the others');
    stop($watch);
}
stop($actor);
rmdir "$cgroups$cgroup" if $cgroup;

# Programs that begin on a CPU that is not counted.
SKIP: {
    my @cpus = map { /^(\d+)-(\d+)$/ ? $1 .. $2 : $_ } split /,/, (slurp('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m)[0];
    skip 'there is one CPU', 1 if @cpus < 2;
    my @run = json_lines(run('taskset', '-c', $cpus[1], qw(countertop -b --format json -e page-faults -C), $cpus[0], '--',
        'sh', '-c', "printf '0 faults 3000\n' | exec taskset -c $cpus[0] $dir/$name >/dev/null")->{out});
    my ($there) = grep { $_->{comm} eq $name } @{$run[-1]{tasks}};
    cmp_ok($there ? $there->{counts}{'page-faults'} : 0, '>=', 3000, '-C: a command that began on another CPU has its row');
}

# What is looked for in each refresh may begin and end between two.
my $notice = qr/processes that begin and end between two refreshes are not found: the engine 'cpu' counts them/;
for (['-u', $user], ['-p', 'nobody-is-called-so']) {
    my ($header) = refreshes(qw(-n 1 -d 0.1 --engine task), @$_);
    my $text = countertop(qw(-b -n 1 -d 0.1 --engine task), @$_)->{out};
    like($text, $notice, "the task engine with $_->[0] says what it does not find");
}
unlike(countertop(qw(-b -n 1 -d 0.1 --engine cpu -u), $user)->{out}, $notice, '... the ledger does');

# The parent's /proc in a pid namespace of its own.
SKIP: {
    my @apart = qw(unshare --pid --fork);
    skip 'no pid namespace can be made here', 7 if run(@apart, 'true')->{status};
    my $reason = qr/\/proc has the tasks of another pid namespace by other numbers: as root, run 'mount -t proc proc \/proc'/;
    my ($header, @all) = json_lines(run(@apart, qw(countertop -b --format json -n 1 -d 0.2 -i))->{out});
    like($header->{notice}, $reason, "another namespace's /proc: the notice says so");
    is_deeply([map { $_->{comm} } map { @{$_->{tasks}} } @all], [], '... and names no task');
    for (['-p', 1], ['-t', 1]) {
        my $refused = run(@apart, qw(countertop -b -n 1), @$_);
        is($refused->{status}, 1, "... $_->[0] is refused");
        like($refused->{err}, $reason, '... with the reason');
    }
    my @run = json_lines(run(@apart, qw(countertop -b --format json -e page-faults --), 'sh', '-c',
        "printf '0 faults 500\n0 children 3\n' | $dir/$name >/dev/null")->{out});
    is((grep { $_->{comm} eq $name } @{$run[-1]{tasks}}), 4, '... a command has its own names');
}

done_testing;
