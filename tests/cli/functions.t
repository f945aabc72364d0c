#!/usr/bin/env perl
# In which functions an event happens. Page faults are sampled each time, so programs that have 70, 20
# and 10 of 100 in three functions show exact counts: in all formats, in recordings, of files that are
# gone or were replaced, of code made at run time. What is sampled by time: tests/live/functions.t.
use Countertop;
no warnings 'portable'; # addresses have 64 bits
use Encode 'decode';
use File::Copy 'copy';
use List::Util qw(sum0);

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $build = $ENV{B};
my @sample = (qw(--sample page-faults));
my @shares = (@sample, '--', qw(shares faults 20));
my @three = map { "faults_$_" } qw(seventy twenty ten);

# The functions of a command by name, and its refresh.
sub profile {
    my $last = whole_refresh('--view', 'functions', @_);
    return ({map { $_->{function} => $_ } @{$last->{functions}}}, $last);
}

# ---- a command, from its first instruction to its end ----

my ($found, $refresh) = profile(@shares);
my $sampling = $refresh->{sampling};
is_deeply([map { $found->{$_}{samples} } @three], [1400, 400, 200], 'each is sampled: exact numbers of functions');
is_deeply([map { $found->{$_}{counts}{'page-faults'} } @three], [1400, 400, 200], '... which are counts, too');
is_deeply([@$sampling{qw(event rate explained lost throttled)}], ['page-faults', 0, 1, 0, 0], '... that explain all of the run');
is($sampling->{samples}, sum0(map { $_->{samples} } @{$refresh->{functions}}), '... no sample is without a row');
like($found->{faults_seventy}{object}, qr{/work/shares$}, 'the object is the path of the program');
is_deeply([@{$found->{faults_seventy}}{qw(named pid)}], [1, undef], 'it has a name, and is of no single process');
cmp_ok(abs(sum0(map { $_->{share} } values %$found) - 1), '<', 0.001, 'all shares are 1');
(undef, $refresh) = profile('--', 'shares', 'cycles', 10);
is($refresh->{sampling}{event}, 'cpu-clock', 'without hardware counters the time is sampled')
    if !-d '/sys/bus/event_source/devices/cpu';

# ---- callers ----

my $folded = countertop('-b', '--format', 'folded', @shares);
is($folded->{status}, 0, 'folded stacks');
is_deeply([grep { !/^\S[^;]*(;[^;]+)* \d+$/ } split /\n/, $folded->{out}], [], '... one a line, with a number');
like($folded->{out}, qr/^shares;(?:[^;]+;)*main;(?:faults_round;)?$_->[0];work \(inlined\) $_->[1]$/m,
    "... $_->[0] has callers from the outermost to the innermost") for [faults_seventy => 1400], [faults_ten => 200];
my %stacks = map { /^(.*) (\d+)$/ ? ($1 => $2) : () } split /\n/, $folded->{out};
is(keys %stacks, () = $folded->{out} =~ /\n/g, '... equal ones are one line');
like(countertop('-b', '--format', 'folded', '--call-graph', 'no', @shares)->{out}, qr/^shares;faults_seventy;work \(inlined\) 1400$/m,
    '--call-graph no: functions only');

# ---- flame graphs ----

my $odd = "<&\">]]\xef\xbf\xbf\x01"; # U+FFFF
copy("$build/work/shares", "$dir/$odd") or die "copy: $!";
chmod 0755, "$dir/$odd";
countertop('-b', '--format', 'svg', '-o', "$dir/flame.svg", @sample, '--', "$dir/$odd", 'faults', 20);
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
my @boxes = map { [m/data-n="([^"]*)"/, m/data-x="([^"]*)" data-w="([^"]*)" data-d="([^"]*)"/] } $svg =~ /^<g .*$/mg;
is_deeply($boxes[0], ['all', '10.000', '1180.000', 0], '... all of it is below');
is_deeply([map { $_->[3] } grep { $_->[0] eq '&lt;&amp;&quot;&gt;]]\uffff\x01' } @boxes], [1], '... the process on it');
my %width;
$width{$_->[0]} += $_->[2] for @boxes;
cmp_ok(abs($width{faults_seventy} / $width{$_->[0]} - $_->[1]), '<', 0.001, "... $_->[0] is as wide as its share")
    for [faults_twenty => 3.5], [faults_ten => 7];
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
is("$twice->{status} $twice->{err}", "2 countertop: --format svg is one document: -n 1, or -o FILE: see --help all\n",
    'two documents do not go to one pipe');
is(() = countertop('-b', '--format', 'svg', '-d', 0.1)->{out} =~ /<svg /g, 1, 'without -n there is one');

# ---- text and CSV ----

my $text = countertop('-b', '--view', 'functions', @shares)->{out};
like($text, qr/^page-faults: 100\.0 % of \S+ explained; \d+\/s; lost 0; throttled 0; stacks: frame pointers, \d+ % cut off/m,
    'a line closes the books');
like($text, qr/^ *SHARE SAMPLES .*OBJECT +FUNCTION$/m, 'columns');
like($text, qr/^ *\d+\.\d\d +1400 .*shares +faults_seventy$/m, 'a function has share, samples and object');
my $csv = countertop('-b', '--format', 'csv', '--view', 'functions', @shares)->{out};
my @lines = split /\n/, $csv;
my @titles = split /,/, $lines[0];
is("@titles[-5 .. -1]", 'object samples share blocked preempted', 'CSV: five columns more, at the end');
my %fields = map { scalar(my @fields = split /,/, $_, -1) => 1 } grep { !/"/ } @lines;
is_deeply([keys %fields], [scalar @titles], '... in all rows');
like($csv, qr/^function,.*,faults_seventy,.*shares,1400,0\.\d+,,$/m, '... and functions are rows of their own');

# ---- filters, and what is not sampled ----

like(countertop('-b', '--view', 'functions', '-f', 'faults_', @shares)->{out},
    qr/FUNCTION\n(?: *\d+\.\d\d .*shares +faults_\w+\n){3}$/, 'a filter looks into functions');
like(countertop('-b', '--view', 'functions', '-f', 'share > 50', @shares)->{out},
    qr/FUNCTION\n *\d\d\.\d\d .*faults_seventy\n$/, '... and conditions into their columns');
for (['nosuch', qr/unknown event 'nosuch'/], ['cpu-clock/0', qr/no rate '0'/], ['page-faults,cpu-clock', qr/name one event/]) {
    my $run = countertop('-b', '-n', 1, '-d', 0.1, '--view', 'functions', '--sample', $_->[0]);
    like($run->{err}, $_->[1], "--sample $_->[0] is refused") && isnt($run->{status}, 0, '... with a status');
}

# A user without privilege: the reason is whose process it is, not the mode that was not asked for.
SKIP: {
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);
    skip 'only root can be another user', 1 if $> != 0;
    skip 'user 65534 cannot run what was built here', 1 if run(@nobody, 'countertop', '--version')->{status};
    skip 'perf_event_paranoid is not 2', 1 if slurp_or_empty('/proc/sys/kernel/perf_event_paranoid') ne "2\n";
    like(run(@nobody, qw(countertop -b -n 1 --view functions -p 1))->{err},
        qr/^countertop: cannot sample 'cpu-clock': a task of another user or with privileges of its own needs cap_perfmon: /,
        "another user's process: the reason");
}

# ---- a process that runs already ----

# Faults of a program that is told to have some: {function => row} with all samples, once all are there.
sub faults_of {
    my ($work, $pid, $count) = @_;
    my $watch = start(qw(countertop -b --format json --engine task --view functions -d 0.1 -p), $pid, @sample);
    next_refresh($watch) for 1 .. 2; # the header
    print {$work->{in}} "now\n";
    my (%found, $sum);
    ok(wait_for(sub {
        for (@{next_refresh($watch)->{functions}}) {
            $sum += $_->{samples};
            $found{$_->{function}} //= {%$_, samples => 0};
            $found{$_->{function}}{samples} += $_->{samples};
        }
        return ($sum // 0) >= $count;
    }), 'all of its faults are sampled');
    stop($watch);
    return %found;
}

# What faults_of() gives of a program that `try` starts, and its row with most samples. Beside load names
# may still be read when all samples are shown: then the program runs again.
sub named_faults {
    my ($try) = @_;
    my ($most, %found);
    for (1 .. 5) {
        %found = $try->();
        ($most) = sort { $b->{samples} <=> $a->{samples} } values %found;
        last if $most->{function} ne '(reading names)';
    }
    return ($most, %found);
}

for my $what (qw(there deleted replaced)) {
    my ($most, %found) = named_faults(sub {
        my $program = "$dir/$what";
        copy("$build/work/faults", $program) && chmod 0755, $program or die "$program: $!";
        my $work = start($program, 500);
        next_line($work);
        unlink $program if $what ne 'there';
        copy("$build/work/spin", $program) if $what eq 'replaced';
        my %faults = faults_of($work, $work->{pid}, 500);
        finish($work);
        return %faults;
    });
    is($most->{samples}, 500, "$what: its pages") or diag explain \%found;
    like($most->{object}, qr{^\Q$dir/$what\E}, '... the object is told');
    # map_files, which only root may follow, has the file itself.
    is($most->{function} =~ /^(?:work|touch)$/, $what eq 'there' || $> == 0, '... and its name, or no name of another file')
        or diag $most->{function};
}

# Another mount and pid namespace, as in a container: the file is in a file system that exists only inside.
SKIP: {
    skip 'only root can make namespaces here', 4 if $> != 0 || system('unshare -m -p -f true 2>/dev/null') != 0;
    mkdir "$dir/inside";
    my ($first, $outside);
    my ($most) = named_faults(sub {
        my $work = start(qw(unshare -m -p -f --mount-proc sh -c),
            "mount -t tmpfs none $dir/inside && cp $build/work/faults $dir/inside/inner && exec $dir/inside/inner 500");
        $first = next_line($work);
        $outside = -e "$dir/inside/inner";
        my ($pid) = split ' ', slurp("/proc/$work->{pid}/task/$work->{pid}/children");
        my %faults = faults_of($work, $pid, 500);
        finish($work);
        return %faults;
    });
    like($first, qr/^ready 1 /, 'a program in a container');
    ok(!$outside, '... is not to be seen outside');
    is("$most->{samples} " . ($most->{function} =~ /^(?:work|touch)$/ ? 'named' : $most->{function}), '500 named', '... and has names');
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
    my ($found) = profile(@sample, '--', $program, 'faults', 10);
    unlink $debug;
    my @functions = sort { $b->{samples} <=> $a->{samples} } grep { $_->{object} =~ /stripped/ } values %$found;
    is_deeply([map { $_->{samples} } @functions[0 .. 2]], [700, 200, 100], '... its functions');
    my $expected = $where eq 'beside' || $where eq '.debug' ? 3 : 0;
    is(grep({ $_->{function} =~ /^faults_(?:seventy|twenty|ten)$/ } @functions), $expected, "... $expected names") or diag explain \@functions;
}

# ---- code made at run time: it runs without page faults, so the time is sampled ----

# Is the list of a JIT compiler that of this process, and not one that an earlier process with its pid left?
sub listed {
    my ($start) = split ' ', slurp_or_empty("/tmp/perf-$_[0]{pid}.map");
    return $start && slurp_or_empty("/proc/$_[0]{pid}/maps") =~ /^0*$start-\S+ r-xp/m;
}

{
    my $work = start('shares', 'made');
    my @watch = (qw(--view functions --sample cpu-clock -d 0.2 -p), $work->{pid});
    my $map = "/tmp/perf-$work->{pid}.map";
    wait_for(sub { listed($work) });
    my $sampled = sub { grep { $_->{object} eq 'shares (made at run time)' && $_->{samples} } @{$_[0]{functions}} };
    ok(refresh_when(sub { grep { $_->{function} eq 'made_loop' } $sampled->(@_) }, @watch),
        'code made at run time has its name from perf-PID.map, and says what it is');
    rename $map, "$dir/map";
    copy("$dir/map", $map) if !-e "$dir/map";
    unlink $map;
    for my $what ('without it', 'with a link in its place') {
        symlink "$dir/map", $map or die $! if $what =~ /link/;
        my $refresh = refresh_when(sub { grep { $_->{object} =~ /made at/ && $_->{samples} } @{$_[0]{functions}} }, @watch);
        is(grep({ $_->{named} && $_->{object} =~ /made at/ } @{$refresh->{functions}}), 0, "... $what has none");
    }
    unlink $map;
    stop($work);
}

# A list is read on from where the last look at it ended, and from its beginning where it is another one.
{
    my $work = start('shares', 'made');
    my $map = "/tmp/perf-$work->{pid}.map";
    wait_for(sub { listed($work) });
    my ($start, $size) = split ' ', slurp($map);
    my $watch = start(qw(countertop -b --format json --view functions --sample cpu-clock -d 0.2 -p), $work->{pid});
    my $named = sub {
        my $end = time + $Slurp::patience;
        while (my $refresh = next_refresh($watch)) {
            return 1 if grep { $_->{function} eq $_[0] } @{$refresh->{functions} // []};
            return 0 if time > $end;
        }
    };
    my $open = sub { open my $file, $_[0], $_[1] // $map or die "$map: $!"; $file->autoflush(1); return $file };
    my $others = join '', map { sprintf "%x 10 other_%d\n", hex($start) + 4096 * $_, $_ } 1 .. 20;
    ok($named->('made_loop'), 'a list of a JIT compiler');
    my $file = $open->('>>');
    print $file "$others$start $size grown\n";
    ok($named->('grown'), '... that has grown since: the new name counts');
    print $file "$start $size whole\n$start $size c";
    ok($named->('whole'), '... a line that is not written whole does not');
    print $file "ut\n";
    ok($named->('cut'), '... until its rest is written');
    my ($middle, $left) = (sprintf('%x', hex($start) + 1), sprintf '%x', hex($start) - 64);
    print $file "$middle 1000 rest\n$left 41 first\n";
    ok($named->('rest'), '... a line that begins inside of a function and one that ends in it have their parts');
    truncate $file, 0;
    print $file $others x 8, "$start $size rewritten\n";
    ok($named->('rewritten'), '... one that was cut and written anew, larger than before');
    $file = $open->('>', "$map.new");
    print $file "$start $size replaced\n";
    rename "$map.new", $map or die "$map: $!";
    ok($named->('replaced'), '... and another file in its place');
    $file = $open->('>>');
    print $file "$start $size again\n";
    ok($named->('again'), '... which grows, too');
    unlink $map;
    stop($watch);
    stop($work);
}

# ... which runtimes write only where they are asked to: the reason says how, by what the program has mapped.
for my $case (['libjvm.so', qr/'jcmd PID Compiler\.perfmap' writes it \(from JDK 17 on\), or java -XX:\+UnlockDiagnosticVMOptions -XX:\+DumpPerfMapAtExit at its end; -XX:\+PreserveFramePointer gives callers/],
    ['node', qr/start node with --perf-basic-prof/], ['libcoreclr.so', qr/start it with DOTNET_PerfMapEnabled=1/],
    ['python3.12', qr/start it with 'python3 -X perf' or PYTHONPERFSUPPORT=1 \(from Python 3\.12 on\)/], ['shares', qr/(?=\n)/]) {
    my ($mapped, $how) = @$case;
    my $library = $mapped =~ /\.so$/;
    my $program = $library ? "$build/work/shares" : "$dir/$mapped";
    copy("$build/work/shares", $program) or die "copy: $!" if !$library;
    chmod 0755, $program;
    run('cc', '-shared', '-o', "$dir/$mapped", qw(-x c /dev/null)) if $library;
    my $work = start('env', $library ? "LD_PRELOAD=$dir/$mapped" : (), $program, 'made');
    my $map = "/tmp/perf-$work->{pid}.map";
    wait_for(sub { listed($work) });
    unlink $map;
    my $out;
    wait_for(sub { ($out = countertop(qw(-b --view functions --sample cpu-clock -n 2 -d 0.2 -p), $work->{pid})->{out}) =~ /made at run time, / });
    like($out, qr/; code made at run time, without \Q$map\E(?:: )?$how/, "a program with $mapped: how its code gets names");
    stop($work);
}
{
    copy("$build/work/spin", "$dir/python3.13") or die "copy: $!";
    chmod 0755, "$dir/python3.13";
    my $work = start("$dir/python3.13", '-r');
    my $out;
    wait_for(sub { ($out = countertop(qw(-b --view functions --sample cpu-clock -n 2 -d 0.2 -p), $work->{pid})->{out}) =~ / python3\.13 +main$/m });
    like($out, qr/; functions written in Python have names with 'python3 -X perf' or PYTHONPERFSUPPORT=1 \(from Python 3\.12 on\)\n/,
        'an interpreter of Python: whose functions have names only then');
    stop($work);
}

# ---- descriptors ----

my $work = start('sleepers', 1);
next_line($work);
my @watch = ('--engine', 'task', '-n', 1, '-d', 0.1, '-p', $work->{pid});
my $plain = (refreshes(@watch))[-1];
cmp_ok((refreshes(@watch, '--view', 'functions'))[-1]{self}{descriptors}, '>', $plain->{self}{descriptors},
    'the descriptors of samples are told');
ok(!exists $plain->{sampling} && !exists $plain->{functions}, 'without the view nothing is sampled');
stop($work);

# ---- a program that ran before, and again since: the kernel tells its file by build-id, /proc by inode ----

SKIP: {
    skip 'only root samples whole CPUs here', 1 if $> != 0;
    my @spins = start('spin', '-r');
    my $watch = start(qw(countertop -b --format json -d 0.2 --view functions --sample cpu-clock));
    my $rows = sub { scalar grep { $_->{function} eq 'main' && $_->{object} eq "$build/work/spin" } @{next_refresh($watch)->{functions} // []} };
    wait_for(sub { $rows->() });
    push @spins, start('spin', '-r');
    my @rows;
    wait_for(sub { push @rows, $rows->() || (); @rows == 4 });
    is_deeply(\@rows, [1, 1, 1, 1], 'a program that is started again has one row for a function');
    stop($_) for $watch, @spins;
}

# ---- recordings ----

my $file = "$dir/record.db";
record_whole($file, @sample, qw(-- shares faults 5));
($found) = profile('--replay', $file);
is_deeply([map { $found->{$_}{samples} } @three], [350, 100, 50], 'a recording has the functions, with their samples');
# Samples that are read before the counts that they belong to: more than the counts, for a while.
run('sqlite3', $file, 'CREATE TABLE kept AS SELECT id, weight FROM profile_rows; UPDATE profile_rows SET weight = 2 * weight');
like(countertop('-b', '--view', 'functions', '--replay', $file)->{out},
    qr/^page-faults: samples stand for 200\.0 % of \d+ counted so far; /m, 'more samples than counts: said so, not as a part');
run('sqlite3', $file, 'UPDATE profile_rows SET weight = (SELECT weight FROM kept k WHERE k.id = profile_rows.id); DROP TABLE kept');
like(countertop('-b', '--replay', $file, '--format', 'folded')->{out}, qr/;main;(?:faults_round;)?faults_seventy 350$/m, '... and callers');

# ---- by elapsed time ----

my $refused = countertop('-b', '--view', 'functions', '--by', 'wall', @shares);
like($refused->{err}, qr/^countertop: cannot weigh 'page-faults' by elapsed time: sample cycles or cpu-clock, or at a rate$/m,
    '--by wall needs samples of time');
my $walls = tempdir(CLEANUP => 1) . '/wall.db';
countertop('-b', '--view', 'functions', '--by', 'wall', '--sample', 'cpu-clock', '--record', $walls, '--', 'shares', 'cycles', 300);
my ($walled) = grep { $_->{sampling} && $_->{sampling}{samples} } refreshes('--view', 'functions', '--replay', $walls);
is($walled->{sampling}{by}, 'wall', 'a recording knows by what its samples weigh');
is($walled->{sampling}{running}, 1, '... and how many threads ran');
like(countertop('-b', '--view', 'functions', '--replay', $walls)->{out},
    qr/^1\.0 of 1 threads run in the mean; 100 % of the time one alone; cpu-clock: /m, '... which the title says');

done_testing;
