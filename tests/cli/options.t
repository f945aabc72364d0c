#!/usr/bin/env perl
# The command line: refused options with their messages, and a help that is correct in every line.
use Countertop;

# Wrong usage: status 2, nothing on standard output, one line that matches all patterns.
sub refused {
    my ($name, $arguments, @patterns) = @_;
    my $run = countertop(@$arguments);
    my @missing = grep { $run->{err} !~ $_ } qr/^countertop: .+\n\z/, @patterns;
    ok($run->{status} == 2 && $run->{out} eq '' && !@missing, $name)
        or diag "status $run->{status}, said: $run->{err}not matched: @missing";
}

# What is named and what is nearest stand in single quotes.
refused('unknown long option', ['--iterrations', 3], qr/'--iterrations'/, qr/'--iterations'/);
refused('unknown long option with a value', ['--dealy=1'], qr/'--dealy=1'/, qr/'--delay'/);
refused('unknown long option without neighbours', ['--xyzzy'], qr/'--xyzzy'.*--help/);
refused('unknown short option', ['-X'], qr/'-X'.*--help/);
refused('unknown short option among others', ['-bX'], qr/'-X'.*--help/);
refused('unknown short option beyond ASCII', ['-bé'], qr/'-bé'/);
refused('value for an option that takes none', ['--batch=1'], qr/'--batch=1' takes no value/);
refused('missing value', ['-d'], qr/missing value for '-d': expected SEC;/);
refused('missing value after other letters', ['-bn'], qr/missing value for '-n'/);
refused('missing value of a long option', ['--event'], qr/missing value for '--event': expected LIST;/);
refused('unexpected argument', ['-b', 'top'], qr/'top'/, qr/--help/);
refused('no line is broken by what it quotes', ["a\nb\e[1m"], qr/'a[^\e]*'/);

refused('event', ['-b', '-e', 'cyclse'], qr/'cyclse': expected .*'cycles'/);
refused('screen', ['-b', '-s', 'sofware'], qr/'sofware': did you mean 'software'\?$/);
refused('screen that is like none', ['-b', '-s', 'xyzzy'], qr/'xyzzy': see --list-screens$/);
refused('column', ['-b', '--sort', 'cpu_pc'], qr/'cpu_pc': did you mean 'cpu_pct'\?$/);
refused('column that is like none', ['-b', '--sort', 'xyzzy'], qr/no column 'xyzzy': see --list-columns$/);
refused('metric of another screen', ['-b', '-s', 'software', '--sort', 'ipz'], qr/'ipz': did you mean 'ipc'\?$/);
refused('column of another screen', ['-b', '-s', 'software', '--sort', 'wait_pct'],
    qr/column 'wait_pct' is not on this screen, which has pid, user, .*command$/);
refused('column, ascending', ['-b', '--sort', '-fualts_per_s'],
    qr/'fualts_per_s'.*'faults_per_s'/);
refused('empty column', ['-b', '--sort', ''], qr/no column '': see --list-columns$/);
refused('theme', ['--theme', 'drak'], qr/'drak'.*'dark'.*light/);
refused('theme file', ['--theme', './no-such.theme'], qr/'\.\/no-such\.theme'/);
refused('cgroup', ['-G', 'no-such-cgroup'], qr/'no-such-cgroup'/);
refused('user', ['-u', 'rooot'], qr/'rooot': expected .*uid.*'root'/);
refused('uid out of range', ['-u', '99999999999'], qr/'99999999999': expected/);
refused('engine', ['--engine', 'cup'], qr/'cup' for --engine: expected .*'cpu'/);
refused('mode', ['--mode', 'krenel'], qr/'krenel' for --mode: expected .*'kernel'/);
refused('format', ['-b', '--format', 'jsno'], qr/'jsno' for --format: expected .*'json'/);
refused('view', ['--view', 'cpu'], qr/'cpu' for --view: expected .*'cpus'/);

refused("delay $_", ['-b', '-d', $_], qr/bad value '\Q$_\E' for --delay: expected 0\.05 to 3600 seconds/)
    for '0', '0.049', '3600.1', '-1', '1x', '1,5', 'nan', 'inf', '0x1', '';
refused("iterations $_", ['-b', '-n', $_], qr/'\Q$_\E' for --iterations: expected a whole number from 1/)
    for '0', '-1', '1.5', 'ten', '99999999999999999999', '';
refused("pid list '$_'", ['-b', '-p', $_], qr/'\Q$_\E': expected/)
    for '', ',', '0', '-1', '99999999999';
refused("tid list '$_'", ['-b', '-t', $_], qr/'\Q$_\E': expected/)
    for '', ' ,', '0', 'init', '99999999999';

# What would do nothing.
refused("$_->[0] in a replay", ['-b', '--replay', 'x.db', @$_], qr/$_->[0] cannot be used with --replay/)
    for ['--sample', 'page-faults'], ['--call-graph', 'fp'], ['--debuginfod', ()];
refused('two lists', ['--dashboard', '--rules'], qr/--dashboard cannot be used with --rules/);

refused('-o without -b', ['-o', 'x'], qr/-o.*-b/);
refused('--format without -b', ['--format', 'json'], qr/--format.*-b/);
refused('no terminal', [], qr/not a terminal.*-b/);

# Questions are answered on standard output.
sub answered {
    my ($name, $arguments, @patterns) = @_;
    my $run = countertop(@$arguments);
    my @missing = grep { $run->{out} !~ $_ } @patterns;
    ok($run->{status} == 0 && $run->{err} eq '' && !@missing, $name)
        or diag "status $run->{status}, out: $run->{out}err: $run->{err}not matched: @missing";
    return $run->{out};
}

answered($_, [$_], qr/^countertop \d+\.\d+\.\d+\n\z/) for '-V', '--version';
my $brief = answered('--help', ['--help'], qr/^usage: countertop/m, qr/--help all/);
is(answered('-h', ['-h']), $brief, '-h says what --help says');
cmp_ok(scalar(split /\n/, $brief), '<=', 25, '... which fits a terminal');
my $help = answered('--help all', ['--help', 'all'], qr/^usage: countertop/m);
is(answered('-h all', ['-h', 'all']), $help, '-h all says what --help all says');
is((grep { length > 80 } split /\n/, "$brief$help"), 0, 'no line of either is too long for a terminal');
my %table = map { $_ => 1 } my @in_table = $help =~ /^  (.{0,4}--\S+(?: \S+)?)(?:  |$)/mg;
is_deeply([grep { !$table{$_} } $brief =~ /^  (.{0,4}--\S+(?: \S+)?)(?:  |$)/mg], [], 'the options of the short one are those of the long one');
refused('help on something else', ['--help', 'nothing'], qr/'nothing'/, qr/expected nothing or 'all'/);

# The table of the help: `-d, --delay SEC   text`.
my @options;
push @options, {letter => $1, name => $2, value => $3}
    while $help =~ /^  (?:-(.), |    )--([a-z-]+)(?: ([A-Z]+))? /mg;
# -G looks for its argument at once.
my $mounts = do { local (@ARGV, $/) = '/proc/mounts'; <> };
my $cgroups = $mounts =~ m{ /sys/fs/cgroup\S* cgroup2 | cgroup \S*\bperf_event\b};
my %good = (
    pid => $$, tid => $$, user => 'root', event => 'page-faults', screen => 'software',
    sample => 'page-faults/100', 'call-graph' => 'no', by => 'wall', 'waits-over' => 5, show => 'total', mode => 'user', engine => 'task', view => 'cpus', level => 'core', source => 'lines', bars => 'cpus', cgroup => '/', sort => 'pid', filter => 'x',
    theme => 'dark', completion => 'bash', delay => 0.05, iterations => 1, format => 'json', output => '/dev/null', debug => '/dev/null', demo => 'list',
);
# What some are refused without.
my %with = ('csv-safe' => [qw(--format csv)], verify => [qw(--demo all)]);
cmp_ok(@options, '>=', 25, 'the help has a table');
for my $option (@options) {
    my @value = $option->{value} ? $good{$option->{name}} // 1 : ();
    # What comes later wins: no option goes beyond being parsed.
    my @ways = ["--$option->{name}", @value];
    push @ways, ["-$option->{letter}", @value] if $option->{letter};
    for my $way (@ways) {
        SKIP: {
            skip "no cgroups are mounted: @$way", 1 if $option->{name} eq 'cgroup' && !$cgroups;
            my $run = countertop(@$way, @{$with{$option->{name}} // []}, '--batch', '--version');
            is($run->{err}, '', "@$way is accepted");
        }
    }
}
is_deeply([grep { $help !~ /^ .*--$_ /m } keys %good], [], 'every known option is in the help');

my $screens = answered('--list-screens', ['--list-screens'], qr/^overview +\w/m,
    qr/^software +\w.*\n +context-switches,/m);
answered('--list-columns', ['--list-columns'], qr/^pid +PID /m,
    qr/^ipc +IPC .*: instructions \/ cycles$/m);
answered('--list-themes', ['--list-themes'], map { qr/^$_ +\w/m } qw(dark light mono));
answered("screen $1 can be chosen", ['-b', '-n', 1, '-d', 0.05, '-s', $1], qr/%CPU/)
    while $screens =~ /^(\w+)/mg;

for my $question ('--help', '--version', '--list-columns') {
    my $run = run('sh', '-c', "countertop $question >/dev/full");
    is($run->{status}, 1, "$question on a full device fails");
    like($run->{err}, qr/^countertop: cannot write standard output: .*\n\z/, '... and says so');
}
my $run = run('sh', '-c', 'countertop -b -n 1 -d 0.05 >&-');
is($run->{status}, 1, 'a closed standard output fails');
like($run->{err}, qr/^countertop: cannot write standard output: Bad file descriptor\n\z/,
    '... and nothing else takes its place');

done_testing;
