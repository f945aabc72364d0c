#!/usr/bin/env perl
# --check tries what can be counted, and its page agrees with the kernel.
use Countertop;
use File::Copy;

my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);

# The first line of a file; undef when there is none.
sub line_of {
    open my $file, '<', $_[0] or return undef;
    chomp(my $line = readline($file) // return undef);
    return $line;
}

# The object that --check tells, with what it can by name; and its exit status.
sub check {
    my $run = run(@_, qw(countertop --check --format json));
    is($run->{err}, '', "@_: nothing on standard error");
    my ($page, @more) = json_lines($run->{out});
    is(@more, 0, '... and one line on standard output');
    my %can = map { $_->{what} => $_ } @{$page->{can}};
    is_deeply([grep { $_->{works} xor !defined $_->{reason} } values %can], [],
        '... in which whatever does not work has a reason');
    return ($page, \%can, $run->{status});
}

sub sysctl {
    my ($name) = @_;
    my $value = line_of("/proc/sys/$name");
    return defined $value ? 0 + $value : undef;
}

my ($page, $can, $status) = check();
my %works = map { $_ => $can->{$_}{works} } keys %$can;
is_deeply([sort keys %$can], [sort 'all tasks of a CPU', 'hardware events', 'kernel mode',
    'processes of others', 'software events', 'tracepoints', 'breakpoints'], 'all that one may count is there');
is_deeply([sort keys %$page], [sort qw(type version result kernel machine cpu_model cpus hypervisor
    pmus counters libpfm4 tables event_files uid capabilities restrictions sandbox server_sandbox landlock can limits)], 'the keys');
is($page->{type}, 'check', 'its type');
is($page->{kernel}, line_of('/proc/sys/kernel/osrelease'), 'the kernel');
chomp(my $cpus = `nproc --all`);
is($page->{cpus}, $cpus, 'the CPUs');
opendir my $folder, '/sys/bus/event_source/devices' or die "PMUs: $!";
is_deeply($page->{pmus}, [sort grep { !/^\./ } readdir $folder], 'the PMUs');
is($page->{uid}, $>, 'the user');
my %limit = (
    (map { $_ => sysctl("kernel/$_") } qw(perf_event_paranoid perf_event_mlock_kb
        perf_event_max_sample_rate perf_cpu_time_max_percent nmi_watchdog)),
    'file-max' => sysctl('fs/file-max'),
    descriptors => `sh -c 'ulimit -Sn'`, descriptors_hard => `sh -c 'ulimit -Hn'`,
    locked_kb => `sh -c 'ulimit -Sl'`, locked_kb_hard => `sh -c 'ulimit -Hl'`,
);
is_deeply($page->{limits}, {map { $_ => defined $limit{$_} && $limit{$_} =~ /(-?\d+)/ ? $1 : undef }
    keys %limit}, 'the limits');
is($status, $page->{result} eq 'hardware' ? 0 : 3, 'the exit status tells what works');
is(!!$works{'hardware events'}, $page->{result} eq 'hardware', '... as the result does');
is(!!$works{'hardware events'}, !!grep({ $_->{free} } @{$page->{counters}}),
    '... and the counters do');
is(!!$works{'software events'}, 1, 'software events work');
my $fires = breakpoints_fire();
is(!!$works{breakpoints}, !!$fires, 'breakpoints work where they fire');
like($can->{breakpoints}{reason} // '', $fires ? qr/^$/ : $never_fires, '... else it is told');

# The page says the same to a reader.
my $text = run(qw(countertop --check));
is("$text->{status}$text->{err}", $status, 'the text has the same status');
like($text->{out}, qr/^countertop \Q$page->{version}\E$/m, '... the version');
like($text->{out}, qr/^kernel +\w+ \Q$page->{kernel}\E \Q$page->{machine}\E$/m, '... the kernel');
like($text->{out}, qr/^processor +\Q$page->{cpu_model}\E, $page->{cpus} CPUs?$/m, '... the CPUs');
like($text->{out}, qr/^  \Q$_\E +@{[$works{$_} ? 'yes' : 'no']}$/m, "... $_") for sort keys %works;
like($text->{out}, qr/^    \Q$can->{$_}{reason}\E$/m, "... why not $_")
    for grep { !$works{$_} } sort keys %works;
unlike($text->{out}, qr/\t|[ ]$/m, '... and no blanks at the ends of lines');

# Tried, not read: what a filter lets through no more, does not work.
SKIP: {
    skip 'only root can take permissions away', 23 if $> != 0;
    my ($page, $can, $status) = check(qw(forbid EPERM));
    is($status, 1, 'nothing works under a seccomp filter');
    is($page->{result}, 'nothing', '... is the result');
    is_deeply($page->{restrictions}, ['seccomp filter'], '... of the filter');
    # Without tracefs there is no number to open a tracepoint by.
    my @opened = grep { $_->{reason} !~ /^tracefs is not mounted: / } values %$can;
    is(@opened, -d '/sys/kernel/tracing/events' ? 7 : 6, '... of all that is opened');
    is_deeply([grep { $_->{reason} !~ /^a seccomp filter forbids perf_event_open, although there is CAP_PERFMON, / } @opened],
        [], '... which is the reason for it');
    my $filtered = run(qw(forbid EPERM countertop --check))->{out};
    is((grep { /seccomp filter forbids/ } split /\n/, $filtered), 1, '... and told once');

    my $built = run(@as_nobody, "$ENV{B}/countertop", '--version');
    skip 'user 65534 cannot run what was built here (a folder is closed to others)', 14
        if $built->{status};
    my $paranoid = sysctl('kernel/perf_event_paranoid');
    skip "perf_event_paranoid is $paranoid: this is about 2", 14 if $paranoid != 2;
    my $hardware = $works{'hardware events'};
    ($page, $can, $status) = check(@as_nobody);
    is($status, $hardware ? 0 : 3, 'without privilege the same counters work');
    is($page->{uid}, 65534, '... for that user');
    is_deeply($page->{capabilities}, [], '... who has no capabilities');
    is_deeply({map { $_ => !!$can->{$_}{works} } keys %$can}, {
        'hardware events' => !!$hardware,
        'software events' => 1,
        breakpoints => !!$fires,
        map { $_ => '' } 'kernel mode', 'all tasks of a CPU', 'processes of others', 'tracepoints',
    }, '... and may count only himself, in user mode');
    my $setcap = "setcap cap_perfmon+ep $ENV{B}/countertop";
    like($can->{'kernel mode'}{reason}, qr/sysctl kernel\.perf_event_paranoid=1' or '\Q$setcap\E',/,
        'kernel mode: what would help');
    like($can->{'all tasks of a CPU'}{reason}, qr/sysctl kernel\.perf_event_paranoid=0' or '\Q$setcap\E'$/,
        'all tasks: what would help');
    like($can->{'processes of others'}{reason}, qr/as root, run '\Q$setcap\E'$/,
        'others: what would help');

    # The advice can be pasted, wherever the program lies.
    my $dir = tempdir(CLEANUP => 1);
    my $odd = "$dir/it's a \$1;*";
    mkdir $odd;
    chmod 0755, $dir, $odd, $ENV{TMPDIR};
    copy("$ENV{B}/countertop", "$odd/countertop") or die "copy: $!";
    chmod 0755, "$odd/countertop";
    for my $options (['--check'], [qw(-b --engine cpu)],
        [qw(-b --format json -n 1 -d 0.05 -s software)]) {
        my $run = run(@as_nobody, "$odd/countertop", @$options);
        my ($header) = $run->{out} =~ /^\{/ ? json_lines($run->{out}) : ();
        my $told = $header ? join "\n", map { $_->{reason} // () } @{$header->{events}}
            : "$run->{out}$run->{err}";
        my @words = $told =~ /'setcap cap_perfmon\+ep (\/[^"\n]*?\/countertop)'/g;
        is_deeply([map { run('sh', '-c', "printf %s $_")->{out} } @words],
            ["$odd/countertop", ("$odd/countertop") x $#words], "@$options: the program's own path")
            or diag $told;
    }

    # Started with fewer descriptors it would raise its limit, and so does the trial.
    ($page, $can) = check('prlimit', '--nofile=18:1024');
    is($page->{limits}{descriptors}, 18, 'the limit is told as it was found');
    is(!!$can->{'software events'}{works}, 1, '... and raised as far as it may be');
}

# Another processor: tables of libpfm4 are told by name.
$ENV{LIBPFM_FORCE_PMU} = 'skx';
my ($other) = json_lines(run(qw(countertop --check --format json))->{out});
is_deeply($other->{tables}, ['skx'], "libpfm4's tables");
delete $ENV{LIBPFM_FORCE_PMU};

my $full = run('sh', '-c', 'countertop --check >/dev/full');
is($full->{status}, 1, 'a page that cannot be written is a failure');
is($full->{err}, "countertop: cannot write standard output: No space left on device\n",
    '... which is told');

# The page begins with what one can count.
my ($verdict) = countertop('--check')->{out} =~ /\A(You can count .*)\n/;
my @kinds = grep { $works{$_} } 'hardware events', 'software events', 'tracepoints';
my $whose = $works{'processes of others'} ? 'all tasks' : 'your own processes';
my $last = pop @kinds;
my $listed = @kinds ? join(', ', @kinds) . " and $last" : $last;
is($verdict, "You can count $listed of $whose" . ($works{'kernel mode'} ? '.' : ', in user mode.'), 'a sentence says what one can count');

done_testing;
