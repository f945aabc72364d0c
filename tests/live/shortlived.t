#!/usr/bin/env perl
# Two thousand programs run by a shell one after another, and as many threads that compute for a
# millisecond each: all are listed by name, with parent and end, and their sum agrees with the
# kernel's.
use Countertop;
use List::Util qw(sum0 uniq);
use Storm;
use Time::HiRes 'time';

my $lives = 2000;

# Everything that is told while a program works, a refresh before and what comes after its end.
sub watch {
    my ($options, $work) = @_;
    my $watch = start(@first, qw(countertop -b --format json -d 1 -e cpu-clock), @$options);
    next_refresh($watch); # the header
    my @refreshes = next_refresh($watch);
    my $end = $work->();
    push @refreshes, next_refresh($watch) until $refreshes[-1]{time} > $end + 0.1;
    stop($watch);
    for my $refresh (@refreshes) {
        $_->{seq} = $refresh->{seq} for @{$refresh->{tasks}};
        for my $event (keys %{$refresh->{total}{counts}}) {
            my ($ledger, $total, $cpus) = sums($refresh, $event);
            is("$ledger $cpus", "$total $total", "$event adds up in refresh $refresh->{seq}");
        }
        is($refresh->{lost_records}, 0, 'no record is lost');
    }
    return @refreshes;
}

# What all rows of a kind count together, and what is nobody's.
sub total {
    my ($event, @rows) = @_;
    return sum0 map { $_->{counts}{$event} } @rows;
}

# Each has been told, some in two refreshes: the rows of each. What it does on its way out may be in a row of the
# refresh after its end, which does not say again that it has ended. Beside others who start many, numbers come
# round, but not as soon as that.
sub lives_of {
    my ($what, $refreshes, @rows) = @_;
    my (%last, @lives);
    for my $row (@rows) {
        my $life = $last{$row->{tid}};
        push @lives, $life = $last{$row->{tid}} = []
            if !$life || $life->[-1]{told_end} && $row->{seq} > $life->[-1]{seq} + 1;
        $row->{told_end} = $row->{exited} || @$life && $life->[-1]{told_end};
        push @$life, $row;
    }
    is(scalar(@lives), $lives, "all of the $what are told");
    is((grep { $_->[-1]{told_end} } @lives), $lives, '... with their end');
    is((grep { 1 < grep { $_->{exited} } @$_ } @lives), 0, '... which is told once');
    is((grep { @$_ > 2 } @lives), 0, '... in the refresh of their birth and of their end');
    # What a silent task's neighbours counted beside it is nobody's, and said to be: some tasks of a
    # virtual machine's own are silent, and run when they like.
    my $without = grep { total('context-switches', @$_) < 1 } @lives;
    my $nobodys = total('context-switches', map { $_->{unattributed} } @$refreshes);
    cmp_ok($without, '<=', $nobodys, '... and with a context switch at least, or it is nobody\'s');
    cmp_ok($without, '<=', 0.05 * $lives, '... which is rare');
    return @lives;
}

my ($shell, $faults);
my @refreshes = watch([], sub {
    # In this shell `true` is a builtin, the program is not.
    $shell = start('sh', '-c', "i=0; while [ \$i -lt $lives ]; do /bin/true; i=\$((i + 1)); done
        echo done; read end");
    next_line($shell);
    # What its children had when it waited for them: proc(5), cminflt and cmajflt.
    open my $stat, '<', "/proc/$shell->{pid}/stat" or die "stat of $shell->{pid}: $!";
    my @fields = split ' ', readline($stat) =~ s/.*\) //r;
    $faults = $fields[8] + $fields[10];
    return time;
});
my @rows = grep { $_->{ppid} == $shell->{pid} } map { @{$_->{tasks}} } @refreshes;
my @programs = lives_of('programs', \@refreshes, @rows);
is_deeply([uniq map { $_->[-1]{comm} } @programs], ['true'],
    '... by the name that they have after exec');
is((grep { $_->{pid} != $_->{tid} || ($_->{user} // '') ne getpwuid $> } @rows), 0,
    '... and their owner');
my $counted = total('page-faults', @rows);
my $nobodys = total('page-faults', map { $_->{unattributed} } @refreshes);
# The kernel counts among a process' faults those that it takes itself in copying the arguments of
# an exec, which are no event.
ok($counted <= $faults && $counted + $nobodys >= 0.9 * $faults, 'their page faults add up')
    or diag "$counted, and $nobodys unattributed, the kernel says $faults";
cmp_ok($nobodys, '<=', 0.05 * total('page-faults', map { $_->{total} } @refreshes),
    '... of all faults nearly none are nobody\'s');
finish($shell);

my $threads;
@refreshes = watch(['-H'], sub {
    $threads = start(qw(births -t -l 1000), $lives);
    finish($threads);
    return time;
});
@rows = grep { $_->{pid} == $threads->{pid} && $_->{tid} != $_->{pid} }
    map { @{$_->{tasks}} } @refreshes;
lives_of('threads', \@refreshes, @rows);
is((grep { $_->{comm} ne 'births' } @rows), 0, '... by name');
# Each has run for a millisecond by its own clock, and a little to begin and to end.
my $oncpu = sum0 map { $_->{oncpu} } @rows;
my $clock = total('cpu-clock', @rows) / 1e9;
$nobodys = total('cpu-clock', map { $_->{unattributed} } @refreshes) / 1e9;
ok($oncpu + $nobodys >= 0.98 * $lives / 1000 && $oncpu <= 1.3 * $lives / 1000,
    'they had a millisecond each on a CPU, and little more') or diag "$oncpu s, and $nobodys s that are nobody's";
ok($clock + $nobodys >= 0.98 * $oncpu && $clock <= 1.02 * $oncpu, '... as cpu-clock says')
    or diag "$clock s, and $nobodys unattributed, of $oncpu s";
my $ran = total('cpu-clock', map { $_->{total} } @refreshes) - total('cpu-clock', map { $_->{idle} } @refreshes);
cmp_ok($nobodys, '<=', 0.05 * $ran / 1e9, '... nearly none of what all tasks had is nobody\'s');

done_testing;
