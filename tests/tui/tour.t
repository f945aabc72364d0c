#!/usr/bin/env perl
# --demo tour: ten steps through the program, each done by the key that it is about and by no other.
use Countertop;
use Screen;

my $screen = Screen->countertop(100, 30, qw(--no-config -d 0.3 --demo tour));
ok($screen->wait(qr/^tour: step 1 of 10 \(q leaves\) *$/m), 'the tour begins');

# Its workloads are the children of the program, which is a child of the pane's shell.
sub children {
    return map { split ' ', slurp_or_empty("/proc/$_/task/$_/children") } @_;
}
chomp(my $shell = $screen->tmux('display-message', '-p', '#{pane_pid}'));
my @pids = children(children($shell));
is_deeply([sort map { slurp_or_empty("/proc/$_/comm") =~ s/\n//r } @pids], [qw(branch-random faults hot3)],
    '... with three workloads');

my %keys = map { /^table +(\S+) +(\S+(?: \S+)*)  / ? ($1 => join '|', map { quotemeta } split ' ', $2) : () } split /\n/, `countertop --list-keys --no-config`;
sub step {
    my ($number, $command, $done) = @_;
    ok($screen->wait(sub { $_[0] =~ s/\s+/ /gr =~ /[Pp]ress (?:$keys{$command})[,:; ]/ }), "step $number names the key of $command");
    $done->();
    my $wanted = $number == 10 ? qr/^tour: done *$/m : qr/^tour: step @{[$number + 1]} of 10 /m;
    ok($screen->wait($wanted), "... which leads on");
}
$screen->type('e');
ok($screen->wait(qr/^Add event/m), 'another key does what it always does');
ok($screen->wait(qr/^tour: step 1 of 10 \(Esc closes the prompt, then q leaves\) *$/m), '... and the tour says how to leave from there');
$screen->key('Escape');
ok($screen->wait(qr/^tour: step 1 of 10 /m), '... and is no step');
step(1, 'search', sub { $screen->type('/'); $screen->answer(qr/^Search/m, 'hot3') });
$screen->type('e');
$screen->wait(qr/^Add event/m);
$screen->key('Escape');
ok($screen->wait(sub { $_[0] !~ /^Add event/m && $_[0] =~ /^tour: step 2 of 10 /m }), 'a prompt that is cancelled is no step');
step(2, 'event', sub { $screen->type('e'); $screen->answer(qr/^Add event/m, 'minor-faults') });
step(3, 'errors', sub {
    $screen->type('E');
    ok($screen->wait(sub { $_[0] !~ /COMMAND *$/m && $_[0] =~ /^tour: step 3 of 10 /m }), 'the panel stays below a page');
    $screen->type('q');
});
step(4, 'attach', sub { $screen->type('a'); $screen->answer(qr/^Attach to/m, 'hot3') });
step(5, 'functions', sub { $screen->type('p') });
ok($screen->wait(qr/ demo_hot_70$/m), '... has the function');
step(6, 'details', sub { $screen->key('Enter') });
step(7, 'code-back', sub { $screen->key('BSpace') });
step(8, 'let-go', sub { $screen->type('A'); $screen->answer(qr/^Detach from/m, '') });
step(9, 'chart', sub { $screen->key('F8'); $screen->wait(qr/^F8 enlarge/m); $screen->type('q') });
ok($screen->wait(qr/^change: random branches 100 % /m), 'step 10 has what is compared');
step(10, 'workload-less', sub { $screen->type('D') });
$screen->type('q');
is_deeply([grep { my $pid = $_; !wait_for(sub { !-e "/proc/$pid" }) } @pids], [], 'q ends all of its workloads');

done_testing;
