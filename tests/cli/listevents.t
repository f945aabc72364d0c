#!/usr/bin/env perl
# --list-events: events by name, and whether they can be counted here, compared with counting them.
use Countertop qw(:DEFAULT installed);
use List::Util 'uniq';

# {name => {mark, text, group}}, and the reasons, of what --list-events writes to a pipe.
sub entries {
    my ($out) = @_;
    my ($group, $why, %entry, @crooked);
    for my $line (split /\n/, $out) {
        if ($line =~ /^\S/) {
            ($group, $why) = ($line, '');
        } elsif ($line =~ /^ {7}why: (.+)$/) { # which looks like a spelling
            $why = $1;
            $_->{why} ||= $why for grep { $_->{group} eq $group && $_->{mark} eq 'no' } values %entry;
        } elsif ($line =~ /^  (yes|no |   )  (\S+)(?: +(\S.*))?$/) {
            my ($mark, $name, $text) = ($1, $2, $3 // '');
            $entry{$name} =
                {mark => $mark =~ s/ +//r, text => $text, group => $group, why => $why};
        } elsif ($line ne '') {
            push @crooked, $line;
        }
    }
    is_deeply(\@crooked, [], 'every line is a title, an event or a reason');
    return \%entry;
}

sub list {
    my $run = countertop('--list-events', @_);
    is("$run->{status}$run->{err}", 0, "--list-events @_ ends well and says nothing");
    return entries($run->{out});
}

my $all = list();
my @tracepoints = grep { $all->{$_}{group} =~ /^tracepoints/ } keys %$all;
is(@tracepoints > 90, !!-r '/sys/kernel/tracing/events', 'tracepoints are there where tracefs is');
cmp_ok(keys(%$all) - @tracepoints, '>', 60, '... and there are many other events');
is($all->{'page-faults'}{group}, 'software events', 'events stand under their kind');
is($all->{'page-faults'}{text}, 'page faults, minor and major', '... with a description');
is($all->{'rHEX'}{mark}, '', 'spellings are no events, and are not tried');
my $mem = $all->{'mem:ADDRESS[/LENGTH][:rwx]'};
my $fires = breakpoints_fire();
is($mem->{mark}, $fires ? '' : 'no', '... but breakpoints, which may never fire');
like("$mem->{why}: use a machine where they do", $fires ? qr/^: / : $never_fires, '... with that reason');
is($all->{'bpf-output'}{mark}, 'no', 'what only stays 0 is marked');
unlike(join('', map { $_->{why} } values %$all), qr/;/, 'reasons are causes alone');

# ---- it is tried ----

sub states {
    my ($as, @names) = @_;
    my $run = run(@$as, qw(countertop -b --format json -n 1 -d 0.05 -e), join ',', @names);
    is("$run->{status}$run->{err}", 0, 'they can be asked for');
    my ($header) = json_lines($run->{out});
    return {map { $_->{name} => $_ } @{$header->{events}}};
}

sub agrees {
    my ($who, $as, $entries) = @_;
    my @names = (qw(cycles cache-misses L1-dcache-loads page-faults context-switches task-clock),
        grep { exists $entries->{$_} } qw(sched:sched_switch msr/tsc/ msr/aperf/));
    my $state = states($as, @names);
    for my $name (@names) {
        my $counted = $state->{$name}{state} eq 'counted';
        is($entries->{$name}{mark}, $counted ? 'yes' : 'no', "$who: $name as it is counted")
            or diag $state->{$name}{reason};
        is(index($state->{$name}{reason}, $entries->{$name}{why}), 0, '... with that reason')
            if !$counted;
    }
}
agrees('root', [], $all) if $> == 0;

SKIP: {
    my @as = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--');
    skip 'only root can become someone else', 1
        if $> != 0 || run(@as, "$ENV{B}/countertop", '--version')->{status};
    my $run = run(@as, 'countertop', '--list-events', 'software');
    skip 'nothing may be counted', 1 if $run->{out} !~ /^  yes /m;
    my $rest = run(@as, 'countertop', '--list-events', 'e')->{out};
    agrees('nobody', \@as, entries($rest));
}

# Whether tracepoints can be counted is tried with few of them, since closing one takes 30 ms: those of
# other subsystems agree. Who may count in user mode alone may count those of system calls and no others.
SKIP: {
    skip 'no tracefs is mounted here, or not for this user', 4 if !@tracepoints;
    my %first;
    for my $name (sort @tracepoints) {
        $first{$name =~ s/:.*//r} //= $name;
    }
    my @subsystems = sort keys %first;
    my @some = map { $first{$_} } uniq((grep { $_ eq 'syscalls' } @subsystems),
        map { $subsystems[$_ * @subsystems / 10] } 0 .. 9);
    sub agree_on {
        my ($who, $as, $entries, @names) = @_;
        my $state = states($as, @names);
        is_deeply([map { $entries->{$_}{mark} } @names],
            [map { $state->{$_}{state} eq 'counted' ? 'yes' : 'no' } @names], "$who: tracepoints as they are counted");
    }
    agree_on('here', [], $all, @some);
    SKIP: {
        # The group may read events, but not pass the folder above them, which is left as it is.
        my $dir = tempdir(CLEANUP => 1);
        my @reader = ('unshare', '-m', 'sh', '-c', "mount --bind /sys/kernel/tracing/events $dir &&
            mount -t tmpfs -o mode=755 tmpfs /sys/kernel/tracing && mkdir /sys/kernel/tracing/events &&
            mount --move $dir /sys/kernel/tracing/events && exec \"\$@\"", 'sh',
            qw(setpriv --reuid=65534 --regid=0 --clear-groups --));
        skip 'only root can become someone else who sees tracepoints', 1
            if $> != 0 || run(@reader, "$ENV{B}/countertop", '--version')->{status};
        my $entries = entries(run(@reader, 'countertop', '--list-events')->{out});
        skip 'somebody else sees no tracepoints', 1 if grep { !$entries->{$_} } @some;
        agree_on('a reader', \@reader, $entries, @some);
    }
    skip "'strace' is not installed", 1 if !installed('strace');
    my $calls = tempdir(CLEANUP => 1) . '/calls';
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0'; # which traces, too
    run('strace', '-f', '-e', 'trace=perf_event_open', '-o', $calls, 'countertop', '--list-events');
    my $opened = () = slurp_or_empty($calls) =~ /PERF_TYPE_TRACEPOINT.* = \d+$/mg;
    my @kinds = uniq(map { /^(?:ftrace|syscalls)$/ ? $_ : '' } grep { $all->{$first{$_}}{mark} eq 'yes' } @subsystems);
    is($opened, @kinds, '... one of each kind was opened');
}

# ---- patterns ----

my $faults = countertop('--list-events', 'FAULTS software')->{out};
my $found = entries($faults);
is_deeply([sort grep { $found->{$_}{group} eq 'software events' } keys %$found],
    [qw(alignment-faults emulation-faults faults major-faults minor-faults page-faults)],
    'all words have to be there, whatever their case');
is(countertop('--list-events=FAULTS software')->{out}, $faults, "the pattern may stand behind '='");
is(countertop('--list-events', 'software', '--version')->{out}, countertop('--version')->{out},
    'what follows is an option again');
is_deeply([sort keys %{list('another', '--mode', 'user')}],
    [sort keys %{list('--mode', 'user', '--list-events', 'another')}], 'options may stand around it');

my $none = countertop('--list-events', 'cylces');
is("$none->{status}$none->{out}", 1, 'no match is a failure');
is($none->{err}, "countertop: no event matches 'cylces'; nearest is 'cycles'\n", '... that helps');
$none = countertop('--list-events', "xyzzy\e[1m");
like($none->{err}, qr/^countertop: no event matches 'xyzzy[^\e]*'; --list-events alone shows all$/,
    'without a near one it tells where all are, and nothing that a terminal would obey');
my $wrong = countertop('--list-events', 'cache', 'misses');
is($wrong->{status}, 2, 'more than one word is wrong usage');
like($wrong->{err}, qr/^countertop: unexpected argument 'misses'/, '... that is named');

# ---- other machines ----

{
    local $ENV{LIBPFM_FORCE_PMU} = 'skx';
    my $skylake = list('skx::mem_load_retired');
    is($skylake->{'skx::MEM_LOAD_RETIRED:L3_MISS'}{text} =~ /^Retired load uops.*L3/ ? 1 : 0, 1,
        'unit masks are described') or diag explain $skylake;
    is($skylake->{'skx::MEM_LOAD_RETIRED:L3_MISS'}{group}, "libpfm4 'skx' (Intel Skylake X)",
        '... under their table');
}
{
    local $ENV{COUNTERTOP_ROOT} = 'tests/data/intel';
    my $intel = list('power');
    is($intel->{'power/energy-pkg/'}{text}, 'event=0x02, in Joules', 'a PMU has units');
    # Whether a breakpoint can be had depends on who else has some at that moment.
    my ($empty, $none) = map { countertop('--list-events', @$_)->{out} =~ s/^ +(?:\w+ +)?mem:.*\n(?: +why: .*\n)?//mr } [''], [];
    is($empty, $none, 'an empty pattern is no pattern');
}

# ---- a closed pipe, a full device ----

is(run('sh', '-c', 'countertop --list-events >/dev/full')->{status}, 1, 'a full device fails');
is(run('sh', '-c', 'countertop --list-events software | grep -c "^  yes  page-faults "')->{out}, "1\n",
    'one line for each event is there for grep');

done_testing;
