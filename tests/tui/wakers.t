#!/usr/bin/env perl
# The details of a task say who woke it up: tasks by their share, timers as interrupts, the last one.
# From rings that were recorded once: tests/data/rings.
use Countertop;
use Screen;
use Rings;

my $dir = tempdir(CLEANUP => 1);

# The details of a process, opened in the table.
sub open_details {
    my ($size, $pid, $command) = @_;
    my $screen = Screen->new(@$size, $command);
    $screen->wait(qr/^ *$pid /m) or die "$pid is not in the table\n";
    $screen->choose($pid);
    $screen->key('Enter');
    return $screen;
}

sub details {
    my ($size, $rings, $pid) = @_;
    return open_details([120, 40], $pid, join ' ', played($rings), '-p', $pid, qw(-i -d 0.05 -s software));
}

# The process of a thread with that name.
sub pid_of {
    my ($rings, $comm) = @_;
    my ($task) = grep { $_->{comm} eq $comm && $_->{pid} == $_->{tid} } values %{$rings->{last}};
    return $task->{pid};
}

# A reader sleeps until one of two writers has a byte for it: three times of four the first.
my $x86 = rings('x86');
my ($reader, $thrice, $once) = map { pid_of($x86, $_) } qw(reader thrice once);
{
    my $screen = details([120, 40], $x86, $reader);
    my $shares = qr/^woken by thrice $thrice 75 %, once $once 25 %[,;]/m;
    ok($screen->wait($shares), "a task's wakers are named, with their shares") or diag $screen->text;
    ok($screen->wait(qr/; \d+ times, last by (?:thrice|once) \d+ *$/m), '... and the last one') or diag $screen->text;
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ /^woken by/m }), 'Esc closes them');
    $screen->close;
}

# A process: all of its threads wake each other; one of them rests by a timer.
my $screen = details([120, 40], $x86, pid_of($x86, 'pingpong'));
ok($screen->wait(qr/^woken by pingpong \d+ 51 %, interrupts 46 %, pingpong \d+ 2 %; 41 times, last by pingpong \d+ *$/m),
    'both threads of a process wake each other') or diag $screen->text;
$screen->close;

# A timer is nobody's.
my $shared = rings('shared');
$screen = details([120, 40], $shared, pid_of($shared, 'sleepers'));
ok($screen->wait(qr/^woken by interrupts 100 %; 29 times, last by interrupts *$/m), 'a timer is an interrupt') or diag $screen->text;
$screen->close;

# Who may not count all CPUs is told so.
SKIP: {
    skip 'only root becomes nobody', 1 if $> != 0;
    skip 'everybody may see tracepoints here', 1 if slurp('/proc/sys/kernel/perf_event_paranoid') < 0;
    my $own = start_work(qw(setpriv --reuid=65534 --regid=65534 --clear-groups perl -e), 'select undef, undef, undef, 0.01 while 1');
    my $command = countertop_command('-p', $own, '-i', '-d', 0.3, '-s', 'software');
    $screen = Screen->new(120, 40, "setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ $command");
    $screen->wait(qr/^ *$own /m);
    $screen->choose($own);
    $screen->key('Enter');
    ok($screen->wait(qr/^woken by not known: \S/m), 'without privilege the line says why it is not known');
    $screen->close;
}

# A recording does not know.
run(played($x86), qw(-b -n 2 -d 0.05 -s software -i -p), $reader, '--record', "$dir/reader.db");
$screen = Screen->countertop(120, 40, '-i', '--replay', "$dir/reader.db");
$screen->wait(qr/^ *$reader /m);
$screen->choose($reader);
$screen->key('Enter');
ok($screen->wait(qr/^context-switches +\d/m), 'the details of a recorded task');
unlike($screen->text, qr/^woken by/m, '... do not say who wakes it');
done_testing;
