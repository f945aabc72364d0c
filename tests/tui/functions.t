#!/usr/bin/env perl
# Functions in the terminal: of a command that has ended, with exact page faults; of a row and of all that
# is watched, with the books above; what is sampled ends with the view; pause, filter, rewind.
use Countertop;
use Screen;

my $titles = qr/^ *\W?SHARE +SAMPLES .*OBJECT +FUNCTION *$/m;
my $file = tempdir(CLEANUP => 1) . '/faults.db';
record_whole($file, qw(--sample page-faults -- shares faults 5));

# ---- a recording: nothing moves ----

sub functions {
    return {map { /^ *[\d.]+ +(\d+) .*\bshares +faults_(\w+)$/ ? ($2 => $1) : () } split /\n/, $_[0]};
}
my %all = (seventy => 350, twenty => 100, ten => 50);
my $screen = Screen->countertop(120, 40, '--replay', $file, '--view', 'functions');
$screen->wait(qr/\breplay\b/);
$screen->type('$');
is_deeply($screen->reads(\&functions, \%all), \%all, 'functions with all of their samples');
ok($screen->wait(qr/^page-faults: 100\.0 % of \d+ explained; \d+\/s; lost 0; throttled 0; stacks: frame pointers, \d+ % cut off/m),
    '... and what these explain');
$screen->type('G');
ok($screen->wait(sub { $_[0] =~ /^faults_seventy .*^itself +\d+\.\d\d % of all samples/ms
    && $_[0] =~ /^Callers, in % of its stacks.*^ *100\.00 % +(?:faults_round|main) +shares$/ms }), 'G shows who calls a function, and its share');
$screen->key('Escape');
$screen->wait($titles);
$screen->key('F4');
$screen->type('twenty');
ok($screen->wait(sub { join(' ', keys %{functions($_[0])}) eq 'twenty' }), 'a filter');
$screen->key('C-u', 'Enter');
is_deeply($screen->reads(\&functions, \%all), \%all, '... is taken away');
$screen->key('F6');
$screen->wait(qr/^Sort by/m);
$screen->key('End', 'Enter');
ok($screen->wait(qr/OBJECT +FUNCTION[▲^]/), 'sorted by name');
$screen->close;

# ---- live: of a row, and of all that is watched ----

my $work = start_work('shares', 'cycles');
my $other = start_work('spin');

# The perf descriptors that a process holds.
sub events {
    my ($pid) = @_;
    return scalar grep { (readlink($_) // '') =~ /perf_event/ } glob "/proc/$pid/fd/*";
}

# The ledger opens and closes its events for switch records as it needs them.
$screen = Screen->countertop(120, 30, '-d', 0.3, '-s', 'software', '--engine', 'task', '-p', "$work,$other");
my $pid = $screen->pid_of('countertop');
ok($screen->wait(sub { join(' ', sort { $a <=> $b } Screen::pids($_[0])) eq join(' ', sort { $a <=> $b } $work, $other) && $_[0] =~ /^ *$work .*\bshares\b/m }), 'two programs run');
my $before = events($pid);
$screen->choose($work);
$screen->type('p');
ok($screen->wait(sub { $_[0] =~ $titles && $_[0] =~ /\bshares +cycles_seventy$/m }), 'p shows the functions of the row under the cursor');
ok($screen->wait(qr/^shares $work: cpu-clock: (?:samples stand for )?[\d.]+ % of [\d.]+m?s (?:explained|counted so far); \d+\/s; lost 0; throttled /m), '... whose they are, and what they explain');
unlike($screen->text, qr/^ *[\d.]+ +\d+ .*\bspin +main/m, '... not those of others');
cmp_ok(events($pid), '>', $before, '... events are open for that');
ok($screen->wait(qr/\[Functions\]/), '... and the tab says so');
$screen->type('Z');
$screen->wait(qr/PAUSED/);
my $still = $screen->text;
is($screen->reads(sub { $_[0] }, $still), $still, 'a pause holds them');
$screen->type('Z');
$screen->type('p');
ok($screen->wait(sub { $_[0] =~ /^ *$other .*\bspin/m && $_[0] !~ $titles }), 'p again goes back');
ok(wait_for(sub { events($pid) == $before }), '... and closes what was open');
$screen->key('BTab');
ok($screen->wait(sub { $_[0] =~ /\bcycles_seventy$/m && $_[0] =~ /\bspin +main$/m }), 'Tab leads to the functions of all that is watched');
ok($screen->wait(qr/^cpu-clock: [\d.]+ % of /m), '... and their books');
$screen->type(';');
ok($screen->wait(qr/^\d\.\d of \d+ threads run in the mean; \d+ % of the time one alone; cpu-clock: /m), '; weighs by elapsed time');
$screen->type(';');
ok($screen->wait(qr/^cpu-clock: [\d.]+ % of /m), '... and by time on CPUs again');
# The interval before may be one without samples.
ok(wait_for(sub {
    $screen->type('$');
    $screen->wait(sub { $_[0] !~ /\bPAST\b/ });
    $screen->type(',');
    return $screen->wait(qr/\bPAST\b/) && $screen->text =~ /\bcycles_seventy$/m;
}), 'rewind has them, too');
$screen->type('$');
$screen->key('Tab');
ok($screen->wait(sub { $_[0] !~ $titles }), 'Tab leads on');
ok(wait_for(sub { events($pid) == $before }), '... and sampling ends');
$screen->close;

# A process that executes another program while its functions are shown.
my $go = "$file.go";
my $shell = start_work('sh', '-c', "while ! [ -e $go ]; do :; done; exec shares cycles");
$screen = Screen->countertop(120, 30, '-d', 0.3, '-s', 'software', '--engine', 'task', '-p', $shell);
$screen->wait(qr/^ *$shell .*\bsh\b/m);
$screen->choose($shell);
$screen->type('p');
ok($screen->wait(qr/^sh $shell: cpu-clock: /m), 'whose functions');
open my $made, '>', $go or die "$go: $!";
ok($screen->wait(qr/^shares $shell: cpu-clock: /m), '... by the name that it has now');
$screen->close;

# What cannot be sampled: why, and what can.
SKIP: {
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);
    skip 'user 65534 cannot run what was built here', 2 if $> != 0 || run(@nobody, 'countertop', '-V')->{status};
    my $own = start_work(@nobody, "$ENV{B}/work/shares", 'cycles');
    $screen = Screen->new(160, 30, "exec @nobody " . countertop_command('-d', 0.3, '-p', $own));
    $screen->wait(qr/\bshares\b/);
    $screen->key('Down');
    $screen->type('p');
    ok($screen->wait(qr/\bshares +cycles_seventy$/m), 'an ordinary user sees the functions of own programs');
    ok($screen->wait(qr/; user mode only/), '... in user mode, as is said');
    $screen->close;
}

done_testing;
