#!/usr/bin/env perl
# An ordinary user's command in the terminal, by the live engine: a thousand children that live for a
# millisecond are exact to the last page fault; what rows have is the total, in each interval; other
# events can be added meanwhile.
use Countertop;
use Screen;
use List::Util qw(max sum0 uniq);
use POSIX 'mkfifo';

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;
mkfifo("$dir/$_", 0666) for qw(first second end);

# Two that live on and compute, one of them with three threads; a thousand children; two that fault
# a lot; a process that does nothing but system calls.
open my $script, '>', "$dir/job" or die;
print $script <<"END";
spin & spin=\$!
spin -n 3 & threads=\$!
dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null & kernel=\$!
echo \$\$ \$spin \$threads \$kernel >$dir/pids.new; mv $dir/pids.new $dir/pids
read go <$dir/first
brood -n -u 1000 1 >$dir/faults.new; mv $dir/faults.new $dir/faults
read go <$dir/second
brood -n -p 2 30000; echo >$dir/done
read go <$dir/end
kill \$spin \$threads \$kernel; wait
END
close $script;

sub go {
    open my $gate, '>', "$dir/$_[0]" or die;
    print $gate "\n";
    close $gate;
}

# In batch mode: the refreshes of the recording.
sub refreshes_of {
    my @lines = json_lines(countertop(qw(-b --format json -H --replay), $_[0])->{out});
    return grep { $_->{type} eq 'refresh' } @lines;
}

my $screen = Screen->new(110, 40, join(' ', qw(setpriv --reuid=65534 --clear-groups -- env HOME=/),
    countertop_command(qw(-d 0.3 --exact -s software --view tasks --record), "$dir/run.db", '--', 'sh', "$dir/job")));
ok(wait_for(sub { -e "$dir/pids" }), 'the command runs');
my ($sh, $spin, $threads, $kernel) = split ' ', slurp_or_empty("$dir/pids");

sub row_of {
    my ($text, $pid) = @_;
    return grep { $_->{PID} eq $pid } Screen::rows($text);
}

# What computes is in its row by samples; what is in the kernel all the time has none there. Beside other
# work it may get little of a CPU.
my $busy = sub {
    my %cpu = map { $_->{PID} => $_->{'%CPU'} } Screen::rows($_[0]);
    return !grep { ($cpu{$_} // 0) < 0.5 } $spin, $threads, $kernel;
};
my $shown; # in the next interval one of them may wait for a CPU, and have no row
ok($screen->wait(sub { $shown = $_[0]; $busy->($shown) }), 'all that live have their rows and their time on CPUs');
unlike($screen->text, qr/sum of all its processes|counted together/, '... none stands for others');
is_deeply([map { (row_of($shown, $_))[0]{COMMAND} } $spin, $threads, $kernel], [qw(spin spin dd)],
    '... with their names');
go('first');
ok(wait_for(sub { -e "$dir/faults" }), 'a thousand children');
go('second');
$screen->key('Tab') for 1 .. 3;
ok(wait_for(sub { -e "$dir/done" }), 'two that fault have run');
go('end');
ok($screen->wait(qr/ended with status 0 after [\d.]+ s; totals since its start/), 'the end is told');

# The totals of the whole run: by command, and of the tasks those with most faults.
my ($line) = grep { $_->{COMMAND} eq 'brood' } Screen::rows($screen->text);
my %commands = map { $_->{COMMAND} => $_ } Screen::rows($screen->text);
my (%faults, %born); # beside others that fork a lot a number can be given twice
for my $line (split /\n/, slurp_or_empty("$dir/faults")) {
    my ($pid, $count) = split ' ', $line;
    $faults{$pid} += $count;
    $born{$pid}++;
}
is(sum0(values %born), 1000, 'the thousand children said what they had');
is($line->{PROCS}, 1004, 'all that had the name are in its row');

# The last interval is recorded after it is drawn.
my $screen_total = sum0 map { $_->{faults} } values %commands;
my @refreshes;
ok(wait_for(sub {
    @refreshes = refreshes_of("$dir/run.db");
    return $screen_total == sum0 map { $_->{total}{counts}{'page-faults'} } @refreshes;
}), 'the intervals of the recording have the total of the commands on the screen');
cmp_ok(scalar(@refreshes), '>', 3, 'all was recorded in intervals');
my (%sum, %of_comm, %name, %seen);
my (%ended, %life); # a number may be given again, to another command, once its process has ended
my (@unequal, @odd);
for my $refresh (@refreshes) {
    my $rows = sum0 map { $_->{counts}{'page-faults'} } @{$refresh->{tasks}};
    push @unequal, "$rows, not $refresh->{total}{counts}{'page-faults'}" if $rows != $refresh->{total}{counts}{'page-faults'};
    for my $task (@{$refresh->{tasks}}) {
        $sum{$task->{pid}} += $task->{counts}{'page-faults'};
        $name{$task->{pid}} = $task->{comm};
        my $life = $life{"$task->{pid} " . ($ended{$task->{pid}} // 0)} //= {};
        $life->{comm} = $task->{comm};
        $life->{faults} += $task->{counts}{'page-faults'};
        $ended{$task->{pid}}++ if $task->{exited};
        push @{$seen{$task->{pid}}}, $refresh->{seq};
        push @odd, "$task->{pid} $task->{counts}{'page-faults'}" if $task->{counts}{'page-faults'} > 100000;
        push @odd, "$task->{pid} is an estimate" if %{$task->{coverage}};
    }
}
is("@unequal", '', 'in each interval rows add up to the total');
is("@odd", '', '... none has more than there was, or less than nothing');
# Where much else is started a process of the command may get the pid that a child had: some intervals
# later, and a child has at most three.
my @twice = grep { $seen{$_} && $seen{$_}[-1] - $seen{$_}[0] > 2 } keys %faults;
cmp_ok(scalar(@twice), '<', 0.1 * keys %faults, '... few pids are used twice');
delete @$_{@twice} for \%faults, \%born;
my @found = grep { defined $sum{$_} } keys %faults;
is(scalar(@found), scalar(keys %born), 'each child that lived for a millisecond has its row');
is_deeply([uniq map { $name{$_} } @found], ['brood'], '... with its name');
# In user mode each child has the same one or two faults less: the kernel took them.
my @kernels = uniq map { ($faults{$_} - $sum{$_}) / $born{$_} } @found;
ok(@kernels == 1 && $kernels[0] >= 0 && $kernels[0] <= 2, '... exactly its faults') or diag "@kernels";
$of_comm{$_->{comm}} += $_->{faults} for values %life;
is_deeply({map { $_ => $commands{$_}{faults} } qw(brood sh spin dd)}, {map { $_ => $of_comm{$_} } qw(brood sh spin dd)},
    'commands on the screen have what their processes had');
my @large = grep { $sum{$_} >= 30000 } keys %sum;
is(scalar(@large), 2, 'each of two that faulted a lot has its own');
$screen->close;

# Other events while it runs: all that live are opened again, and what they start later is exact.
mkfifo("$dir/again", 0666);
open $script, '>', "$dir/other" or die;
print $script <<"END";
sh -c 'read go <$dir/again; brood -n -u 100 1 >$dir/more.new; mv $dir/more.new $dir/more; sleep 1000' & sh=\$!
spin & spin=\$!
spin -n 3 & threads=\$!
dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null & kernel=\$!
echo \$\$ \$spin \$threads \$kernel >$dir/pids.new; mv $dir/pids.new $dir/pids
wait
END
close $script;
unlink "$dir/pids";
$screen = Screen->new(110, 140, join(' ', qw(setpriv --reuid=65534 --clear-groups -- env HOME=/),
    countertop_command(qw(-d 0.3 --exact -s software --view tasks --show total -i), '--', 'sh', "$dir/other")));
ok(wait_for(sub { -e "$dir/pids" }), 'another command');
($sh, $spin, $threads, $kernel) = split ' ', slurp_or_empty("$dir/pids");
ok($screen->wait($busy), '... is counted');
$screen->key('e');
$screen->type('minor-faults:u');
$screen->wait(qr/minor-faults:u/);
$screen->key('Enter');
ok($screen->wait(sub { $_[0] =~ /^.*PID.* min/m && $busy->($_[0]) }), 'after another event is added all have their rows');
unlike($screen->text, qr/counted together/, '... none stands for others');
go('again');
ok(wait_for(sub { -e "$dir/more" }), 'a hundred children are born');
%faults = slurp_or_empty("$dir/more") =~ /^(\d+) (\d+)$/mg;
my %off;
$screen->wait(sub {
    my %row = map { $_->{PID} => $_->{faults} } Screen::rows($_[0]);
    %off = map { $_ => 1 } map { defined $row{$_} ? $faults{$_} - $row{$_} : 'none' } keys %faults;
    return keys %off == 1 && !$off{none};
});
ok(keys %off == 1 && !grep({ !/^[012]$/ } keys %off), '... each exact') or diag join ' ', %off;
$screen->close;
done_testing;
