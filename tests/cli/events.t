#!/usr/bin/env perl
# Each kind of event that software can cause: a program causes a known number of them, and exactly
# its row has that count.
use Countertop;
use List::Util qw(sum0);
use Time::HiRes qw(time);

plan skip_all => 'only root may count all tasks' if $> != 0;

my $tracefs = '/sys/kernel/tracing/events';
my $devices = '/sys/bus/event_source/devices';

sub total {
    my ($event, @rows) = @_;
    return sum0(map { $_->{counts}{$event} // 0 } @rows);
}

# All that refreshes have as counts of an event.
sub numbers {
    my ($event, @refreshes) = @_;
    return grep { defined } map { $_->{counts}{$event} }
        map { (grep { $_ } @$_{qw(total idle unattributed)}, map { @$_ } @$_{qw(cpus tasks)}) } @refreshes;
}

# How often a process that now sleeps has left a CPU.
sub switches {
    my ($pid) = @_;
    wait_for(sub { slurp("/proc/$pid/stat") =~ /\) S / });
    return sum0(slurp("/proc/$pid/status") =~ /ctxt_switches:\s+(\d+)/g);
}

# ---- a breakpoint, probes and a filter, by both engines ----

my ($writes, $calls, $sleeps) = (1000, 700, 50);
my $fires = breakpoints_fire();
for my $engine ('cpu', 'task') {
    my $marks = start('marks', $writes, $calls, $sleeps);
    my ($pid, $address) = next_line($marks) =~ /^ready (\d+) (\S+)$/ or BAIL_OUT('no marks');
    my $program = "$ENV{B}/work/marks";
    my %expected = (
        "mem:$address/8:w" => $writes,
        "mem:$address/8:w:k" => 0,
        "uprobe:$program:leave_mark" => $calls,
        "uretprobe:$program:leave_mark" => $calls,
    );
    my $filtered = "sched:sched_switch/prev_pid == $pid && prev_comm == \"marks\"/";
    my $none = "sched:sched_switch/prev_pid == $pid && prev_comm == \"nobody\"/";
    my $wrong = 'sched:sched_switch/prev_com == 1/';
    my $top = start(qw(countertop -b --format json -d 0.5 --engine), $engine, '-p', $pid, '-e',
        join(',', keys %expected, $filtered, $none, 'sched:sched_switch', $wrong));
    my $header = next_refresh($top);
    my %event = map { $_->{name} => $_ } @{$header->{events}};
    next_refresh($top);
    my $before = switches($pid);
    print {$marks->{in}} "now\n";
    next_line($marks);
    my $after = switches($pid);
    my $done = time;
    my @refreshes;
    do {
        push @refreshes, next_refresh($top);
    } until $refreshes[-1]{time} > $done + 0.2;
    stop($top);
    finish($marks);

    my @rows = grep { $_->{pid} == $pid } map { @{$_->{tasks}} } @refreshes;
    for my $name (sort keys %expected) {
        if ($name =~ /^mem:/ && !$fires) {
            is($event{$name}{state}, 'unsupported', "$engine: $name never fires here");
            like($event{$name}{reason}, $never_fires, '... which is the reason');
            is_deeply([numbers($name, @refreshes)], [], '... and it has no number anywhere');
            next;
        }
        if ($name =~ /probe/ && $engine eq 'task') { # new threads would inherit it: harmless.t
            is($event{$name}{state}, 'invalid', "$engine: $name is refused");
            is_deeply([numbers($name, @refreshes)], [], '... and it has no number anywhere');
            next;
        }
        is($event{$name}{state}, 'counted', "$engine: $name is counted")
            or diag $event{$name}{reason};
        # A slice beside a task that writes no records (threads of init on some kernels) is nobody's.
        my $unknown = total($name, map { $_->{unattributed} // () } @refreshes);
        is(total($name, @rows) + $unknown, $expected{$name}, "... $expected{$name} times");
    }
    SKIP: {
        skip "$tracefs is not there", 4 if !-d $tracefs;
        my @whole = $engine eq 'cpu' ? map { $_->{total} } @refreshes : @rows;
        my $counted = total($filtered, @whole);
        # Waiting for the line had begun before, waiting for the end may not have yet.
        ok($counted >= $after - $before && $counted <= $after - $before + 1,
            "$engine: the filter lets pass what the program did")
            or diag "$counted, and the kernel counted " . ($after - $before);
        is(total($none, @whole), 0, '... and nothing else');
        is($event{$wrong}{state}, 'invalid', '... and a wrong one is refused');
        is($event{$wrong}{reason}, "the kernel refuses the filter 'prev_com == 1': its "
            . "tracepoint's fields are in $tracefs/sched/sched_switch/format", '... with a reason');
    }
}

# ---- pinned and exclusive ----

{
    my ($header, $refresh) =
        refreshes(qw(--engine cpu -d 0.2 -n 1 -e), 'cs:D,{page-faults:e,cs:W}:I,task-clock:S');
    my @asked = grep { $_->{name} =~ /:/ } @{$header->{events}};
    is(join(' ', map { "$_->{name}=$_->{state}" } @asked),
        'cs:D=counted page-faults:eI=counted cs:WI=counted task-clock:S=counted',
        'all modifiers of perf are accepted');
    is($refresh->{total}{counts}{'cs:D'}, $refresh->{total}{counts}{'context-switches'},
        '... and change nothing in what is counted');
}

# ---- wrong usage ----

for (
    ['uprobe:/proc/self/exe:mian', qr/has no function 'mian'; nearest is 'main'$/],
    ['cylces:D', qr/nearest is 'cycles'$/],
) {
    my ($name, $message) = @$_;
    my $run = countertop('-b', '-n1', '-e', $name);
    is($run->{status}, 2, "'$name' is wrong usage");
    like($run->{err}, $message, '... and it says why');
}

# ---- names of functions that a probe cannot count by ----

SKIP: {
    my $dir = tempdir(CLEANUP => 1);
    my $unit = '__attribute__((noinline)) static int twice(int n) { return n + %d; }';
    Countertop::write_file("$dir/a.c", sprintf("$unit\n", 1) . <<'C');
#include <stdlib.h>
int other(int n);
__attribute__((noinline)) int plain(int n) { return n * 2; }
static int (*pick(void))(int) { return plain; }
int chosen(int n) __attribute__((ifunc("pick")));
int main(int argc, char **argv)
{
    for (int i = atoi(argv[1]); i > 0; i--)
        argc += chosen(i);
    return argc + twice(1) + other(1) == 0;
}
C
    Countertop::write_file("$dir/b.c", sprintf($unit, 2) . 'int other(int n); int other(int n) { return twice(n); }');
    my $built = run('gcc', '-O1', '-fno-ipa-icf', "$dir/a.c", "$dir/b.c", '-o', "$dir/a");
    skip "no function can be chosen at load time here: $built->{err}", 5 if $built->{status};
    my %refused = (
        chosen => qr{'chosen' of '$dir/a' is called once, to choose the function that programs then call by this name},
        twice => qr{'$dir/a' has several functions 'twice': give the offset in the file instead$},
    );
    for my $function (sort keys %refused) {
        my $run = countertop(qw(-b -n 1 -d 0.1 -e), "uprobe:$dir/a:$function");
        is($run->{status}, 2, "a probe of '$function' is refused");
        like($run->{err}, $refused{$function}, '... with the reason');
    }
    skip 'this kernel has no uprobes', 1 if !-d "$devices/uprobe";
    my (undef, $refresh) = refreshes('-e', "u=uprobe:$dir/a:plain", '--', "$dir/a", 123);
    is($refresh->{total}{counts}{u}, 123, 'the function that was chosen is counted by its own name');
}

# ---- what opens, and could only be 0 ----

{
    my $of_kernel = 'happens in kernel mode only: count it without a modifier, or with k';
    my $of_both = 'happens in user and kernel mode only: count it without a modifier, or with u or k';
    my %never = (
        (map { $_ => $of_kernel } qw(cs:u context-switches:u migrations:uD cgroup-switches:u cs:h
            software/config=3/u perf::CONTEXT-SWITCHES:u)),
        (map { $_ => $of_both } qw(page-faults:h minor-faults:hH mem:0x1000:w:h)),
        'bpf-output' => 'BPF programs write to events of their own, and none counts: count what '
            . 'the program does, or a kprobe',
    );
    my @counted = qw(page-faults:u faults:k cs:k cs:uk cpu-clock:u migrations:k);
    if (-d $tracefs) {
        $never{$_} = $of_kernel for 'sched:sched_switch:u', 'raw_syscalls:sys_enter:u',
            'sched:sched_switch/prev_pid > 0/u';
        push @counted, 'syscalls:sys_enter_read:u', 'sched:sched_switch:k';
    }
    $never{'kprobe:do_exit:u'} = $of_kernel if -d "$devices/kprobe";
    for my $engine ('cpu', 'task') {
        my ($header, $refresh) = refreshes('--engine', $engine, '-e',
            join(',', sort(keys %never), @counted), '--', 'sleep', 0.1);
        my %event = map { $_->{name} => $_ } @{$header->{events}};
        is_deeply({map { $_ => "$event{$_}{state}: $event{$_}{reason}" } keys %never},
            {map { $_ => "unsupported: $never{$_}" } keys %never}, "$engine: what could only be 0");
        is_deeply([map { numbers($_, $refresh) } keys %never], [], '... has no number');
        is_deeply([map { "$_ $event{$_}{state}" } @counted], [map { "$_ counted" } @counted],
            '... others have');
    }

    # Modifiers of braces are the user's word; --mode does not apply to what the kernel does.
    my $events = '{cs,faults}:u,cs' . (-d $tracefs ? ',sched:sched_switch' : '');
    my ($header, $refresh) = refreshes(qw(--engine cpu --mode user -d 0.2 -n 1 -e), $events);
    my %state = map { $_->{name} => $_->{state} } @{$header->{events}};
    is("@state{qw(cs:u faults:u cs)}", 'unsupported counted counted', 'modifiers of braces');
    cmp_ok($refresh->{total}{counts}{$_}, '>', 0, "--mode user: $_ is counted all the same")
        for 'cs', (-d $tracefs ? 'sched:sched_switch' : ());

    my $table = countertop(qw(-b -i -n 1 -d 0.1 -e cs:u -p), $$)->{out};
    like($table, qr/\bcs:u not counted \(happens in kernel mode only\)|^cs:u not counted: \Q$of_kernel\E$/m,
        'a table has the reason');
    like($table, qr/^ *PID .* cs:u\/s COMMAND\n *$$ .* - \S+$/m, '... and a dash') or diag $table;
}

# ---- a breakpoint ----

my ($example) = slurp("$ENV{TOP}/src/cli/countertop.1.in") =~ /^\.B (mem:\S+)\nbreakpoints/m;
my ($of_manual) = grep { $_->{name} eq $example }
    @{(refreshes(qw(-d 0.05 -n 1 -e), $example))[0]{events}};
like("$of_manual->{state}: " . ($of_manual->{reason} // ''), $fires ? qr/^counted: $/ :
    qr/^unsupported: hardware breakpoints never fire/, "the manual's example, $example");

done_testing;
