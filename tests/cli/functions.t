#!/usr/bin/env perl
# In which functions an event happens: programs whose functions have 70, 20 and 10 of 100 by
# construction, all formats, names of files that are gone or were replaced, code made at run time,
# and recordings that are read without the programs.
use strict;
use warnings;
use Encode 'decode';
use Countertop;
use File::Copy 'copy';
use File::Temp 'tempdir';
use List::Util qw(sum0);
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my ($build) = $ENV{B};
my $names = qr/_(seventy|twenty|ten)$/;

# The functions of the last refresh by name, and its line about sampling.
sub profile {
    my @refreshes = refreshes('--view', 'functions', @_);
    my %found;
    $found{$_->{function}} = $_ for @{$refreshes[-1]{functions}};
    return (\%found, $refreshes[-1]{sampling}, $refreshes[-1]);
}

# Whether shares are as constructed: within four standard deviations of as many samples, since a
# test with three of them would fail each hundredth time, and what the machine adds.
sub is_constructed {
    my ($found, $prefix, $name) = @_;
    my %part = (seventy => 0.7, twenty => 0.2, ten => 0.1);
    my @of = map { $found->{"${prefix}_$_"} } sort keys %part;
    my $samples = sum0 map { $_->{samples} // 0 } @of;
    my $all = sum0 map { $_->{share} // 0 } @of;
    cmp_ok($all, '>', 0.5, "$name: the three functions have most of it") or diag explain [keys %$found];
    for my $part (sort keys %part) {
        my $share = ($found->{"${prefix}_$part"}{share} // 0) / ($all || 1);
        my $error = 4 * sqrt($part{$part} * (1 - $part{$part}) / ($samples || 1)) + 0.01;
        cmp_ok(abs($share - $part{$part}), '<=', $error, "$name: $part is $part{$part}, by chance $error off");
    }
    return $samples;
}

# ---- a command, from its first instruction to its end ----

my ($found, $sampling, $refresh) = profile('--', 'shares', 'cycles', 20_000);
is_constructed($found, 'cycles', 'cpu-clock');
is($sampling->{event}, 'cpu-clock', 'without hardware counters the time is sampled') if !-d '/sys/bus/event_source/devices/cpu';
is($sampling->{rate}, 997, '... 997 times a second');
# Timers come late where the host runs something else.
cmp_ok(abs(($sampling->{explained} // 0) - 0.8), '<', 0.3, '... which explains the time on CPUs');
is($sampling->{lost}, 0, '... and nothing is lost');
like($found->{cycles_seventy}{object}, qr{/work/shares$}, 'the object is the path of the program');
is(join(' ', map { $_ // 'null' } @{$found->{cycles_seventy}}{qw(named pid)}), '1 null', 'it has a name, and is of no single process');
cmp_ok(abs(sum0(map { $_->{share} } values %$found) - 1), '<', 0.001, 'all shares are 1');

# ---- the same program under perf ----

SKIP: {
    skip 'perf is not installed', 3 if !grep { -x "$_/perf" } split /:/, $ENV{PATH};
    my $recorded = run('perf', 'record', '-q', '-F', 997, '-e', 'cpu-clock', '-o', "$dir/perf.data", '--', 'shares', 'cycles', 20_000);
    my $report = run('perf', 'report', '-i', "$dir/perf.data", '--stdio', '-g', 'none', '-F', 'overhead,sample,sym')->{out};
    my %perf = map { $_ => $report =~ /^ *([\d.]+)% +(\d+) .*\bcycles_$_\b/m ? [$1 / 100, $2] : undef } qw(seventy twenty ten);
    skip "perf does not sample here: $recorded->{err}", 3 if grep { !$_ } values %perf;
    for my $part (sort keys %perf) {
        my ($share, $samples) = @{$perf{$part}};
        my $own = $found->{"cycles_$part"};
        my $error = 4 * $share * (1 / sqrt($samples) + 1 / sqrt($own->{samples} || 1)) + 0.01;
        cmp_ok(abs($own->{share} - $share), '<=', $error, "perf report says the same of $part, but for chance");
    }
}

# ---- events that are sampled each time ----

($found, $sampling) = profile('--sample', 'page-faults', '--', 'shares', 'faults', 2_000);
# Each is sampled, so that all is exact, from the first instruction of the command to its last.
SKIP: {
    skip 'records were lost or sampling throttled: the machine is too busy', 2 if $sampling->{lost} || $sampling->{throttled};
    is_deeply([map { $found->{"faults_$_"}{counts}{'page-faults'} } qw(seventy twenty ten)], [140_000, 40_000, 20_000],
        'page faults: each is sampled, so the functions have the exact counts');
    is($sampling->{explained}, 1, '... which explain the count of the whole run');
}
($found, $sampling) = profile('--sample', 'page-faults/499', '--', 'shares', 'faults', 2_000);
is($sampling->{rate}, 499, 'a rate');
cmp_ok($sampling->{samples}, '<', 20_000, '... makes fewer samples');
cmp_ok($sampling->{explained}, '<=', 1, '... that never stand for more than there was');

# ---- callers ----

my $folded = countertop('-b', '--format', 'folded', '--', 'shares', 'cycles', 5_000);
is($folded->{status}, 0, 'folded stacks');
my @odd = grep { !/^\S[^;]*(;[^;]+)+ \d+$/ } split /\n/, $folded->{out};
is_deeply(\@odd, [], '... one a line, with a number');
like($folded->{out}, qr/^shares;(?:[^;]+;)*main;(?:cycles_round;)?cycles_seventy;work \(inlined\);burn \(inlined\) \d+$/m, '... have callers from the outermost to the innermost');
my %stacks = map { /^(.*) (\d+)$/ ? ($1 => $2) : () } split /\n/, $folded->{out};
is(keys %stacks, () = $folded->{out} =~ /\n/g, '... equal ones are one line');
SKIP: {
    skip 'context switches happen in the kernel, which may not be sampled here', 2 if $> != 0;
    my $switches = countertop('-b', '--format', 'folded', '--sample', 'context-switches', '--', 'shares', 'switches', 200)->{out};
    my %by;
    for (split /\n/, $switches) {
        my ($stack, $number) = /^(.*) (\d+)$/ or next;
        $by{$1} += $number if $stack =~ /;switches_(seventy|twenty|ten)\b/;
    }
    my $all = sum0 values %by;
    cmp_ok($all, '>', 10_000, 'switches have the functions that wait among their callers');
    cmp_ok(abs(($by{seventy} // 0) / ($all || 1) - 0.7), '<', 0.1, '... 70 of 100 in one of them');
}
$folded = countertop('-b', '--format', 'folded', '--call-graph', 'no', '--', 'shares', 'cycles', 2_000)->{out};
like($folded, qr/^shares;cycles_seventy;work \(inlined\);burn \(inlined\) \d+$/m, '--call-graph no: functions only');

# ---- flame graphs ----

my $odd = "<&\">]]\xef\xbf\xbf\x01"; # U+FFFF
copy("$build/work/shares", "$dir/$odd") or die "copy: $!";
chmod 0755, "$dir/$odd";
countertop('-b', '--format', 'svg', '-o', "$dir/flame.svg", '--', "$dir/$odd", 'cycles', 5_000);
my $svg = slurp("$dir/flame.svg");
is(join(' ', map { sprintf 'U+%04X', ord } decode('UTF-8', $svg) =~ /[^\t\n\r\x20-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]/g),
    '', 'svg: characters of XML (1.0, 2.2), whatever a program is called');
my ($open, @wrong) = (0);
for my $tag (($svg =~ s/<!\[CDATA\[.*?\]\]>//sr) =~ /<([^>]*)>/g) {
    push @wrong, $tag if $tag !~ m{^(?:/\w+|\w+(?: [\w:-]+="[^"<&]*(?:&(?:amp|lt|gt|quot);[^"<&]*)*")*/?)$};
    $open += $tag =~ m{^/} ? -1 : $tag !~ m{/$};
}
is_deeply([$open, @wrong], [0], 'svg: well formed, whatever a program is called');
like($svg, qr/^<svg .*<\/svg>\n\z/s, '... one document');
my %box = map { $_->[0] => $_ } my @boxes = map { [m/data-n="([^"]*)"/, m/data-x="([^"]*)" data-w="([^"]*)" data-d="([^"]*)"/] } $svg =~ /^<g .*$/mg;
is_deeply([@boxes ? @{$boxes[0]} : ()], ['all', '10.000', '1180.000', 0], '... all of it is below');
is_deeply([map { $_->[3] } @box{'&lt;&amp;&quot;&gt;]]\uffff\x01', 'all'}], [1, 0], '... the process on it');
for my $part (['cycles_seventy', 0.7], ['cycles_twenty', 0.2], ['cycles_ten', 0.1]) {
    my ($name, $share) = @$part;
    my $width = sum0 map { $_->[2] } grep { $_->[0] eq $name } @boxes;
    cmp_ok(abs($width / 1180 - $share), '<', 0.1, "... $name is as wide as its share");
}
# Boxes come as they are drawn: callers first, from left to right.
my ($outside, @start, @end) = (0);
for my $box (@boxes) {
    my (undef, $x, $width, $level) = @$box;
    $outside++ if $level && ($x < $start[$level - 1] - 0.002 || $x + $width > $end[$level - 1] + 0.002);
    $outside++ if defined $end[$level] && $x < $end[$level] - 0.002;
    ($start[$level], $end[$level]) = ($x, $x + $width);
}
is($outside, 0, '... boxes are on their callers, and beside each other');
my $twice = countertop('-b', '--format', 'svg', '-n', 2);
is($twice->{status}, 2, 'two documents do not go to one pipe');
like($twice->{err}, qr/^countertop: --format svg is one document: -n 1, or -o FILE/, '... the message says what to do');
my $once = countertop('-b', '--format', 'svg', '-d', 0.3);
is(() = $once->{out} =~ /<svg /g, 1, 'without -n there is one');

# ---- text and CSV ----

my $text = countertop('-b', '--view', 'functions', '--', 'shares', 'cycles', 3_000)->{out};
like($text, qr/^[\w-]+: [\d.]+ % of \S+ explained; \d+\/s; lost 0; throttled \d+;(?: sampled \d+ % of the interval;)? stacks: frame pointers, \d+ % short/m, 'a line closes the books');
like($text, qr/^ *SHARE SAMPLES .*OBJECT +FUNCTION$/m, 'columns');
like($text, qr/^ *\d+\.\d\d +\d+ .*shares +cycles_seventy$/m, 'a function has share, samples and object');
my $csv = countertop('-b', '--format', 'csv', '--view', 'functions', '--', 'shares', 'cycles', 3_000)->{out};
my @lines = split /\n/, $csv;
my @titles = split /,/, $lines[0];
is("@titles[-5 .. -1]", 'object samples share blocked preempted', 'CSV: five columns more, at the end');
my %width = map { scalar(my @fields = split /,/, $_, -1) => 1 } grep { !/"/ } @lines;
is_deeply([keys %width], [scalar @titles], '... in all rows');
like($csv, qr/^function,.*,cycles_seventy,.*shares,\d+,0\.\d+,,$/m, '... and functions are rows of their own');

# ---- filters, and what is not sampled ----

like(countertop('-b', '--view', 'functions', '-f', 'cycles_', '--', 'shares', 'cycles', 3_000)->{out},
    qr/FUNCTION\n(?: *\d+\.\d\d .*shares +cycles_\w+\n)+$/, 'a filter looks into functions');
like(countertop('-b', '--view', 'functions', '-f', 'share > 50', '--', 'shares', 'cycles', 3_000)->{out},
    qr/FUNCTION\n *\d\d\.\d\d .*cycles_seventy\n$/, '... and conditions into their columns');
for (['nosuch', qr/unknown event 'nosuch'/], ['cpu-clock/0', qr/no rate '0'/], ['page-faults,cpu-clock', qr/name one event/]) {
    my $run = countertop('-b', '-n', 1, '-d', 0.1, '--view', 'functions', '--sample', $_->[0]);
    like($run->{err}, $_->[1], "--sample $_->[0] is refused") && isnt($run->{status}, 0, '... with a status');
}

# A user without privilege: the reason is whose process it is, not the mode that was not asked for.
SKIP: {
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);
    my $found = countertop('--check')->{out};
    skip 'only root can be another user', 1 if $> != 0;
    skip 'user 65534 cannot run what was built here', 1 if run(@nobody, 'countertop', '--version')->{status};
    skip 'perf_event_paranoid is not 2', 1 if $found !~ /perf_event_paranoid +2$/m;
    like(run(@nobody, qw(countertop -b -n 1 --view functions -p 1))->{err},
        qr/^countertop: cannot sample 'cpu-clock': a task of another user or with privileges of its own needs cap_perfmon: /,
        "another user's process: the reason");
}

# ---- a process that runs already; its program is deleted, or another file has its path now ----

for my $what (qw(there deleted replaced)) {
    my $program = "$dir/$what";
    copy("$build/work/shares", $program) && chmod 0755, $program or die "$program: $!";
    my $work = start($program, 'cycles');
    until (slurp("/proc/$work->{pid}/cmdline") =~ /cycles/) { select undef, undef, undef, 0.01 }
    unlink $program if $what ne 'there';
    copy("$build/work/spin", $program) if $what eq 'replaced';
    my @refreshes = refreshes('--view', 'functions', '-n', 3, '-d', 0.5, '-p', $work->{pid});
    my @functions = @{$refreshes[-1]{functions}};
    my @named = grep { $_->{function} =~ $names } @functions;
    if ($what eq 'there' || $> == 0) { # map_files, which only root may follow, has the file itself
        is(@named, 3, "$what: its functions have their names") or diag explain [map { $_->{function} } @functions];
    } else {
        is(@named, 0, "$what: no names of another file");
    }
    my %all = map { $_->{object} => 1 } grep { $_->{share} > 0.05 } @functions;
    like((keys %all)[0], qr{^\Q$program\E}, "$what: the object is told");
    stop($work);
}

# On btrfs stat(2) and maps have other devices for a file, and only root may follow map_files.
SKIP: {
    skip "'mkfs.btrfs' is not here", 2 if !Countertop::installed('mkfs.btrfs');
    open my $image, '>', "$dir/image" or die $!;
    truncate $image, 128 << 20 or die $!;
    my $made = run('sh', '-c', "mkfs.btrfs -q $dir/image && mkdir $dir/btrfs && unshare -m true");
    skip "no btrfs can be made: $made->{err}", 2 if $made->{status};
    # The mount ends with its namespace.
    my $nobody = 'setpriv --reuid=65534 --regid=65534 --clear-groups --';
    my $script = "mount -o loop $dir/image $dir/btrfs && cp $build/work/shares $dir/btrfs/ || exit 9; " .
        "$nobody $dir/btrfs/shares cycles & $nobody countertop -b --format json -n 3 -d 0.5 " .
        "--view functions -p \$!; s=\$?; kill \$!; wait; exit \$s";
    my $run = run('unshare', '-m', 'sh', '-c', $script);
    skip "no btrfs can be mounted, or user 65534 cannot run what was built here: $run->{err}", 2
        if $run->{status} == 9 || $run->{err} =~ /setpriv: /;
    is($run->{status}, 0, 'a program on btrfs, as an ordinary user') or diag $run->{err};
    my ($last) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    is((grep { $_->{function} =~ $names } @{$last->{functions}}), 3, '... its functions have their names')
        or diag explain $last->{functions};
}

# ---- a program without symbols; they are in a file beside it, which it names, or in .debug ----

for my $where ('nowhere', 'beside', '.debug', 'another') {
    my $program = "$dir/stripped-$where";
    my $debug = $where eq '.debug' ? "$dir/.debug/symbols" : "$dir/symbols";
    mkdir "$dir/.debug";
    my $source = $where eq 'another' ? 'spin' : 'shares'; # which has another build-id
    my $linked = $where eq 'nowhere' ? '' : " --add-gnu-debuglink='$debug'";
    is(system("objcopy --only-keep-debug '$build/work/$source' '$debug' && "
        . "objcopy --strip-all$linked '$build/work/shares' '$program'"), 0, "$where: a stripped program") or next;
    my @refreshes = refreshes('--view', 'functions', '--', $program, 'cycles', 10_000);
    unlink $debug;
    my @functions = grep { $_->{object} =~ /stripped/ && $_->{share} > 0.05 } @{$refreshes[-1]{functions}};
    my @named = grep { $_->{function} =~ $names } @functions;
    my $expected = $where eq 'beside' || $where eq '.debug' ? 3 : 0;
    is(@named, $expected, "$where: $expected names") or diag explain \@functions;
    cmp_ok(scalar(@functions), '>=', 3, "$where: ... and all functions");
}

# ---- code made at run time ----

{
    my $work = start('shares', 'made');
    until (-s "/tmp/perf-$work->{pid}.map") { select undef, undef, undef, 0.01 }
    my @refreshes = refreshes('--view', 'functions', '-n', 3, '-d', 0.5, '-p', $work->{pid});
    my ($made) = grep { $_->{function} eq 'made_loop' } @{$refreshes[-1]{functions}};
    cmp_ok($made->{share} // 0, '>', 0.5, 'code made at run time has its name from perf-PID.map');
    is($made->{object}, 'shares (made at run time)', '... and says what it is');
    copy("/tmp/perf-$work->{pid}.map", "$dir/map") or die $!;
    unlink "/tmp/perf-$work->{pid}.map";
    for my $what ('without it', 'with a link in its place') {
        symlink "$dir/map", "/tmp/perf-$work->{pid}.map" or die $! if $what =~ /link/;
        @refreshes = refreshes('--view', 'functions', '-n', 2, '-d', 0.5, '-p', $work->{pid});
        is(grep({ $_->{named} && $_->{object} =~ /made at/ } @{$refreshes[-1]{functions}}), 0, "... $what has none");
    }
    unlink "/tmp/perf-$work->{pid}.map";
    stop($work);
}

# ---- another mount and pid namespace, as in a container ----

SKIP: {
    skip 'only root can make namespaces here', 2 if $> != 0 || system('unshare -m -p -f true 2>/dev/null') != 0;
    mkdir "$dir/inside";
    # The file is in a file system that exists only inside.
    my $work = start('sh', '-c', 'exec unshare -m -p -f --mount-proc sh -c "$0" 2>/dev/null',
        "mount -t tmpfs none $dir/inside && cp $build/work/shares $dir/inside/hidden && exec $dir/inside/hidden cycles");
    my $pid;
    until ($pid) {
        ($pid) = grep { slurp_or_empty("/proc/$_/comm") eq "hidden\n" } map { m{/proc/(\d+)} } glob '/proc/[0-9]*/comm';
        select undef, undef, undef, 0.02;
    }
    ok(!-e "$dir/inside/hidden", 'a program in a container is not to be seen outside');
    my @refreshes = refreshes('--view', 'functions', '-n', 3, '-d', 0.5, '-p', $pid);
    is(grep({ $_->{function} =~ $names } @{$refreshes[-1]{functions}}), 3, '... and has names');
    kill KILL => $pid;
    stop($work);
}

# ---- descriptors, and an ordinary user ----

my $work = start('shares', 'cycles');
my @watch = ('--engine', 'task', '-n', 2, '-d', 0.3, '-p', $work->{pid});
my @refreshes = refreshes(@watch);
my @sampled = refreshes(@watch, '--view', 'functions');
cmp_ok($sampled[-1]{self}{descriptors}, '>', $refreshes[-1]{self}{descriptors}, 'the descriptors of samples are told');
ok(!exists $refreshes[-1]{sampling} && !exists $refreshes[-1]{functions}, 'without the view nothing is sampled');
stop($work);

# ---- a program that ran before, and again since: the kernel tells its file by build-id, /proc by inode ----

SKIP: {
    skip 'only root samples whole CPUs here', 1 if $> != 0;
    my @spins = start('spin');
    my $watch = start(qw(countertop -b --format json -d 0.3 --view functions -n 12));
    next_refresh($watch) for 1 .. 3;
    push @spins, start('spin');
    my $last;
    while (my $one = next_refresh($watch)) { $last = $one }
    is(scalar(grep { $_->{function} eq 'main' && $_->{object} eq "$build/work/spin" } @{$last->{functions}}), 1, 'a program that is started again has one row for a function');
    stop($_) for @spins;
    finish($watch);
}

# ---- recordings ----

my $file = "$dir/record.db";
my $live = countertop('-b', '-n', 3, '-d', 0.5, '--format', 'json', '--view', 'functions', '--record', $file, '-p', $$);
is($live->{status}, 0, 'a recording with functions');
$work = start('shares', 'cycles');
countertop('-b', '-n', 4, '-d', 0.5, '--sample', 'cpu-clock', '--record', $file, '--force', '-p', $work->{pid}, '-o', '/dev/null');
stop($work);
@refreshes = refreshes('--replay', $file, '--view', 'functions');
my %told;
for my $one (@refreshes) {
    $told{$_->{function}} += $_->{samples} for @{$one->{functions} // []};
}
cmp_ok($told{cycles_seventy} // 0, '>', 30, 'a replay has the functions, with their names');
my $samples = sum0(map { $_ // 0 } @told{qw(cycles_seventy cycles_twenty cycles_ten)}) || 1;
# Three standard deviations.
cmp_ok(abs(($told{cycles_seventy} // 0) / $samples - 0.7), '<', 3 * sqrt(0.7 * 0.3 / $samples) + 0.02, '... and their samples');
like(countertop('-b', '--replay', $file, '--format', 'folded')->{out}, qr/;main;(?:cycles_round;)?cycles_seventy \d+$/m, '... and callers');

done_testing;
