#!/usr/bin/env perl
# The last values of each row: the column TREND beside the table, and the view of heat, a line for
# each CPU. They follow the column that sorts, through looking back and recordings, too.
use Countertop;
use Screen;
use Script;

my $dir = tempdir(CLEANUP => 1);
my $spin = 101;
my @machine = ('cpus 3', 'task 101 name=spin', 'task 102 name=light cpu=1');

# A screen after some intervals in which one CPU is busy, one nearly idle, and one idle.
my ($script, $screen_width);
sub open_screen {
    my ($width, $height, $intervals, @options) = @_;
    $script = Script->new(@machine);
    $screen_width = $width;
    my $screen = Screen->new($width, $height, $script->command(qw(-s software --engine cpu), @options));
    ran() for 1 .. $intervals;
    return $screen;
}

sub ran {
    $script->step('run 101 oncpu=0.95 sys=0.2 context-switches=40', 'run 102 oncpu=0.02 context-switches=7');
}

my $blocks = qr/[▁▂▃▄▅▆▇█]/;

# The strip of a CPU in the view of heat.
sub strip_of {
    my ($text, $cpu) = @_;
    return $text =~ /^ +\Q$cpu\E +\S+ (.*?) *$/m ? $1 : '';
}

# Whether a CPU's strip has marks of this kind for as many intervals as that, and nothing before. The time is
# stretched over all cells, so an interval has no whole number of them.
sub shows {
    my ($text, $cpu, $mark, $intervals, $window) = @_;
    my ($title) = $text =~ /^( +CPU .*)/m or return 0;
    my $cells = $screen_width - index $title, 'last';
    my ($marks) = strip_of($text, $cpu) =~ /^ *((?:$mark)+)$/ or return 0;
    return abs(length($marks) - $intervals * $cells / ($window // 60)) < 1;
}

# TREND: where the name keeps 16 cells beside it; two intervals in a cell, as high as they are beside the
# largest of the row.
my $full = qr/⣿{4}|⢸⣿{3}⡇/;
for my $size ([80, 24], [120, 40]) {
    my $at = join 'x', @$size;
    my $screen = open_screen(@$size, 8, '-p', "$spin,102", '-i');
    my $more = $size->[0] == 80 ? qr/ / : qr/ [RS] +1 +\d+ +(?:\S+ +)?/;
    ok($screen->wait(qr/^ *$spin .* +$full${more}spin/m), "$at: TREND") or diag $screen->text;
    like($screen->text, qr/^ *102 .* +$full${more}light/m, "$at: ... of a row with less");
    my $titles = $size->[0] == 80 ? qr/COMMAND/ : qr/S +THR  %SYS (?:us\/ctxsw )?COMMAND/;
    like($screen->text, qr/▼%CPU .* TREND +$titles/, "$at: ... with their titles");
    $script->step("run $spin oncpu=0.24 context-switches=40");
    ok($screen->wait(qr/^ *$spin .* (?:⣿{4}⡀|⢸⣿{3}⣇)${more}spin.*\n *102 .* (?:⣿{4}·|⢸⣿{3}⡇)${more}light/m),
        "$at: a quarter of it, and nothing") or diag $screen->text;
    # What happens while another view is shown belongs to it.
    for my $view (qw(CPUs Users)) {
        $screen->key('Tab');
        ok($screen->wait(qr/\[$view\]/), "$at: $view");
        ran() if $view eq 'CPUs';
    }
    $screen->key('BTab', 'BTab');
    ok($screen->wait(qr/^ *$spin .* (?:⣿{4}⣸|⢸⣿{3}⣇⡇)${more}spin/m), "$at: ... and back: nothing is lost") or diag $screen->text;
    # Another column, another trend: it never migrates.
    $screen->type('>') for 1 .. 2;
    ok($screen->wait(qr/[▼]migr\/s.*\n *$spin .* ·{5}$more/), "$at: the trend is of the column that sorts") or diag $screen->text;
    $screen->close;
}

# Heat: each CPU keeps its line.
my $screen = open_screen(80, 24, 6, '--view', 'heat');
my $title = qr/^ +CPU +%CPU last [68] s of %CPU, full: 100 a CPU, all 300 *$/m;
ok($screen->wait($title), 'what is drawn');
ok($screen->wait(sub { shows($_[0], 0, '█', 6) }), 'a busy CPU');
ok(shows($screen->text, $_, '▁', 6), "... and CPU $_") for 1, 2;
my @lines = ('all', 0 .. 2);
is_deeply([$screen->text =~ /^ +(all|\d+) +\d/mg], \@lines, 'a line for each CPU, by number');
ok($screen->wait(qr/^ PROCESSES with most of it; a full cell: 100 *\n +101 spin +95\.0 .*█ *\n +102 light +2\.0 .*▁ *\n/m), 'below them who has it');
my ($look) = grep { s/\e\[[\d;]*m//gr =~ /^ +0 .*█/ } split /\n/, $screen->colored;
like($look, qr/\e\[[\d;]+m[^\e ]*█/, 'in colour');
$screen->key('>');
ok($screen->wait(qr/^ +CPU +ctxsw\/s last 6 s of ctxsw\/s, full: 40 a CPU, all 47 *$/m), '> chooses another column');
is_deeply($screen->reads(sub { [$_[0] =~ /^ +(all|\d+) +\d/mg] }, \@lines), \@lines, '... and the lines stay');
$screen->key('<');
ok($screen->wait($title), '< goes back');
ran() for 1 .. 2;
ok($screen->wait(sub { shows($_[0], 0, '█', 8) }), 'nothing is forgotten');
$screen->key('v');
$screen->wait(qr/^ *PID /m);
$script->step('run 101 oncpu=0.95 context-switches=60');
$screen->wait(qr/^ *101 +.* 60 /m);
$screen->key('BTab');
$screen->wait(qr/\[Functions\]/);
ran();
$screen->key('BTab');
ok($screen->wait(sub { shows($_[0], 0, '█', 10) }), 'nor while tasks, or functions, are shown');
$screen->close;

# CPUs that are busy all the time: their rows stand apart, and one sees how much of it is the kernel's.
$screen = open_screen(120, 40, 3, '--view', 'heat');
$screen->wait(qr/full: 100 a CPU, all 300; dark: kernel *$/m);
$script->step(map { "run 10$_ oncpu=1 sys=0.5" } 1, 2) for 1 .. 3;
my $apart = qr/^ +0 +100\.0 +█+\n +▇▇▇+\n(?: +█+\n)+ +1 +100\.0 +▁*█+\n/m;
ok($screen->wait($apart), 'full rows stand apart') or diag $screen->text;
my ($dark) = $screen->colored =~ /\e\[([\d;]+)m█{5}\n[^█]*\e\[(?!\1m)[\d;]+m█{5}\n/;
ok($dark, '... the part in the kernel has another colour');
like($screen->colored, qr/\e\[\Q${dark}\Em⣀*⣿{3}/, '... which it has in the history of the header, too');
$screen->close;

# One minute, two or five, at each width.
for my $width (60, 80, 200) {
    $screen = open_screen($width, 24, 12, '--view', 'heat');
    ok($screen->wait(sub { shows($_[0], 0, '█', 12) }), "$width columns: a minute");
    $screen->key('-');
    ok($screen->wait(sub { shows($_[0], 0, '█', 12, 120) }), '... two minutes');
    $screen->key('-');
    ok($screen->wait(sub { shows($_[0], 0, '█', 12, 300) }), '... five minutes');
    $screen->key('+', '+', '+');
    ok($screen->wait(sub { shows($_[0], 0, '█', 12) }), '... a minute');
    ran();
    ok($screen->wait(sub { shows($_[0], 0, '█', 13) }), '... which goes on');
    $screen->close;
}

# Looking back and recordings: the strip ends with the interval shown.
my $file = "$dir/heat.db";
$screen = open_screen(100, 24, 20, '--view', 'heat', '--record', $file);
ok($screen->wait(sub { shows($_[0], 0, '█', 20) }), 'twenty intervals');
$screen->type('b');
$screen->answer(qr/^Go to:/m, '#6');
ok($screen->wait(sub { $_[0] =~ /PAST/ && shows($_[0], 0, $blocks, 6) }), 'the sixth has six');
$screen->key('.');
ok($screen->wait(sub { shows($_[0], 0, $blocks, 7) }), 'one on');
$screen->key(',', ',');
ok($screen->wait(sub { shows($_[0], 0, $blocks, 5) }), 'two back');
$screen->type('q');
$screen->wait(qr/\A\s*\z/);
$screen->close;
$screen = Screen->countertop(100, 24, '--replay', $file, '-s', 'software', '--view', 'heat', '-p', $spin);
$screen->type('b');
$screen->answer(qr/^Go to:/m, '#9');
ok($screen->wait(sub { shows($_[0], 0, $blocks, 9) }), 'a recording: the ninth has nine');
$screen->type('v');
ok($screen->wait(sub { $_[0] =~ /^ *$spin .* ⣿⣿⣿⣿⡇ /m }), '... tasks too');
$screen->close;

# ASCII, and without colours.
$screen = open_screen(100, 24, 5, '--view', 'heat', '--ascii', '--no-color');
ok($screen->wait(sub { shows($_[0], 0, 9, 5) }), 'digits in ASCII');
unlike($screen->text, qr/[^\x00-\x7f]/, '... and nothing else');
$screen->close;

# Batch output has no history: the same CPUs.
$script = Script->new(@machine);
$script->next;
my $run = $script->run('-b', '-n', 1, '-s', 'software', '--view', 'heat');
is($run->{status}, 0, 'batch output');
like($run->{out}, qr/^ *CPU HEAT +%CPU/m, '... has the view of CPUs');
$run = countertop('-b', '-n', 1, '-d', 0.1, '-s', 'software', '--sort', 'trend');
isnt($run->{status}, 0, 'trend does not sort');
like($run->{err}, qr/column 'trend' is not on this screen/, '... where it is not shown');

done_testing;
