#!/usr/bin/env perl
# The chart: its curves, scales, times and the values under its cursor are those of the recording that
# is shown; it follows rows and the past, stands still while paused, and fits every size.
use Countertop;
use Screen;
use File::Copy 'copy';
use List::Util qw(max min sum);
use POSIX qw(floor strftime);
use Script;

my $dir = tempdir(CLEANUP => 1);
open my $ini, '>', "$dir/charted.ini" or die;
print $ini <<'INI';
[screen charted]
events = context-switches, page-faults, cpu-migrations
columns = pid cpu_pct ctxsw_per_s page-faults command
[screen wide]
events = context-switches, page-faults, cpu-migrations
columns = pid cpu_pct ctxsw_per_s page-faults migrations_per_s us_per_switch command
INI
close $ini;

# Three processes whose values differ in each interval.
my @pids = 1001 .. 1003;
my @machine = map { "task $pids[$_] name=" . (qw(spin pingpong births))[$_] . " cpu=" . ($_ % 2) } 0 .. 2;

# An interval of so many seconds. Counts are such that no number is half way between two that are shown.
sub interval {
    my ($n, $seconds) = @_;
    return (
        sprintf('run 1001 oncpu=%.6f context-switches=%d', (0.9 - 0.02 * $n) * $seconds, 10 * $n),
        sprintf('run 1002 oncpu=%.6f context-switches=%d page-faults=20', 0.03 * ($n % 11) * $seconds, 1000 + 10 * (417 * $n % 900)),
        sprintf('run 1003 oncpu=%.6f context-switches=20 page-faults=%d', 0.05 * $seconds, 10 * $n * $n));
}

my @shown = ('-p', join(',', @pids), '-W', $dir, '-s', 'charted', '--sort', '-pid', '-i');
my ($file, $count) = ("$dir/run.db", 24);
my $script = Script->new(@machine);
$script->next_after(0.125, interval($_, 0.125)) for 1 .. $count;
$script->refreshes('-n', $count, '-d', 0.125, @shown, '--engine', 'cpu', '--record', $file);
my (undef, @intervals) = refreshes('--replay', $file, '-W', $dir, '-s', 'charted', '-i');
is(@intervals, $count, 'a recording');
unshift @intervals, undef; # they are counted from 1

# ---- What a chart of the recording shows ----

sub rounded {
    return floor($_[0] + 0.5);
}

# Histories are of single precision.
sub single {
    return unpack 'f', pack 'f', $_[0];
}

# A number as cells have it (view/format.h).
sub short {
    my ($number) = @_;
    return '0' if $number == 0;
    return '<0.1' if $number < 0.05;
    return $number == floor($number) || rounded($number * 10) >= 100 ? rounded($number) : sprintf '%.1f', $number
        if rounded($number) < 1000;
    for my $suffix (qw(k M G)) {
        $number /= 1000;
        next if $number < 0.9995;
        my ($decimals) = grep { rounded($number * 10**$_) < 1000 } 2, 1, 0;
        return sprintf "%.${decimals}f$suffix", $number if defined $decimals;
    }
}

# Values by title of what is charted: of the machine, or of a process.
sub values_of {
    my ($interval, $pid) = @_;
    my $refresh = $intervals[$interval];
    my ($row) = grep { $_->{pid} == ($pid // 0) } @{$refresh->{tasks}};
    my $counts = $pid ? $row->{counts} : $refresh->{total}{counts};
    return {
        $pid ? ('%CPU' => $row->{metrics}{cpu_pct} // 0) : (busy => 100 * sum(map { $_->{oncpu} } @{$refresh->{cpus}}) / $refresh->{interval} / @{$refresh->{cpus}}),
        'ctxsw/s' => single(($counts->{'context-switches'} // 0) / $refresh->{interval}),
        'page-faults' => single(($counts->{'page-faults'} // 0) / $refresh->{interval}),
    };
}

# The numbers of a curve on the screen.
sub numbers {
    my ($text, $title) = @_;
    my ($line) = $text =~ /^[> ]?(\Q$title\E  .*)$/m or return {};
    return {$line =~ /\b(cursor|now|min|mean|max) (\S+)/g};
}

sub is_near {
    my ($text, $value) = @_;
    return ($text // '') =~ /^([\d.]+)%$/ && abs($1 - $value) <= 0.11;
}

# Whether the numbers of an interval are on the screen, as those of `what`: cursor, now.
sub shows {
    my ($text, $what, $interval, $pid) = @_;
    my $values = values_of($interval, $pid);
    for my $title (keys %$values) {
        my $number = numbers($text, $title)->{$what};
        return 0 unless $title =~ /busy|CPU/ ? is_near($number, $values->{$title})
            : ($number // '') eq short($values->{$title}) . '/s';
    }
    return 1;
}

# The name of whose chart it is.
sub is_of {
    my ($pid) = @_;
    return $pid ? qr/^\w+  PID $pid\b/m : qr/^machine: \d+ CPUs?\b/m;
}

sub clock_of {
    return strftime('%H:%M:%S', localtime $intervals[$_[0]]{time});
}

sub replay {
    my ($size, @more) = @_;
    my $screen = Screen->countertop(@$size, '--replay', $file, '-W', $dir, '-s', 'charted', '--sort', '-pid', '-i', @more);
    $screen->wait(qr/\b1(?: of |\/)$count\b/);
    return $screen;
}

sub go_to {
    my ($screen, $number) = @_;
    $screen->type('b');
    $screen->answer(qr/^Go to:/m, "#$number");
}

# ---- Values, of the machine and of a row, at every interval ----

{
    my $at = '200x50';
    my $screen = replay([200, 50]);
    $screen->type('$');
    $screen->wait(qr/\b$count of $count\b/);
    $screen->key('F8');
    ok($screen->wait(sub { $_[0] =~ is_of() && shows($_[0], 'now', $count) }), "$at: the chart of the machine");
    like($screen->text, qr/^ *.PID .*\n(?: *\d+ .*\n){3}(?: *\n)*machine:/m, "$at: ... below the table");
    for my $pid (undef, $pids[1]) {
        my $name = "$at: " . ($pid ? 'a row' : 'the machine');
        if ($pid) {
            $screen->key('Escape', 'Escape');
            $screen->wait(qr/Enter details|F3 search|q quit/);
            ok($screen->choose($pid), "$name is chosen");
            $screen->key('F8');
        }
        ok($screen->wait(sub { $_[0] =~ is_of($pid) && shows($_[0], 'now', $count, $pid) }), "$name: now");
        # Least, mean and most, and a scale for them.
        my $text = $screen->text;
        for my $title ('ctxsw/s', 'page-faults') {
            my @values = map { values_of($_, $pid)->{$title} } 1 .. $count;
            my @lengths = map { $intervals[$_]{interval} } 1 .. $count;
            my $numbers = numbers($text, $title);
            is($numbers->{min}, short(min @values) . '/s', "$name: $title: min");
            is($numbers->{max}, short(max @values) . '/s', "$name: $title: max");
            my $mean = sum(map { $values[$_] * $lengths[$_] } 0 .. $#values) / sum(@lengths);
            is($numbers->{mean}, short($mean) . '/s', "$name: $title: mean");
            my $full = full(max @values);
            like($text, qr/^.?\Q$title\E  .*\n +\Q@{[short($full)]}\E(?:\/s)?┤(?:.*\n)*? +0┤/m, "$name: $title: scale");
        }
        like($text, qr/^.?(?:busy|%CPU) .*\n +100\.0%┤/m, "$name: %CPU is of 100%");
        like($text, qr/ \Q@{[clock_of($count)]}\E *$/m, "$name: the clock at the end of the axis");
        like($text, qr/ ╵-\d+ s/, "$name: ... and ticks before it");
        # Every interval.
        my @wrong;
        for my $interval (reverse 1 .. $count) {
            $screen->key('Left');
            my $ago = $intervals[$count]{time} - $intervals[$interval]{time};
            $screen->wait(sub {
                $_[0] =~ /cursor (\S+) -([\d.]+) s *$/m && abs($2 - $ago) < 0.06 && shows($_[0], 'cursor', $interval, $pid);
            }) or push(@wrong, $interval), last;
        }
        is("@wrong", '', "$name: all values under the cursor");
        for (['Right', 2], ['End', $count], ['Home', 1]) {
            my ($key, $interval) = @$_;
            $screen->key($key);
            ok($screen->wait(sub { shows($_[0], 'cursor', $interval, $pid) }), "$name: $key");
        }
    }

    # Rows above and below, and the machine.
    for (['Up', $pids[0]], ['Down', $pids[1]], ['m', undef], ['m', $pids[1]], ['Down', $pids[2]]) {
        my ($key, $pid) = @$_;
        $screen->key($key);
        ok($screen->wait(sub { $_[0] =~ is_of($pid) && shows($_[0], 'now', $count, $pid) && shows($_[0], 'cursor', 1, $pid) }),
            "$at: $key leads to " . ($pid ? 'another row' : 'the machine'));
        ok($screen->is_selected($pid), "$at: ... which is selected") if $pid;
    }

    # Through time.
    $screen->type(',');
    ok($screen->wait(sub { shows($_[0], 'now', $count - 1, $pids[2]) && shows($_[0], 'cursor', 1, $pids[2]) }),
        "$at: it ends with the interval before, and the cursor stays");
    go_to($screen, 7);
    ok($screen->wait(sub { shows($_[0], 'now', 7, $pids[2]) && $_[0] =~ / \Q@{[clock_of(7)]}\E *$/m }), "$at: with interval 7");

    # The whole screen, and back.
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ /cursor (?:[\d.]+|\d\d:)/ && $_[0] =~ is_of($pids[2]) }), "$at: Esc takes the cursor away");
    $screen->key('F8');
    ok($screen->wait(sub { $_[0] !~ /COMMAND/ && $_[0] =~ /^births  PID $pids[2] .*\binterval 7\b/ }), "$at: F8: all of the screen");
    $screen->key('F8');
    ok($screen->wait(sub { $_[0] =~ /COMMAND/ && $_[0] !~ is_of($pids[2]) }) || $screen->wait(qr/\bPID .*COMMAND/), "$at: F8 again closes");
    unlike($screen->text, is_of($pids[2]), "$at: ... the chart");
    $screen->close;
}

# The next 1, 2 or 5 with zeros.
sub full {
    my ($most) = @_;
    return 1 if $most <= 0;
    my $power = 10**floor(log($most) / log(10) + 1e-12);
    return (grep { $_ >= $most * (1 - 1e-9) } map { $_ * $power } 1, 2, 5, 10)[0];
}

# ---- Every cell of a curve, in ASCII ----

my $screen = replay([80, 24], '--ascii');
$screen->type('$');
$screen->wait(qr/\b$count of $count\b/);
$screen->key('F8', 'F8');
ok($screen->wait(sub { shows($_[0], 'now', $count) && $_[0] !~ /COMMAND/ }), 'ASCII: all of the screen');
my $text = $screen->text;
unlike($text, qr/[^\x00-\x7f\n]/, 'ASCII: nothing else');
my ($lines, $cells) = (6, 71);
for my $title ('ctxsw/s', 'page-faults') {
    my @values = map { values_of($_)->{$title} } 1 .. $count;
    my $full = full(max @values);
    my @expected = (' ' x ($cells - $count)) x $lines;
    for my $value (@values) {
        my $level = $value > 0 ? max(2, 1 + rounded($value / $full * ($lines * 6 - 1))) : 1;
        $expected[$_] .= substr ' _.-=*#', min(6, max(0, $level - ($lines - 1 - $_) * 6)), 1 for 0 .. $lines - 1;
    }
    my ($curve) = $text =~ /^.\Q$title\E  .*\n((?:.*\n){$lines})/m;
    my @drawn = map { sprintf "%-${cells}s", /^.{8}[|+](.*)/ ? $1 : '?' } split /\n/, $curve // '';
    is(join("\n", @drawn), join("\n", @expected), "ASCII: the curve of $title");
}
$screen->key('Home');
ok($screen->wait(sub { my $cursors = () = $_[0] =~ /^.{8}[|+] {@{[$cells - $count]}}\|/mg; return $cursors == 3 * $lines }),
    'ASCII: the cursor is a line through all curves');
$screen->close;

# ---- Which metrics ----

$screen = replay([120, 40], '-s', 'wide');
my $drawn = sub { join ' ', $_[0] =~ /^([> ]?\S+)  (?:cursor|now) /mg };
my $draws = sub {
    my ($key, $titles) = @_;
    $screen->key($key);
    ok($screen->wait(sub { $drawn->($_[0]) eq $titles }), "$key: $titles") or diag $drawn->($screen->text);
};
$draws->('y', '>busy  ctxsw/s  page-faults  migr/s');
$draws->('Tab', ' busy >ctxsw/s  page-faults  migr/s');
$draws->('>', ' busy >us/ctxsw  page-faults  migr/s');
$draws->('>', ' busy >ctxsw/s  page-faults  migr/s');
$draws->('<', ' busy >us/ctxsw  page-faults  migr/s');
$draws->('x', ' busy >page-faults  migr/s');
$draws->('BTab', '>busy  page-faults  migr/s');
$draws->('BTab', ' busy  page-faults >migr/s');
$draws->('e', ' busy  page-faults  migr/s >ctxsw/s');
$screen->key('e');
ok($screen->wait(qr/^four curves are all that a chart has *$/m), 'no fifth curve');
$draws->('x', ' busy  page-faults >migr/s');
$draws->('q', '');
$draws->('F8', ' busy  page-faults >migr/s'); # what was chosen stays
$draws->('x', ' busy >page-faults');
$screen->close;

# ---- Estimates: one interval in which the events were multiplexed ----

my $scaled = "$dir/scaled.db";
copy($file, $scaled) or die "$scaled: $!";
# In packs of tasks the time enabled is the difference to that on a CPU, and the time counted to that enabled.
my %estimates = (cpu_rows => 'e0 = 1000, r0 = 900',
    task_packs => 'oncpu = 1000, oncpu_more = NULL, e0 = 0, e0_more = NULL, r0 = -100, r0_more = NULL');
is(system('sqlite3', $scaled, join ' ', map {
    my ($kind) = /^([a-z]+)/;
    "UPDATE $_ SET $estimates{$_} WHERE id BETWEEN (SELECT ${kind}_first FROM intervals WHERE id = 7)"
        . " AND (SELECT ${kind}_last FROM intervals WHERE id = 7);";
} sort keys %estimates), 0, 'a recording with estimates');
$screen = Screen->countertop(80, 24, '--replay', $scaled, '-W', $dir, '-s', 'charted', '-i');
$screen->wait(qr/\b1 of $count\b/);
$screen->type('$');
$screen->wait(qr/\b$count of $count\b/);
$screen->key('F8');
ok($screen->wait(sub { $_[0] =~ is_of() && shows($_[0], 'now', $count) }), 'what is counted now is no estimate');
like(numbers($screen->text, 'ctxsw/s')->{$_}, qr{/s~$}, "... $_ is") for qw(min mean max);
for my $interval (reverse 6 .. $count) {
    $screen->key('Left');
    my $ago = $intervals[$count]{time} - $intervals[$interval]{time};
    $screen->wait(sub { $_[0] =~ /cursor (\S+) -([\d.]+) s *$/m && abs($2 - $ago) < 0.06 });
    my $mark = numbers($screen->text, 'ctxsw/s')->{cursor} =~ /~$/ ? 'estimate' : 'count';
    is($mark, $interval == 7 ? 'estimate' : 'count', "... interval $interval") if $interval < 10;
}
$screen->close;

# ---- The mouse ----

$screen = replay([80, 24]);
$screen->type('$');
$screen->wait(qr/\b$count of $count\b/);
$screen->key('F8');
$screen->wait(sub { shows($_[0], 'now', $count) });
my @lines = split /\n/, $screen->text;
my ($y) = grep { $lines[$_] =~ /page-faults  now/ } 0 .. $#lines;
$screen->press(80, $y + 2);
ok($screen->wait(sub { shows($_[0], 'cursor', $count) && $_[0] =~ /^>page-faults/m }), 'a press reads values there');
$screen->press(80 - int(($count - 1) / 71 * 60), $y + 2);
ok($screen->wait(sub { $_[0] =~ /cursor \S+ -[1-9][\d.]* s/ }), '... and elsewhere');
my ($row) = grep { $lines[$_] =~ /^ *$pids[1] / } 0 .. $#lines;
$screen->press(3, $row + 1);
ok($screen->wait(sub { $_[0] =~ is_of($pids[1]) && shows($_[0], 'now', $count, $pids[1]) }), 'a press on a row charts it');
$screen->press(1 + index((split /\n/, $screen->text)[-1], 'enlarge'), 24);
ok($screen->wait(sub { $_[0] !~ /COMMAND/ }), 'a press on a key does what it says');
$screen->close;

# ---- Sizes ----

for my $terminal ('', 'TERM=vt100 LANG=C LC_ALL=C ') {
    my $name = $terminal ? (split / /, $terminal)[0] : 'UTF-8';
    my $ascii = $terminal =~ /LANG=C/;
    $screen = Screen->new(80, 24, $terminal . countertop_command('--replay', $file, '-W', $dir, '-s', 'wide', '-i'));
    $screen->wait(qr/\b1 of $count\b/) or die;
    $screen->type('$');
    $screen->wait(qr/\b$count of $count\b/);
    $screen->key('F8', 'Left');
    for (['20x5', 1, 0], ['40x12', 3, 0], ['80x24', 3, 1], ['250x60', 4, 1]) {
        my ($size, $curves, $table) = @$_;
        my ($width, $height) = split /x/, $size;
        $screen->resize($width, $height);
        my $fits = sub {
            my ($text) = @_;
            my @titles = $text =~ /^[> ]?[^:\s]+  cursor /mg;
            return @titles == $curves && $table == ($text =~ /COMMAND/) && ($height < 10 || $text =~ /F8 (?:enlarge|close).*\n*\z/);
        };
        ok($screen->wait($fits), "$name: $size: $curves curves" . ($table ? ' and the table' : ''));
        my $text = $screen->text;
        unlike($text, qr/[^\x00-\x7f\n]/, "$name: $size: only ASCII") if $ascii;
        is(scalar(grep { length > $width } split /\n/, $text), 0, "$name: $size: no line is too long");
        my $edge = $ascii ? qr/[|+]/ : qr/[│┤]/;
        my @gutter = grep { /^ *\S*$edge/ && length $_ > 9 } split /\n/, $text =~ s/.*COMMAND//sr;
        is(scalar(grep { !/^.{8}$edge/ } @gutter), 0, "$name: $size: the axes are below each other") if $width >= 24;
    }
    $screen->resize(20, 5);
    $screen->wait(sub { $_[0] !~ /COMMAND/ && $_[0] =~ /^.?busy/m });
    $screen->type('e');
    $screen->resize(80, 24);
    ok($screen->wait(qr/^machine: /m), "$name: still the chart");
    $screen->close;
}

# ---- Live, paused, and looking back ----

my $beside = "$dir/beside.db";
$script = Script->new(@machine);
$screen = Screen->new(100, 40, $script->command(@shown, '--engine', 'cpu', '--record', $beside));
my $passed = 0;
my $pass = sub {
    $script->step(interval(++$passed, 1)) for 1 .. $_[0];
    # What was recorded so far, by another way.
    wait_for(sub {
        (undef, @intervals) = json_lines(countertop('-b', '--format', 'json', '--replay', $beside, '-W', $dir, '-s', 'charted', '-i')->{out});
        return @intervals == $passed;
    }) or die 'the intervals are not recorded';
    unshift @intervals, undef;
};
$pass->(8);
ok($screen->choose($pids[1]), 'live: a row');
$screen->key('F8');
for (1 .. 2) {
    ok($screen->wait(sub { $_[0] =~ is_of($pids[1]) && shows($_[0], 'now', $passed, $pids[1]) }), 'live: its chart');
    $pass->(1);
}
$screen->wait(sub { shows($_[0], 'now', 10, $pids[1]) });
$screen->key('Left', 'Left', 'Left');
ok($screen->wait(sub { $_[0] =~ /cursor \d\d:\d\d:\d\d -2 s/ && shows($_[0], 'cursor', 8, $pids[1]) }), 'live: a cursor');
$pass->(3);
ok($screen->wait(sub { $_[0] =~ /cursor \S+ -5 s/ && shows($_[0], 'cursor', 8, $pids[1]) && shows($_[0], 'now', 13, $pids[1]) }),
    'live: it stays at its interval, which becomes older');
$screen->type('Z');
$screen->wait(qr/PAUSED/);
my $held = $screen->still;
$pass->(5);
is($screen->still, $held, 'paused: nothing moves');
$screen->type(',');
ok($screen->wait(sub { $_[0] =~ / PAST / && shows($_[0], 'now', 12, $pids[1]) && shows($_[0], 'cursor', 8, $pids[1]) }),
    'the past: the interval before, and the cursor is where it was');
$screen->type('$');
$screen->wait(sub { $_[0] !~ / PAST |PAUSED/ });
$pass->(1);
ok($screen->wait(sub { $_[0] !~ / PAST |PAUSED/ && shows($_[0], 'now', $passed, $pids[1]) }), 'back to now, which moves');
$screen->close;

# ---- What is not counted is drawn only when asked for ----

$script = Script->new(@machine);
$screen = Screen->new(80, 24, $script->command(@shown, '--engine', 'cpu', '-e', 'nopmu/config=1/'));
$script->step(interval(1, 1));
$screen->wait(qr/\bPID .*config=1.*COMMAND\n *\d/) or die;
$screen->key('F8');
$draws->('F8', '>busy  ctxsw/s  page-faults');
$draws->('e', ' busy  ctxsw/s  page-faults >nopmu/config=1/');
like($screen->text, qr{^>nopmu/config=1/  now - +min -  mean -  max - *$}m, 'without numbers');
$screen->key('e');
ok($screen->wait(qr/^all metrics of this screen are drawn *$/m), 'there are no others');
$screen->close;

# ---- While functions are shown, what the screen counts is kept, too ----

$script = Script->new(@machine);
$screen = Screen->new(80, 24, $script->command(qw(-s charted --engine cpu -W), $dir));
$script->step(interval($_, 1)) for 1 .. 3;
$screen->wait(qr/^ *1001 .* 30 .* spin *$/m) or die;
$screen->key('BTab');
$screen->wait(qr/\[Functions\]/) or die;
$script->step(interval($_, 1)) for 4 .. 6;
$screen->key('Tab');
$script->step(interval($_, 1)) for 7 .. 8;
$screen->wait(qr/^ *1001 .* 80 .* spin *$/m) or die;
$screen->key('F8');
ok($screen->wait(sub { 3 == grep { /^ +0┤ *[\x{2801}-\x{28ff}]{8,} *$/ } split /\n/, $_[0] }), 'no curve has a gap') or diag $screen->text;
unlike($screen->text, qr/^machine.* since /m, '... nor a reason for one');
$screen->key('Down');
ok($screen->wait(qr/^births  PID 1003 *$/m), '... nor has one of a row') or diag $screen->text;
$screen->key('Escape');
$screen->type('H');
$screen->wait(qr/\bTID\b/) or die;
$script->step(interval(9, 1));
$screen->key('F8');
$screen->key('Down');
ok($screen->wait(qr/^\w+  PID \d+ .* since 00:00:\d\d, when events or rows were changed *$/m), '... with threads it says since when it is') or diag $screen->text;
$screen->close;

# ---- A row that ends ----

$script = Script->new(@machine);
$screen = Screen->new(80, 24, $script->command(qw(-s charted --engine cpu -W), $dir));
$script->step(interval($_, 1)) for 1 .. 3;
ok($screen->choose($pids[0]), 'a process that will end');
$screen->key('F8');
ok($screen->wait(sub { $_[0] =~ is_of($pids[0]) && (numbers($_[0], '%CPU')->{max} // '') eq '88.0%' }), 'it has a chart');
$script->step('exit 1001');
ok($screen->wait(qr/^ended: spin  PID 1001\b/m), 'it has ended');
ok($screen->wait(sub { (numbers($_[0], '%CPU')->{now} // '') eq '-' }), 'of which nothing is known any more');
is(numbers($screen->text, '%CPU')->{max}, '88.0%', '... and what it did before');
$screen->close;

done_testing;
