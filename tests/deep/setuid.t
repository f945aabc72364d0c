#!/usr/bin/env perl
# A watched process executes a program with privileges of its own: the kernel stops counting it, and
# no output may show that it is idle since then.
use Countertop;
use File::Copy;

plan skip_all => 'only root can make a setuid program' if $> != 0;
# Not the user of other tests, who would see these programs too.
my $nobody = 65533;
my @as_nobody = ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', '--',
    'env', 'HOME=/'); # of their own
plan skip_all => "user $nobody cannot run what was built here (a folder is closed to others)"
    if run(@as_nobody, "$ENV{B}/countertop", '--version')->{status};
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR};
copy("$ENV{B}/work/spin", "$dir/privileged") or die "copy: $!";
chmod 04755, "$dir/privileged";
chomp(my $mount = run('findmnt', '-no', 'OPTIONS', '-T', $dir)->{out});
plan skip_all => "$dir is on a file system where setuid has no effect" if $mount =~ /\bnosuid\b/;

# What countertop as this user shows of a process that becomes that program: the refreshes before
# and after, and the notices in the text.
sub observe {
    my ($as, @options) = @_;
    my $work = start(@as_nobody, 'sh', '-c', 'read line; exec "$0"', "$dir/privileged");
    my @common = (qw(countertop -b --engine task -d 0.3 -e page-faults -s software), @options,
        '-p', $work->{pid});
    my $watch = start(@$as, @common, '--format', 'json');
    my $text = start(@$as, @common);
    next_refresh($watch) for 1 .. 3; # the header
    print {$work->{in}} "now\n";
    my @after = map { next_refresh($watch) } 1 .. 7;
    stop($watch);
    my $page = stop($text)->{out};
    kill KILL => $work->{pid};
    finish($work);
    return ([map { [grep { $_->{pid} == $work->{pid} } @{$_->{tasks}}] } @after], $page);
}

for my $options ([], ['-H']) {
    my $what = @$options ? 'threads' : 'processes';
    my ($after, $page) = observe(\@as_nobody, @$options);
    my @last = map { @$_ } @$after[2 .. 6];
    is(@last, 5, "$what: the process is still shown");
    is((grep { defined } map { ($_->{oncpu}, values %{$_->{counts}}) } @last), 0,
        '... without numbers');
    is((grep { $_->{exited} } @last), 0, '... and has not ended');
    like($page, qr/as root, run 'setcap cap_perfmon\+ep \/\S+\/countertop'; process \d+ is not counted, or not all of it: .*privileges of its own$/m,
        '... with the reason and the remedy');

    # Who may count everything begins again.
    ($after) = observe([], @$options);
    is((grep { defined $_->{oncpu} && $_->{oncpu} > 0 } map { @$_ } @$after[5, 6]), 2,
        "$what: root counts it again");
    is((grep { defined $_->{oncpu} && $_->{oncpu} > 0.4 } map { @$_ } @$after), 0,
        '... and never more than there is');
}

# The same in a child of a command: its time is seen when the command has waited for it.
copy("$ENV{B}/work/loop", "$dir/$_") or die "copy: $!" for 'plain', 'raised';
chmod 0755, "$dir/plain";
chmod 04755, "$dir/raised";
for my $program ('plain', 'raised') {
    my $run = run(@as_nobody, qw(countertop -b --format json --engine task -e page-faults),
        qw(-s software --), 'sh', '-c', "$dir/$program 2000000000; true");
    is($run->{status}, 0, "a command with the child '$program'");
    my ($row) = reverse map { @{$_->{tasks}} } grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    is(defined $row->{oncpu}, $program eq 'plain', '... is counted as a whole or not at all');
}

# ... and however short it is.
for my $program ('plain', 'raised') {
    my $run = run(@as_nobody, qw(countertop -b --format json --engine task -e page-faults),
        qw(-s software --), 'sh', '-c', "$dir/$program 10; true");
    my ($last) = reverse json_lines($run->{out});
    is(defined $last->{total}{counts}{'page-faults'}, $program eq 'plain', "a short child '$program'");
}

# The command itself, too short for its time to show it: once, and as an experiment.
for my $program ('plain', 'raised') {
    my ($row) = map { @{$_->{tasks}} } grep { $_->{type} eq 'refresh' }
        json_lines(run(@as_nobody, qw(countertop -b --format json -e page-faults -s software --), "$dir/$program", 1000)->{out});
    is(defined $row->{counts}{'page-faults'}, $program eq 'plain', "the short command '$program'");
    my $table = run(@as_nobody, qw(countertop -r 2 -e page-faults -s software --), "$dir/$program", 1000)->{out};
    my $value = $program eq 'plain' ? qr/[\d.]+ .*/ : qr/- +- +-/;
    like($table, qr/^page-faults +$value$/m, '... also as an experiment');
}

# With capabilities of its file the program is not its user's in /proc, nor was the child that waits
# to become the command, which then seemed to have executed a program with other privileges.
SKIP: {
    copy("$ENV{B}/countertop", "$dir/capable") or die "copy: $!";
    chmod 0755, "$dir/capable";
    my $set = run('setcap', 'cap_perfmon+ep', "$dir/capable");
    skip "no file can have capabilities here: $set->{err}", 7 if $set->{status};
    # Sanitizers look at their own process for leaks, which a program with capabilities may not.
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0';
    skip 'capabilities of files have no effect here', 7
        if run(@as_nobody, "$dir/capable", '--check')->{out} !~ /^capabilities +.*cap_perfmon/m;
    my @capable = (@as_nobody, "$dir/capable");
    my @counting = qw(-b --engine task -e page-faults -s software);
    my $run = run(@capable, @counting, qw(-i -d 0.1 -- sleep 1));
    is($run->{status}, 0, 'a command that is started with capabilities');
    unlike($run->{out}, qr/not permitted|not counted|privileges/, '... is counted from the first interval on');
    my @rows = $run->{out} =~ /^ *\d+ .* sleep$/mg;
    cmp_ok(scalar(@rows), '>', 3, '... in each of them');
    is((grep { / - / } @rows), 0, '... with numbers');
    # From its first instruction on, and not before: as many faults as it says that it has had.
    my @own = ('perl', '-e', 'open F, "/proc/self/stat"; print STDERR +(split " ", <F>)[9]');
    $run = run(@capable, @counting, '--format', 'json', '--', @own);
    my ($perl) = map { task($_, 'perl') } grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    cmp_ok(abs($perl->{counts}{'page-faults'} - $run->{err}), '<=', 60, '... as a whole, and nothing before it');
    # It has none of the capabilities.
    like(run(@capable, '-b', '-o', '/dev/null', '--', 'grep', '^Cap[PEA]', '/proc/self/status')->{out},
        qr/^(?:Cap(?:Prm|Eff|Amb):\t0+\n){3}\z/, '... and has no capabilities');
    like(run(@capable, @counting, qw(-d 0.1 --), "$dir/raised", 2000000000)->{out},
        qr/^not all of the command is counted: a process of it has executed a program with privileges/m,
        '... and of one that does have privileges it is told');
}
done_testing;
