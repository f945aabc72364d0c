#!/usr/bin/env perl
# A command in the terminal: each process and thread that it starts has its row, live and when it has
# ended, as task, in the tree and among commands; what rows have is the total, in each interval and at
# the end. (deep/family.t has the engine that counts them.)
use Countertop;
use Screen;
use List::Util 'sum0';
use POSIX 'mkfifo';
use Script;

my $dir = tempdir(CLEANUP => 1);
mkfifo("$dir/end", 0666);
my ($sh, $spin, $threads, $kernel) = 1001 .. 1004;
my $script = Script->new("task $sh name=sh command=1", map({ "task $_ name=spin ppid=$sh command=1" } $spin, $threads),
    map({ "task $_ pid=$threads" } 1011, 1012), "task $kernel name=dd ppid=$sh command=1", 'task 1 name=other');
my $screen = Screen->new(110, 40, $script->command(qw(--engine task --exact -s software --view tasks --record), "$dir/run.db",
    '--', 'sh', '-c', "echo >$dir/begun; read end <$dir/end"));
ok(wait_for(sub { -e "$dir/begun" }), 'the command runs'); # counting has begun before
my @live = ("run $sh oncpu=0.01 page-faults=3", "run $spin oncpu=0.5", map({ "run $_ oncpu=0.2 page-faults=1" } $threads, 1011, 1012),
    "run $kernel oncpu=0.4 sys=0.4", 'run 1 oncpu=0.1 page-faults=1000');
$script->step(@live);

# The rows on the screen: pid => a cell.
sub cells {
    my ($title) = @_;
    return sub { return {map { $_->{PID} => $_->{$title} } Screen::rows($_[0])} };
}
my $names = {$sh => 'sh', $spin => 'spin', $threads => 'spin', $kernel => 'dd'};
is_deeply($screen->reads(cells('COMMAND'), $names), $names, 'all of the command have their rows, and nobody else');
is_deeply(cells('%CPU')->($screen->text), {$sh => '1.0', $spin => '50.0', $threads => '60.0', $kernel => '40.0'}, '... and their time on CPUs');
$screen->type('H');
ok($screen->wait(sub { 4 == grep { $_->{COMMAND} eq 'spin' } Screen::rows($_[0]) }), 'H: each thread has its row');
$screen->type('H');
$screen->key('t'); # at once shows those that sleep, too
$screen->wait(qr/processes +0 of 5$/m);
$script->step(@live);
ok($screen->wait(qr/^  *$sh .* sh\b.*\n(?:.*\n)*? +$spin .*─ spin/m), 't: below the shell that started them');

# A hundred children, each with as many page faults as its pid says.
my @children = 2001 .. 2100;
$script->step(@live, map { ("task $_ name=brood ppid=$sh command=1", "run $_ oncpu=0.001 page-faults=$_", "exit $_") } @children);
ok($screen->wait(qr/^\+ +20\d\d .*─ brood/m), '... children that have ended, too');
$script->step(@live);
ok($screen->wait(sub { $_[0] !~ /brood/ }), '... for an interval');
$screen->key('t');
$screen->wait(sub { $_[0] !~ /─ spin/ });
$screen->key('Tab') for 1, 2; # these counters have no CPUs
$screen->wait(qr/\[Commands\]/);
$script->step(@live);
ok($screen->wait(sub { grep { ($_->{COMMAND} // '') eq 'spin' && ($_->{PROCS} // 0) == 2 } Screen::rows($_[0]) }),
    'commands: both processes of a name in one row');
open my $gate, '>', "$dir/end" or die;
print $gate "\n";
close $gate;
ok($screen->wait(qr/ended with status 0 after 5 s; totals since its start/), 'the end is told');

# The totals of the whole run: by command.
my %faults = (brood => sum0(@children), sh => 15, spin => 15, dd => 0);
my $shown = {map { $_->{COMMAND} => $_->{faults} } Screen::rows($screen->text)};
is_deeply($shown, \%faults, 'each command has the page faults of its processes');
my ($brood) = grep { $_->{COMMAND} eq 'brood' } Screen::rows($screen->text);
is($brood->{PROCS}, 100, '... and all of them are in its row');

# The last interval is recorded after it is drawn.
my @refreshes;
my $total = sum0(values %faults);
ok(wait_for(sub {
    @refreshes = grep { $_->{type} eq 'refresh' } json_lines(countertop(qw(-b --format json -H --replay), "$dir/run.db")->{out});
    return $total == sum0 map { $_->{total}{counts}{'page-faults'} } @refreshes;
}), 'the intervals of the recording have the total of the commands on the screen');
is((grep { $_->{total}{counts}{'page-faults'} != sum0 map { $_->{counts}{'page-faults'} } @{$_->{tasks}} } @refreshes), 0,
    'in each interval rows add up to the total');
$screen->close;
done_testing;
