#!/usr/bin/env perl
# Without privileges: own tasks are counted in user mode, and everything else has a reason.
use Countertop;

plan skip_all => 'only root can become someone else' if $> != 0;
open my $sysctl, '<', '/proc/sys/kernel/perf_event_paranoid' or
    plan skip_all => 'no perf_event_paranoid';
chomp(my $paranoid = readline $sysctl);
plan skip_all => "perf_event_paranoid is $paranoid: this is about 2" if $paranoid != 2;

my $nobody = 65534;
my @as_nobody = ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', '--');
plan skip_all => "user $nobody cannot run what was built here (a folder is closed to others)"
    if run(@as_nobody, "$ENV{B}/countertop", '--version')->{status};
my $user = getpwuid($nobody) // $nobody;

sub refreshes_as_nobody {
    my $run = run(@as_nobody, qw(countertop -b --format json), @_);
    is("$run->{status}$run->{err}", 0, "countertop @_ ends well and says nothing");
    return json_lines($run->{out});
}

my $spin = start(@as_nobody, 'spin', '-r');
my $other = start('spin', '-r');
my $faults = start(@as_nobody, 'faults', 5000);
next_line($faults);

like(run(@as_nobody, qw(countertop --check))->{out}, qr/\AYou can count [^\n]* of your own processes, in user mode\.\n(?:Hardware [^\n]*\n)?All tasks: as root, run '/,
    '--check begins with what helps');
like(run(@as_nobody, qw(countertop --compare -r 2 true false --ignore-failure))->{out}, qr/^user mode only \(/m,
    'an experiment is about its commands alone');
my $watch = start(@as_nobody, qw(countertop -b --format json -d 0.5));
my $header = next_refresh($watch);
is($header->{engine}, 'task', 'the engine is the one for single tasks');
like($header->{engine_reason}, qr/perf_event_paranoid is 2/, '... and says why');
like($header->{notice}, qr/only your own processes, in user mode.*perf_event_paranoid is 2/, 'the notice names the mode');
like($header->{notice}, qr{^[^;]+: as root, run '(?:setcap cap_perfmon\+ep )?\S+/countertop'(?:;|\z)},
    '... and begins with the one command that mends it');
unlike($header->{notice}, qr/context-switches/, '... which stands for all that it mends');
is($header->{mode}, 'user', '... and so does the header');
my %event = map { $_->{name} => $_ } @{$header->{events}};
is($event{'page-faults'}{state}, 'counted', 'page-faults are counted');
for my $name ('context-switches', 'cpu-migrations') {
    is($event{$name}{state}, 'denied', "$name are denied");
    like($event{$name}{reason}, qr/^happens in kernel mode only: counting in kernel mode is not permitted .*perf_event_paranoid is 2.*sysctl.*cap_perfmon/,
        '... with the cause and the remedy');
}

my @refreshes = next_refresh($watch);
print {$faults->{in}} "now\n";
next_line($faults);
# Refreshes from before may wait to be read.
sub faults_of {
    my $sum = 0;
    $sum += $_->{counts}{'page-faults'} // 0
        for grep { $_->{pid} == $faults->{pid} } map { @{$_->{tasks}} } @_;
    return $sum;
}
my $last = time + 60;
do { push @refreshes, next_refresh($watch) } until faults_of(@refreshes) >= 5000 || time > $last;
push @refreshes, next_refresh($watch);
stop($watch);
my @tasks = map { @{$_->{tasks}} } @refreshes;
my @spin = grep { $_->{pid} == $spin->{pid} } @tasks;
is(@spin, @refreshes, "one's own process is in each refresh");
is((grep { $_->{comm} ne 'spin' || $_->{user} ne $user } @spin), 0, '... with name and user');
is((grep { $_->{oncpu} <= 0 } @spin), 0, '... and its time');
is((grep { !defined $_->{counts}{'page-faults'} } @spin), 0, '... and its page faults');
is((grep { defined $_->{counts}{'context-switches'} } @tasks), 0, 'what is denied is null');
my $sum = faults_of(@refreshes);
ok($sum >= 5000 && $sum <= 5016, 'page faults of user mode are counted') or diag $sum;
is((grep { ($_->{user} // $user) ne $user } @tasks), 0, 'tasks of others do not appear');
cmp_ok($refreshes[-1]{denied_tasks}, '>', 0, '... but it is told that there are some');

# Asked for by name, they do, with the reason in place of numbers.
(undef, my $asked) = refreshes_as_nobody('-n', 1, '-d', 0.2, '-p', $other->{pid});
is_deeply([map { $_->{pid} } @{$asked->{tasks}}], [$other->{pid}], "another's process");
is($asked->{denied_tasks}, 1, '... is denied');
is_deeply([map { ($_->{oncpu}, values %{$_->{counts}}) } @{$asked->{tasks}}], [(undef) x 4],
    '... and has no numbers');
my $text = run(@as_nobody, qw(countertop -b -n 1 -d 0.2 -p), $other->{pid});
like($text->{out}, qr/^countertop .* not permitted 1 threads/, '... as the text says');
like($text->{out}, qr/^ *$other->{pid} +\S+( +-){5} +spin$/m, '... with dashes for numbers');

my $cpu = run(@as_nobody, qw(countertop -b -n 1 --engine cpu));
is($cpu->{status}, 1, 'the system-wide engine fails');
is($cpu->{out}, '', '... before it writes anything');
like($cpu->{err}, qr/^countertop: .*perf_event_paranoid is 2.*cap_perfmon.*\n\z/,
    '... with one line that says what it needs');

my ($modes) = refreshes_as_nobody(qw(-n 1 -d 0.2 --mode kernel -e page-faults:u));
my %state = map { $_->{name} => $_->{state} } @{$modes->{events}};
is_deeply([@state{'page-faults', 'page-faults:u'}], ['denied', 'counted'],
    'kernel mode is denied event by event');

stop($_) for $spin, $other, $faults;
# Who was root has privileges of its own until execve(2): it may not be sampled, and ends no sampling of others.
my $was_root = start($^X, '-MPOSIX', '-e', "setgid($nobody); setuid($nobody); \$| = 1; print qq(\\n); 1 while 1");
next_line($was_root);
my $sampled = run(@as_nobody, qw(countertop -b -n 1 -d 0.1 --view functions --sample cpu-clock));
is($sampled->{status}, 0, 'a process that may not be sampled');
like($sampled->{out}, qr/ 1 process not sampled: /, '... is told, and no error');
stop($was_root);

# Functions of a cgroup: samples of its processes only.
SKIP: {
    my ($group, $why) = cgroup_make('countertop-functions');
    skip $why, 2 if !$group;
    my ($inside, $outside) = map { start(@as_nobody, "$ENV{B}/work/shares", $_) } qw(cycles faults);
    open my $procs, '>', "$group/cgroup.procs" or die "$group: $!";
    syswrite $procs, $inside->{pid};
    my $refresh = (json_lines(run(@as_nobody, qw(countertop -b --format json -n 2 -d 1 --view functions --sample cpu-clock -G), $group)->{out}))[2];
    my @names = map { $_->{function} } @{$refresh->{functions}};
    ok((grep { /^cycles_/ } @names), 'functions of a cgroup') or diag explain \@names;
    is((grep { /^faults_/ } @names), 0, '... and of no other process') or diag explain \@names;
    stop($_) for $inside, $outside;
}

done_testing;
