#!/usr/bin/env perl
# A launched command is counted from its first instruction, without any of countertop's own: in user
# mode a loop of 10^8 instructions adds exactly that number to the program's start-up, which is the
# same in both engines and in every run.
use Countertop;

# All of as many digits, so that reading the argument takes as long.
my @lengths = (100000000, 100000000, 200000000);

my $script = "lengths='@lengths'\n" . <<'END';
loop 0 # brings the program into memory
for engine in cpu task; do
    for n in $lengths; do
        countertop -b --format json --engine $engine --mode user -s software -e instructions,cycles \
            -- loop $n
        echo "status $?"
    done
done
# With all counters of the processor in use for the command alone; and in all modes.
countertop -b --format json --engine cpu -s software -e instructions,instructions:u -- loop 100000000
countertop -b --format json --engine task -s software -e instructions,instructions:u -- loop 100000000
countertop -b --format json -s software -e '{cycles,cache-misses,page-faults,cpu-clock,task-clock}' \
    -- loop 100000000
# As people ask: how many instructions it takes.
countertop -b --engine cpu --view tasks -s software -e instructions:u -- loop 100000000 | sed 's/^/text /'
countertop -b --engine task --view tasks -s software -e instructions:u -- loop 100000000 | sed 's/^/text /'
END

# Without random addresses: the way through the dynamic linker depends on them.
my $run = guest($script, '--smp', 1, '--append', 'norandmaps');
is($run->{status}, 0, 'the script ends well') or diag $run->{out}, $run->{err};
is(() = $run->{out} =~ /^status 0$/mg, 2 * @lengths, '... and so does each command');
my @text = $run->{out} =~ /^text (.*)$/mg;
my @lines = json_lines($run->{out} =~ s/^(?:status|text).*\n//mgr);
is(scalar(@lines), 2 * (2 * @lengths + 3), 'a header and one refresh for each');

# The count of an event in the one row of the command.
sub count {
    my ($refresh, $event, $name) = @_;
    my @loops = task($refresh, 'loop');
    is(scalar(@loops), 1, "$name: the command has one row");
    return $loops[0]{counts}{$event};
}

my %start;
for my $engine ('cpu', 'task') {
    for my $n (@lengths) {
        my ($header, $refresh) = splice @lines, 0, 2;
        my $name = "$engine, $n";
        is("$header->{engine} $header->{command}", "$engine loop $n", "$name: told in the header");
        is($header->{delay}, undef, "$name: no delay");
        my $start = count($refresh, 'instructions', $name) - $n;
        $start{$start}++;
        cmp_ok($start, '>', 0, "$name: starting takes instructions");
        cmp_ok($start, '<', 1000000, "$name: but few");
    }
}
is(scalar(keys %start), 1, 'the start of the program is the same each time') or diag explain \%start;

my ($start) = keys %start;
my @modes;
for my $engine ('cpu', 'task') {
    my ($header, $refresh) = splice @lines, 0, 2;
    is($header->{engine}, $engine, "$engine, all modes: the engine");
    is(count($refresh, 'instructions:u', "$engine, all modes"), 100000000 + $start,
        "$engine, all modes: the same in user mode");
    push @modes, count($refresh, 'instructions', "$engine, all modes");
    cmp_ok($modes[-1], '>', 100000000 + $start, "$engine, all modes: and some in the kernel");
}
# The kernel's part is never twice the same, but what came before the command is no part of it.
cmp_ok(abs($modes[0] - $modes[1]), '<', $modes[1] / 100, 'both engines see as much of the kernel');

my ($header, $refresh) = splice @lines, 0, 2;
my %state = map { $_->{name} => $_->{state} } @{$header->{events}};
is($state{'cache-misses'}, 'unsupported', 'a group with an event that cannot be counted');
my ($loop) = task($refresh, 'loop');
is($loop->{counts}{'cache-misses'}, undef, '... has no number for it');
cmp_ok($loop->{counts}{$_}, '>', 0, "... but for $_") for qw(cycles page-faults cpu-clock task-clock);

# In the table for people, too, it is the exact number of the whole run.
for my $engine ('cpu', 'task') {
    my ($heading) = grep { /^countertop / } @text;
    like($heading, qr/  engine $engine  command 'loop 100000000'  elapsed [\d.]+ s  .*  counts of the whole run  /,
        "$engine: the heading of the table");
    shift @text while @text && $text[0] !~ /^ *PID /;
    my @titles = split ' ', shift @text // '';
    my %row;
    @row{@titles} = split ' ', shift @text // '';
    is($row{'instr:u'}, 100000000 + $start, "$engine: exactly that many instructions")
        or diag $run->{out};
}
done_testing;
