#!/usr/bin/env perl
# Counting begins again when an event is added, and a task is still the same: its tag stays with it
# though one that was found before it has ended, and a recording has it once.
use Countertop qw(:DEFAULT write_file);
use Screen;

my $dir = tempdir(CLEANUP => 1);
my $work = '$0 = shift; select undef, undef, undef, 0.02 while 1';

# Pids that the last interval of a recording lists, with those that sleep.
sub recorded {
    my @lines = json_lines(countertop(qw(-b --format json -i --replay), $_[0])->{out});
    my ($last) = grep { $_->{type} eq 'refresh' } reverse @lines;
    return map { $_->{pid} } @{$last->{tasks}};
}

sub add_event {
    my ($screen) = @_;
    $screen->type('e');
    $screen->answer(qr/^Add event:/m, 'minor-faults');
    return $screen->wait(qr/^ *PID .*minor/m);
}

# Tags the second of three, and ends the first.
sub changes {
    my ($screen, $name, $end, @pids) = @_;
    ok($screen->wait(sub { my $text = $_[0]; 3 == grep { $text =~ /^ *$_ /m } @pids }), "$name: three rows");
    $screen->choose($pids[1]);
    $screen->key('Space');
    ok($screen->wait(qr/^\* *$pids[1] /m), "$name: a tag");
    $end->($pids[0]);
    ok($screen->wait(sub { $_[0] !~ /^.? *$pids[0] /m }), "$name: the first one has ended");
    ok(add_event($screen), "$name: another event");
    my ($marked) = $screen->wait(qr/^\W? *$pids[1] /m) ? $screen->text =~ /^\* *(\d+) /m : ();
    is($marked, $pids[1], "$name: ... the tag is where it was");
    $screen->key('k');
    ok($screen->wait(qr/for $pids[1]\b/), "$name: ... and a signal is for that one");
    $screen->key('Escape');
}

my @options = (qw(--ascii --no-config -d 0.2 -i -s software --engine task --record));
my @pids = map { start_work('perl', '-e', $work, $_) } qw(one two three);
my $screen = Screen->countertop(120, 30, @options, "$dir/watched.db", '-p', join ',', @pids);
changes($screen, '-p', \&end_work, @pids);
$screen->close;
is(join(' ', sort grep { $_ != $pids[0] } recorded("$dir/watched.db")), join(' ', sort @pids[1, 2]),
    '-p: each one that lives is in the recording once');
end_work(@pids[1, 2]);

# The same of a command, whose processes have descriptors of their own.
my $script = join '', map { "perl -e '$work' $_ & echo \$! >$dir/$_.new; mv $dir/$_.new $dir/$_;" } qw(one two three);
write_file("$dir/job", "$script wait");
$screen = Screen->countertop(120, 30, @options, "$dir/command.db", qw(--view tasks --), 'sh', "$dir/job");
wait_for(sub { -e "$dir/three" }) or die 'the command does not run';
@pids = map { slurp_or_empty("$dir/$_") + 0 } qw(one two three);
changes($screen, '--', sub { kill KILL => $_[0] }, @pids);
$screen->close;
is(join(' ', sort grep { $_ == $pids[1] || $_ == $pids[2] } recorded("$dir/command.db")), join(' ', sort @pids[1, 2]),
    '--: likewise');
kill KILL => @pids;

done_testing;
