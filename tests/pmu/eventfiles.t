#!/usr/bin/env perl
# Events of event files for this processor, in perf's form and in Arm's, under names that nothing
# else knows, and metrics of them, counted by the emulated machine's PMU.
use Countertop;

my $run = guest(<<'END', '--add', "$ENV{TOP}/tests/data/eventfiles/config", '--cpu', 'neoverse-n1', '--shift', 1);
countertop --list-events instructions_done -W config || exit
countertop -W config -b --format json -s software -e '{instructions_done,instructions},{Turns_Of_The_Clock,cycles}' \
    -e '{INSTRUCTIONS_DONE:u,TURNS_OF_THE_CLOCK:u}' -- faults 200 </dev/null
countertop -W config -b --format json -s software -e '{WORK_DONE,TURNS}' -- faults 200 </dev/null
END
is($run->{status}, 0, 'the script ends well') or diag $run->{out}, $run->{err};
my ($list, $json, $arm) = split /^(?=\{"type":"header")/m, $run->{out};
like($list, qr/^event file 'config\/events\/arm64\/arm\/n1\/core\.json'\n  yes  INSTRUCTIONS_DONE +Instructions that retired$/m,
    'it is listed as what can be counted');
my ($header, @refreshes) = json_lines($json =~ s/^[^{].*\n//mgr);
my %event = map { $_->{name} => $_ } @{$header->{events}};
like($event{instructions_done}{encoding}, qr/^armv8_\S+ type=\d+ config=0x8$/, 'instructions by the name of the file');
like($event{Turns_Of_The_Clock}{encoding}, qr/^armv8_\S+ type=\d+ config=0x11$/, 'cycles by the name of the file');
is(join(' ', grep { /_/ && $event{$_}{state} ne 'counted' } sort keys %event), '', 'all are counted');
my ($task) = map { task($_, 'faults') } @refreshes;
my $counts = $task->{counts};
cmp_ok($counts->{instructions}, '>', 100_000, 'the program runs');
cmp_ok(abs($counts->{instructions_done} - $counts->{instructions}), '<', 1000,
    "it has as many of the file's instructions as of perf's") or diag explain $counts;
cmp_ok(abs($counts->{Turns_Of_The_Clock} - $counts->{cycles}), '<', 1000, '... and of cycles')
    or diag explain $counts;
# An instruction takes two cycles.
cmp_ok(abs($task->{metrics}{done_per_turn} - 0.5), '<', 0.02, "the file's metric is right")
    or diag explain $task;
is($counts->{'TURNS_OF_THE_CLOCK:u'}, 2 * $counts->{'INSTRUCTIONS_DONE:u'}, '... and modifiers go with its names');

(undef, @refreshes) = json_lines($arm =~ s/^[^{].*\n//mgr);
($task) = map { task($_, 'faults') } @refreshes;
cmp_ok($task->{counts}{WORK_DONE}, '>', 100_000, "Arm's specification: its events are counted");
cmp_ok(abs($task->{metrics}{percent_of_turns} - 50), '<', 2, '... and its metric is right') or diag explain $task;
done_testing;
