#!/usr/bin/env perl
# Screens and metrics: the lists for each machine, the user's files, and the messages about mistakes
# in them.
use Countertop;
use File::Path 'make_path';

my $top = $ENV{TOP};

# The list as {name => {description, events, reason}}, and that of other CPUs {name => CPUs}.
sub screens {
    my ($run) = @_;
    is($run->{status}, 0, '--list-screens') or diag $run->{err};
    my ($here, $others) = split /^\(for other CPUs\)\n/m, $run->{out};
    my (%screens, $name, $reason);
    for (split /\n/, $here) {
        if (/^\(not here: (.+)\)$/) {
            ok(!grep({ $_ eq $1 } map { $_->{reason} // () } values %screens), 'a reason is said once');
            $reason = $1;
        } elsif (/^(\w\S*) +(.+)/) {
            $name = $1;
            $screens{$name} = {description => $2, defined $reason ? (reason => $reason) : ()};
        } elsif (/^ +(\S+)$/) {
            $screens{$name}{events} = $1;
        }
    }
    return (\%screens, {map { /^  (\S+) +(.+)/ ? ($1, $2) : () } split /\n/, $others // ''});
}

sub shown_as {
    my ($root, $pfm) = @_;
    local $ENV{COUNTERTOP_ROOT} = "$top/tests/data/$root" if $root;
    local $ENV{LIBPFM_FORCE_PMU} = $pfm if $pfm;
    return screens(countertop('--list-screens'));
}

# ---- what is built in, on this machine and on others ----

my @everywhere = qw(overview software ipc branch cache l1 llc tlb memory stalls faults switches energy);
for my $case (['', 'skx', qr/r019c/], ['icelake', 'icx', qr/^\{slots,/],
    ['icelake', '', qr/^\{slots,/], ['', 'amd64_fam19h_zen4', qr/r1000001a0/],
    ['zen5', '', qr/r1000001a0/], ['neoverse', '', qr/stall_slot,/],
    ['alderlake', '', qr{^\{cpu_core/slots/,}],
    ['', 'amd64_fam19h_zen3', undef], ['arm', '', undef], ['biglittle', '', undef]) {
    my ($root, $pfm, $topdown) = @$case;
    my ($screens, $others) = shown_as($root, $pfm);
    my $name = join ' ', grep { $_ } $root, $pfm;
    is_deeply([grep { !$screens->{$_} } @everywhere], [], "$name: the screens for all machines");
    if ($topdown) {
        like($screens->{topdown}{events}, $topdown, "$name: its own top-down screen");
        ok(!$others->{topdown}, '... which is not one for others');
    } else {
        ok(!$screens->{topdown}, "$name: no top-down screen");
        like($others->{topdown}, qr/AMD Zen 4.*Arm Neoverse V1.*Intel Ice Lake/,
            '... and it is said where there is one');
    }
}
{
    # Both core types of this machine have the events of that screen, and it is for both.
    my ($screens) = shown_as('biglittle', '');
    like($screens->{cache}{events}, qr/ll_cache_miss_rd/, 'big.LITTLE: the screen of both core types');
    unlike($screens->{cache}{reason} // '', qr/ambiguous/, '... whose events are counted on each');
}
my ($screens) = shown_as('', '');
is($screens->{faults}{events}, 'minor-faults,major-faults,context-switches', 'software events');
is($screens->{faults}{reason}, undef, '... can be counted');
like($screens->{energy}{reason}, qr/this machine has no PMU 'power'/, 'what is missing is named')
    if !-d '/sys/bus/event_source/devices/power';

{
    local $ENV{LIBPFM_FORCE_PMU} = 'amd64_fam19h_zen3';
    my $run = countertop('-b', '-n', 1, '-s', 'topdown');
    is($run->{status}, 2, 'a screen for other CPUs is refused');
    like($run->{err}, qr/^countertop: screen 'topdown' is not for this CPU: it is for AMD Zen 4.*\n\z/,
        '... and it is said for which it is');
}

# ---- files of the user ----

my $home = tempdir(CLEANUP => 1);
make_path("$home/countertop", "$home/other");

sub write_file {
    my ($name, $text) = @_;
    open my $file, '>', "$home/$name" or die "$name: $!";
    print $file $text;
    close $file;
}

sub mine {
    local $ENV{XDG_CONFIG_HOME} = $home;
    return countertop(@_);
}

my $mine = <<'INI';
[metric major_share]
title = %MAJOR
unit = percent
help = page faults that waited for a disk
expr = if(page-faults > 0, major-faults / page-faults * 100, 0)

[metric run]
title = RUN
unit = seconds
expr = oncpu

[screen software]
description = changed
events = page-faults
columns = pid cpu_pct faults_per_s command

[screen disk@nowhere]
columns = pid

[screen disk]
description = who waits for the disk
events = page-faults
events = major-faults
columns = pid run
columns = major_share command
sort = major_share
INI
write_file('countertop/a.ini', $mine);
write_file('countertop/notes.txt', 'not a screen');
my ($with) = screens(mine('--list-screens'));
is($with->{disk}{description}, 'who waits for the disk', 'a screen of the user');
is($with->{disk}{events}, 'page-faults,major-faults', '... with the events of both lines');
is($with->{software}{description}, 'changed', 'a name given again replaces');
is($with->{overview}{description}, $screens->{overview}{description}, '... and nothing else');
my $run = mine('-b', '-n', 1, '-d', 0.1, '-s', 'disk');
is($run->{status}, 0, 'it can be chosen') or diag $run->{err};
like($run->{out}, qr/^ +PID +RUN +%MAJOR +COMMAND$/m, '... with its columns');
like($run->{out}, qr/^ +\d+ +[\d.]+(ns|us|ms|s) +[\d.]+ \S/m, '... in the formats of their units');
like(mine('--list-columns')->{out}, qr/^major_share +%MAJOR +page faults that waited .*: if\(/m,
    'a metric of the user is listed');
my ($header) = json_lines(mine('-b', '-n', 1, '-d', 0.1, '-s', 'disk', '--format', 'json')->{out});
is_deeply([grep { $_->{name} eq 'major_share' } @{$header->{metrics}}],
    [{name => 'major_share', unit => '%',
      expr => 'if(page-faults > 0, major-faults / page-faults * 100, 0)'}], '... and in JSON');

# -W DIR instead of it.
my ($without) = screens(mine('-W', "$home/other", '--list-screens'));
ok(!$without->{disk}, '-W: another directory');
($with) = screens(countertop('-W', "$home/countertop", '--list-screens'));
ok($with->{disk}, '... and the one with the file');
($with) = screens(do { local $ENV{HOME} = $home; make_path("$home/.config");
    symlink "$home/countertop", "$home/.config/countertop"; countertop('--list-screens') });
ok($with->{disk}, '~/.config/countertop');
$run = countertop('-W', "$home/none", '-b', '-n', 1);
is($run->{status}, 2, '-W: no such directory');
like($run->{err}, qr/^countertop: cannot read the directory '\Q$home\E\/none' of screens: No such/,
    '... is said');

# ---- mistakes: one line with the file and the line, status 2, nothing on standard output ----

for my $case (
    ["[screen x]\ncolumns = pid ipcc\n", 2, qr/screen 'x': its column 'ipcc' is no metric.*nearest is 'ipc'/],
    ["[screen x]\n\nevents = page-fualts\ncolumns = pid\n", 3, qr/'x': unknown event 'page-fualts'.*'page-faults'/],
    ["[screen x]\ncolumns = pid\nrequires = cycles\n", 2, qr/cannot require 'cycles': the screen has no such event/],
    ["[metric x]\nexpr = cycles / * 2\n", 2, qr/expected a number.* at column 10: cycles \/ \^\* 2$/],
    ["[scren x]\ncolumns = pid\n", 2, qr/unknown section 'scren x': expected \[metric NAME\]/],
    ["columns = pid\n", 1, qr/'columns' stands before the first section/],
    ["[screen x]\ncolumns = pid\nwidths = user:8\n", 2, qr/screen 'x' has a width but no column 'user'/],
    ["[cpus x]\nlabel = y\n", 2, qr/set of CPUs 'x' has no match/],
) {
    my ($text, $line, $message) = @$case;
    write_file('countertop/b.ini', $text);
    for my $arguments (['--list-screens'], ['-b', '-n', 1]) {
        my $run = mine(@$arguments);
        chomp(my $said = $run->{err});
        ok($run->{status} == 2 && $run->{out} eq '' && $said =~ $message && $said !~ /\n/ &&
            $said =~ /^countertop: \Q$home\E\/countertop\/b\.ini:$line: /, "@$arguments: $message")
            or diag "status $run->{status}, said: $said";
    }
}
is(mine('--version')->{status}, 0, 'a question about the program itself is answered nevertheless');
is(mine('--help')->{status}, 0, '... and so is another');
unlink "$home/countertop/b.ini";

# ---- a screen for other machines works with what there is; a slip is refused ----

write_file('countertop/b.ini', <<'INI');
[screen elsewhere]
events = page-faults,mem_loads_elsewhere
columns = pid page-faults mem_loads_elsewhere command
widths = page-faults:14 command:5
INI
$run = mine('-b', '-n', 1, '-d', 0.1, '-s', 'elsewhere');
is($run->{status}, 0, 'an event that only another machine has') or diag $run->{err};
like($run->{out}, qr/^mem_loads_elsewhere not counted: neither perf nor libpfm4 knows an event of that name here$/m,
    '... is told');
like($run->{out}, qr{^ +PID {7}faults/s ld_elsewhere/s COMMAND$}m, '... and has its column');
like($run->{out}, qr/^ *\d+ +\S+ +- \S/m, '... without numbers beside those of the others');
is(join(' ', grep { /^[ -~]{6,}$/ } map { / - (\S.*)/ ? $1 : () } split /\n/, $run->{out}), '',
    'columns are as wide as they are said to be');
my ($elsewhere) = screens(mine('--list-screens'));
ok($elsewhere->{elsewhere}, '... and it is listed');
($header) = json_lines(mine('-b', '-n', 1, '-d', 0.1, '-s', 'elsewhere', '--format', 'json')->{out});
is_deeply([map { "$_->{name} $_->{state}" } @{$header->{events}}],
    ['page-faults counted', 'mem_loads_elsewhere unsupported'], '... in JSON too');
unlink "$home/countertop/b.ini";

# ---- what relates events to user and kernel mode has no value in one of them ----

write_file('countertop/b.ini', <<'INI');
[metric kern]
expr = page-faults:k / page-faults * 100
mode = all
[screen modes]
events = page-faults,page-faults:k
columns = pid kern page-faults command
INI
for my $mode (qw(all user kernel)) {
    my @rows = mine('-b', '-n', 1, '-d', 0.2, '-s', 'modes', '-i', '--mode', $mode)->{out} =~ /^ *\d+ +(\S+) +\S+ \S/mg;
    cmp_ok(scalar @rows, '>', 0, "mode $mode: rows");
    is(!!(grep { $_ ne '-' } @rows), $mode eq 'all', '... with the share of kernel mode where it can be');
}
unlink "$home/countertop/b.ini";

# ---- without a wish it is as ever ----

if (!-d '/sys/bus/event_source/devices/cpu') {
    my ($header) = json_lines(countertop('-b', '-n', 1, '-d', 0.1, '--format', 'json')->{out});
    is_deeply([map { $_->{name} } @{$header->{events}}],
        ['context-switches', 'cpu-migrations', 'page-faults'], 'no hardware: screen software');
}
# A screen of CPUs is shown as such, unless told otherwise.
like(countertop('-b', '-n', 1, '-d', 0.1, '-s', 'energy')->{out}, qr/^ *CPU +HEAT +%CPU .*PKG W/m,
    'energy is of CPUs');
like(countertop('-b', '-n', 1, '-d', 0.1, '-s', 'energy', '--view', 'tasks')->{out},
    qr/^ *P .*COMMAND/m, '... unless tasks are asked for');

done_testing;
