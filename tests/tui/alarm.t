#!/usr/bin/env perl
# An alarm in the terminal: it is told, a key leads to its moment, and its recording opens there, with the
# cursor on the row and the condition with its values in the header.
use Countertop;
use Screen;
use Script;

my $dir = tempdir(CLEANUP => 1);
my @pids = 1001 .. 1003;
my $script = Script->new(map { "task $_ name=" . ($_ == 1002 ? 'burst' : 'spin') } @pids);

# %CPU of the three in each interval: 1002 is at 90 for four seconds, from the tenth on.
my @burst = (0, (4) x 9, (90) x 4, (4) x 8);

sub let_pass {
    my ($from, $to) = @_;
    for my $n ($from .. $to) {
        $script->step(map { sprintf 'run %d oncpu=%.3f context-switches=%d', $_, ($_ == 1002 ? $burst[$n] : 10) / 100, $n } @pids);
    }
}

my $screen = Screen->new(100, 30, $script->command('-s', 'software', '--when', 'cpu > 80 for 2s', '--before', 5, '--after', 4,
    '--record-dir', $dir));
let_pass(1, 10);
ok($screen->wait(sub { $_[0] =~ /\b90\.0\b/ && $_[0] !~ /alarm/ }), 'nothing is told before the two seconds are over');
let_pass(11, 12);
ok($screen->wait(qr/^alarm at 2026-01-01 00:00:11: 1002 \(burst\): cpu_pct 90:\s+'/m), 'an alarm is told');
let_pass(13, 21);
$screen->key('C-t');
ok($screen->wait(qr/ PAST 00:00:11 -10 s/), 'a key leads to its moment');
ok(wait_for(sub { $screen->is_selected(1002) }), '... and to its row');
$screen->close;

my ($file) = glob "$dir/alarm-*.db";
is($file, "$dir/alarm-20260101-000011-cpu-80-for-2s.db", 'its recording');
my ($header, @intervals) = refreshes('--replay', $file);
is_deeply($header->{alarm}, {condition => 'cpu > 80 for 2s', time => 1767225611, pid => 1002, tid => 1002, value => 90}, 'JSON says why it was made');
is_deeply([map { sprintf '%.0f', (grep { $_->{pid} == 1002 } @{$_->{tasks}})[0]{metrics}{cpu_pct} } @intervals], [@burst[5 .. 15]],
    'it has five seconds before it became true, and four after it was told');
is(countertop('--test-when', 'cpu > 80 for 2s', '--replay', $file)->{out} =~ /^\S+ \S+: (.*)/ ? $1 : '', '1002 (burst): cpu_pct 90', '--test-when finds it');

$screen = Screen->countertop(100, 30, '--replay', $file);
ok($screen->wait(qr/^alarm: ▁{5}█{4}▁{2} 90: cpu > 80 for 2s(?:;|\s*$)/m), 'the header has the condition and a curve');
ok(wait_for(sub { $screen->is_selected(1002) }), 'the cursor is on the row');
my $moment = qr/interval 7 of 11/;
like($screen->text, $moment, '... at the moment');
$screen->type('^');
ok($screen->wait(qr/interval 1 of 11/), 'one can go elsewhere');
$screen->key('C-t');
ok($screen->wait($moment), '... and back');
$screen->close;

$screen = Screen->countertop(100, 30, '--ascii', '--replay', $file);
ok($screen->wait(qr/^alarm: 0{5}9{4}0{2} 90: cpu > 80 for 2s(?:;|\s*$)/m), 'in ASCII the curve has digits');
$screen->close;

# A condition that is given meanwhile.
mkdir "$dir/given";
$script = Script->new(map { "task $_ name=" . ($_ == 1002 ? 'burst' : 'spin') } @pids);
$screen = Screen->new(100, 30, "cd $dir/given && " . $script->command('-s', 'software'));
let_pass(1, 9);
$screen->wait(qr/\bburst\b/);
$screen->key('C-w');
ok($screen->answer(qr/^Alarm when:/m, 'cpu >> 80'), 'a key asks for a condition');
ok($screen->wait(qr/expected a number such as 0\.5 or 10k at column 6/), '... says what is wrong');
$screen->answer(qr/^Alarm when:/m, 'cpu > 80');
ok($screen->wait(qr/^the last minutes are kept until it becomes true: cpu > 80/m), '... and takes it');
let_pass(10, 11);
ok($screen->wait(qr/^alarm at 2026-01-01 00:00:10: 1002 \(burst\): cpu_pct 90:/m), '... so there is an alarm');
$screen->key('C-w');
$screen->answer(qr/^Alarm when:/m, '');
ok($screen->wait(qr/^no alarm/m), 'without one there is none');
is(scalar(refreshes('--replay', (glob "$dir/given/alarm-*.db")[0])), 1 + 11, '... and its recording is complete, from the beginning');
$screen->close;

$screen = Screen->countertop(100, 30, '-s', 'software');
$screen->wait(qr/^ *PID /m);
$screen->key('C-t');
ok($screen->wait(qr/^there was no alarm: --when CONDITION says what is one/m), 'without an alarm the key says so');
$screen->close;

# In a recording p shows the functions of the row alone, of all samples that it has.
my $recording = "$ENV{TOP}/tests/data/recording/waits.db";
$screen = Screen->countertop(200, 40, '--replay', $recording);
$screen->wait(qr/interval 1 of 12/);
$screen->type('.');
$screen->wait(qr/interval 2 of 12/);
ok($screen->choose(32022), 'in a recording the cursor goes to a row');
$screen->type('p');
ok($screen->wait(qr/^births 32022: /m), '... p opens its functions');
my %samples = map { split /\|/ } split /\n/, run('sqlite3', $recording, 'SELECT f.name, sum(samples) FROM profile_rows AS r'
    . " JOIN functions AS f ON f.id = r.function WHERE r.interval = 2 AND r.pid = 32022 AND f.name > '' GROUP BY 1")->{out};
is_deeply({map { /^\s*[\d.]+ +(\d+)\b.* (\S+)\s*$/ && $samples{$2} ? ($2 => $1) : () } split /\n/, $screen->text}, \%samples,
    '... with the samples that it has');
unlike($screen->text, qr/anon_pipe_read/, '... and none of another process');
$screen->type('p');
$screen->wait(qr/^ *PID /m);
ok($screen->press_until(qr/\bFunctions\b/, qr/anon_pipe_read/), 'the view of functions is of all rows again');
$screen->close;

done_testing;
