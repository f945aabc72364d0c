#!/usr/bin/env perl
# From 160 columns on the row under the cursor stands beside the table: its values and histories, which are
# there anyway, live, in the past and when it has ended.
use Screen;
use Script;

my @machine = ('cpus 2', map { "task $_ name=work$_" } 101 .. 104);

# Each task switches a thousand times its number.
sub run_interval {
    my ($script, $n) = @_;
    $script->step(map { sprintf 'run %d oncpu=%.2f context-switches=%d', $_, 0.1 * (105 - $_), 1000 * ($_ - 100) + 10 * $n } @_[2 .. $#_]);
}

# Whether that task is at the right, with what it did in interval n; undef: nobody is.
sub beside {
    my ($text, $pid, $n) = @_;
    my @right = map { /^.{99,}[│▶] (.*)/ ? $1 : () } split /\n/, $text;
    my $right = join "\n", @right;
    return !@right if !defined $pid;
    my $switches = sprintf '%.2fk', (1000 * ($pid - 100) + 10 * $n) / 1000;
    return $text =~ /^ *$pid .{99,}▶/m && 1 == ($text =~ tr/▶//) && $right =~ /^work$pid  PID $pid\b/m && $right =~ /^context-switches +\Q$switches\E .*[⠁-⣿]/m;
}

my $script = Script->new(@machine);
my $screen = Screen->new(200, 50, $script->command(qw(-s software --engine cpu)));
run_interval($script, $_, 101 .. 104) for 1 .. 4;
ok($screen->wait(sub { beside($_[0], 101, 4) }), 'without a cursor the first row is beside the table');
$script->step('run 101 oncpu=0.01 context-switches=1040', map { "run $_ oncpu=0.1" } 102, 103);
ok($screen->wait(sub { $_[0] =~ /^ *10[23] .*\n.*\n *101 .*▶/m && beside($_[0], 101, 4) }), '... and is marked where it goes') or diag $screen->text;
run_interval($script, 4, 101 .. 104);
ok($screen->choose(103), 'the cursor');
ok($screen->wait(sub { beside($_[0], 103, 4) }), 'its row is shown');
run_interval($script, 5, 101 .. 104);
ok($screen->wait(sub { beside($_[0], 103, 5) }), '... in the next interval, too');
$screen->key('Down');
ok($screen->wait(sub { beside($_[0], 104, 5) }), '... and the next row');
$screen->type(',');
ok($screen->wait(sub { $_[0] =~ / PAST / && beside($_[0], 104, 4) }), 'the past');
$screen->type('$');
ok($screen->wait(sub { $_[0] !~ / PAST / && beside($_[0], 104, 5) }), '... and now');
$screen->type('_');
ok($screen->wait(sub { beside($_[0]) && $_[0] =~ /COMMAND *$/m }), 'a key hides it');
$screen->type('_');
ok($screen->wait(sub { beside($_[0], 104, 5) }), '... and shows it');
my ($x, $y) = $screen->place(qr/context-switches/);
$screen->press($x, 9);
run_interval($script, 6, 101 .. 104);
ok($screen->wait(sub { beside($_[0], 104, 6) }), 'a press on it chooses no other row');
$script->step('exit 104', 'run 101 oncpu=0.5');
ok($screen->wait(qr/│ ended: work104  PID 104\b/), 'it has ended');
$screen->type('5');

# Where it is not.
$screen->key('Escape');
for (['Heat', '--view', 'heat'], ['Functions', '--view', 'functions']) {
    my ($name, @options) = @$_;
    my $other = Screen->countertop(200, 50, @options);
    ok($other->wait(qr/\[$name\]/), "the view $name");
    ok($other->text !~ /│ \w+  PID/, '... has all of the width');
    $other->close;
}

# Of functions it is the one that the cursor chose: its hottest lines, from 110 columns on.
{
    my $work = start_work(qw(shares cycles));
    my $code = Screen->countertop(120, 40, qw(--view functions --sample cpu-clock -d 0.5 -p), $work);
    ok($code->wait(qr/\bcycles_seventy *$/m) && $code->text !~ /│/, 'functions without a cursor have all of the width');
    $code->key('Down');
    my $right = sub { join "\n", map { /[│▶] (.*)/ ? $1 : () } split /\n/, $_[0] };
    my (@shares, $line);
    ok($code->wait(sub {
        my ($hottest) = $right->($_[0]) =~ /^cycles_\w+ .*^Hottest lines, in % of its samples *\n(.*?)^Callers/ms or return 0;
        ($line) = $hottest =~ /work\.h:(\d+)/;
        @shares = $hottest =~ /^ *([\d.]+) % /mg;
        return $line;
    }), 'with one, the hottest lines of the function are beside them');
    my $sum = 0;
    $sum += $_ for @shares;
    cmp_ok(abs($sum - 100), '<', 0.1, '... which have all its samples');
    my ($text) = (split /\n/, slurp("$ENV{TOP}/tests/work/work.h"))[$line - 1] =~ /(\w+)/;
    ok($code->wait(sub { $right->($_[0]) =~ /work\.h:$line in burn +\Q$text\E/ }), '... with the text of the source');
    like($right->($code->text), qr/^Callers.*^ *100\.00 % +main +shares/ms, '... and its callers');
    my ($first) = $right->($code->text) =~ /^(\w+)/;
    $code->key('Down');
    ok($code->wait(sub { $right->($_[0]) =~ /^cycles_(\w+)/ && "cycles_$1" ne $first }), 'another function');
    $code->type('_');
    ok($code->wait(sub { $_[0] !~ /│/ }), 'a key hides it');
    $code->close;
    $code = Screen->countertop(100, 40, qw(--view functions --sample cpu-clock -d 0.5 -p), $work);
    $code->wait(qr/\bcycles_seventy *$/m);
    $code->key('Down');
    $code->type('_');
    ok($code->wait(qr/a row is shown beside the table from 110 columns on/) && $code->text !~ /│/, 'where it has no room');
    $code->close;
}
for (['159x50', undef], ['160x50', 101], ['300x60', 101], ['100x40', undef], ['200x50', 101]) {
    my ($size, $pid) = @$_;
    $screen->resize(split /x/, $size);
    run_interval($script, 9, 101 .. 103);
    ok($screen->wait(sub { ($_[0] =~ /COMMAND/) && ($_[0] =~ /│ (?:ended: )?work\d+  PID/ ? defined $pid : !defined $pid) }), $size);
}
$screen->close;

$screen = Screen->new(160, 40, 'NO_COLOR=1 TERM=vt100 LANG=C LC_ALL=C ' . countertop_command(qw(-s software -i -p), $$));
ok($screen->wait(qr/\| \w+  PID $$\b/), 'ASCII');
unlike($screen->text, qr/[^\x00-\x7f\n]/, '... and nothing else');
$screen->close;
done_testing;
