#!/usr/bin/env perl
# Enter opens the details of a row, which are updated while the row exists and stay after its end.
use Screen;
use Script;
use IPC::Open2;

my $events = 'page-faults,nopmu/config=1/';
my $back = qr/^ +PID .*COMMAND/m;
my $cpus = qr/^ *[▲▼]?CPU +HEAT +%CPU(?!.*COMMAND)/m;

# A row of the table of details, as it stands.
sub measure {
    my ($text, $name) = @_;
    my ($line) = $text =~ /^(\Q$name\E .*)$/m or return {};
    my %row;
    @row{qw(name now total run least mean most history)} = split ' ', $line, 8;
    return \%row;
}

my $work = open2(my $out, my $in, 'faults', 20_000);
like(scalar <$out>, qr/^ready $work /, 'the work is ready');
my $screen = Screen->countertop(120, 40, '-p', $work, '-i', '-d', 0.3, '-s', 'software',
    '-e', $events, '--engine', 'cpu');
ok($screen->wait(sub { "@{[Screen::pids($_[0])]}" eq $work }), 'it is watched');
$screen->key('Enter');
ok($screen->wait(qr/^\S* ?.*\bfaults  PID $work  USER \S+/m), 'Enter shows the details of the row');
like($screen->text, qr/now\/s +total +%COV +min\/s +mean\/s +max\/s last [\d.]+ s/,
    'what is told');
like($screen->text, qr/^command +faults 20000 *$/m, 'who it is: its command line');
like($screen->text, qr/^parents +\S.* \d+(?: <|\.\.\.| *$)/m, '... its parents');
like($screen->text, qr/^state +(?:R|S, waits for: read pipe from \S+ \d+(?:, which [^,]+)?), 1 thread, (?:.*\.\.\.$|nice -?\d+, started \d\d:\d\d:\d\d, may run on [\d,-]+)/m,
    '... and its state');
unlike($screen->text, qr{^(?:ctxsw|migr|faults)/s|software type=}m, 'each counter once, without encodings');
$screen->key('F1');
ok($screen->wait(qr/%COV +coverage: the part of/), 'F1 says what %COV is');
$screen->key('Escape');
$screen->key('n');
for my $event ('context-switches', 'cpu-migrations', 'page-faults') {
    ok($screen->wait(qr/^\Q$event\E +\S+ .*\n +software type=1 config=0x/m),
        "$event, and its encoding");
}
ok($screen->wait(qr/^%CPU +\S+ .*\n +time on a CPU/m), 'a metric, and what it means');
my $none = measure($screen->text, 'nopmu/config=1/');
is(join(' ', map { $none->{$_} // '' } qw(now total run least mean most)), '- - - - - -',
    'what is not counted');
like($screen->text, qr/^ +not counted: .*no PMU 'nopmu'/m, '... and why not');
is(measure($screen->text, 'page-faults')->{now}, '0', 'it waits');

print $in "\n";
# Threads that write no records can leave some unattributed: deep/faults.t.
ok($screen->wait(sub {
    my $row = measure($_[0], 'page-faults');
    return ($row->{total} // '') =~ /^(?:1\d|20)\.\dk$/ && $row->{now} eq '0';
}), 'the total of its faults');
ok($screen->wait(sub {
    my $row = measure($_[0], 'page-faults');
    return $row->{least} eq '0' && $row->{most} =~ /^[\d.]+k$/ && $row->{mean} ne '0';
}), 'least, mean and most');
ok($screen->wait(sub { (measure($_[0], 'page-faults')->{history} // '') =~ /[^⠀⣀ ]/ }),
    'a history');
ok($screen->wait(sub { measure($_[0], 'page-faults')->{now} eq '0' }), 'it waits again');

# Whatever size there is, no digit is cut off and the line of keys is last.
for my $new ([40, 10], [20, 5], [120, 40]) {
    $screen->resize(@$new);
    my $name = $new->[0] < 40 ? 'conte+' : 'context-sw';
    ok($screen->wait(sub {
        my @lines = split /\n/, $_[0], -1;
        return $_[0] =~ /^\Q$name\E/m && ($new->[1] < 8 || $lines[$new->[1] - 1] =~ /Esc back/);
    }), "drawn again at @$new");
}
$screen->resize(40, 10);
$screen->wait(qr/^context-swit\+.*\n  min.*Esc back/ms);
unlike($screen->text, qr/^%CPU/m, '40x10 does not show all');
$screen->key('End');
ok($screen->wait(qr/^us\/ctxsw/m), '... but can be scrolled');
like($screen->text, qr/^ +min \S+ mean \S+ max \S+ *$/m, 'with all numbers');
$screen->key('Home');
ok($screen->wait(qr/^context-sw/m), 'and back');
$screen->resize(120, 40);
$screen->wait(qr/^context-switches .*^%CPU/ms);

my $total = measure($screen->text, 'page-faults')->{total};
close $in;
waitpid $work, 0;
ok($screen->wait(qr/^ended: faults  PID $work /m), 'it says when it has ended');
my $counted = sub { $_[0] =~ /^([\d.]+)k$/ ? 1000 * $1 : 0 };
cmp_ok($counted->(measure($screen->text, 'page-faults')->{total}), '>=', $counted->($total),
    'its totals stay'); # its end has some, too
$screen->key('Escape');
ok($screen->wait($back), 'Escape leads back');
$screen->key('o', 'o');
ok($screen->wait(qr/^ *$work .* faults/m), 'totals list what has ended');
$screen->key('v');
ok($screen->wait($cpus), 'the CPUs');
$screen->key('Enter');
ok($screen->wait(qr/^CPU all$/m), 'their details');
$screen->key('Escape');
ok($screen->wait($cpus), '... lead back to them');
$screen->close;
# Threads, commands, ASCII, and all digits.
my $game = start_work('pingpong', '-t', '-c', 0, 1_000_000_000);
$screen = Screen->countertop(120, 40, '-H', '-i', '-p', $game, '-d', 0.3, '-s', 'software', '--ascii',
    '--engine', 'cpu', '--exact');
ok($screen->wait(qr/^ *$game +$game /m), 'threads');
$screen->key('Down', 'Enter');
ok($screen->wait(qr/^pingpong  PID $game  TID \d+  USER/m), 'a thread');
ok($screen->wait(sub { (measure($_[0], 'context-switches')->{total} // '') =~ /^\d{4,}$/ }),
    'with all digits');
ok($screen->wait(qr/^context-switches (?:.*\n){1,9}? .*[_.=*#-]{3}$/m), 'its history in ASCII');
unlike($screen->text, qr/[^\x00-\x7f]/, '... as all else');
my $switches = measure($screen->text, 'context-switches')->{total};
ok($screen->wait(sub { (measure($_[0], 'context-switches')->{total} // 0) > $switches }), 'live');
$screen->key('Escape');
$screen->wait(qr/^ *$game +$game /m);
$screen->key('Tab', 'Tab', 'Tab');
ok($screen->wait(qr/^ *PROCS .*COMMAND/m), 'commands');
$screen->key('Enter');
ok($screen->wait(qr/^pingpong  PROCS 1$/m), 'what adds up processes has details, too');
ok($screen->wait(sub { (measure($_[0], 'context-switches')->{total} // '') =~ /^\d{5,}$/ }),
    '... and totals');
$screen->close;
# The chart of a row that has ended: nothing is known of it any more, which is not 0.
$work = open2($out, $in, 'faults', 20_000);
<$out>;
$screen = Screen->countertop(100, 30, '-p', $work, '-i', '-d', 0.2, '-s', 'software', '--engine', 'cpu');
ok($screen->wait(qr/^ *$work .* faults/m), 'a row');
$screen->key('F8');
ok($screen->wait(qr/^machine: /m), 'the chart is that of the machine');
$screen->key('m');
ok($screen->wait(qr/^ *faults\/s +now +[\d<]/m), '... and then that of the row');
close $in;
waitpid $work, 0;
ok($screen->wait(qr/^ *faults\/s +now - .* mean \S*\d/m), '... which knows nothing after its end, but its mean');
$screen->close;
# Whom a task waits for, and in which code that is, when functions are sampled.
my $awaited = Screen->countertop(120, 40, qw(-i -d 0.3 --sample cpu-clock --filter), 'command = cat', '--', 'sh', '-c', 'shares cycles | cat');
ok($awaited->wait(qr/ cat *$/m), 'a task that reads from a pipe');
$awaited->key('Enter');
ok($awaited->wait(qr/^waits on +\d+ \d+ % of cpu-clock in cycles_seventy < .*\bmain\b/m), '... the stack in which its writer was met most');
$awaited->close;

# Where histories are high, the number of intervals in each of some ranges stands beside them.
my $script = Script->new('cpus 2', 'task 101 name=work101');
for my $options ([], ['--ascii']) {
    $screen = Screen->new(120, 40, $script->command(qw(-s software --engine cpu), @$options));
    $script->step("run 101 oncpu=0.5 context-switches=$_") for 100, 200, 100, 100;
    $screen->wait(qr/^ *101 /m);
    $screen->key('Enter');
    my $bar = @$options ? '#' : '■';
    ok($screen->wait(qr/^context-switches +100 .*\n +186 +1 $bar{5,10} .*\n(?: +1\d\d +0 .*\n){5} +100 +3 $bar{15,30} /m), "@$options distribution")
        or diag $screen->text;
    $screen->close;
    $script = Script->new('cpus 2', 'task 101 name=work101');
}

done_testing;
