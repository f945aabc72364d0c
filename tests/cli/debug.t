#!/usr/bin/env perl
# --debug FILE: what was opened, refused and lost, a line each.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
chmod 0777, $dir;

sub lines {
    open my $file, '<', $_[0] or return;
    return readline $file;
}

my @run = (qw(-b -d 0.05 -n 2 -o /dev/null --engine cpu -e page-faults -e), 'context-switches');
is(countertop(@run, '--debug', "$dir/log")->{status}, 0, 'a run with --debug');
my @lines = lines("$dir/log");
is((stat "$dir/log")[2] & 0777, 0600, 'its file is for the user alone');
is((grep { !/^ *\d+\.\d{6} \d+ \S/ } @lines), 0, 'each line has a time and a thread');
my $last = 0;
is((grep { my ($time) = /([\d.]+)/; my $less = $time < $last; $last = $time; $less } @lines), 0,
    '... and follows the one before');
like($lines[0], qr/ countertop \S+, user $>$/, 'the program and its user');
is((grep { / engine cpu: / } @lines), 1, 'the engine and why');
for my $cpu (map { $_->{cpu} } @{(refreshes(qw(-n 1 -d 0.05 --engine cpu)))[1]{cpus}}) {
    ok((grep { / open type 1 config 0x2 pid -1 cpu $cpu group \d+: \d+$/ } @lines),
        "page-faults opened on cpu $cpu");
}
is((grep { / event page-faults of software: counted$/ } @lines) > 0, 1, 'an event that is counted');
cmp_ok((grep { / snapshot at \d+ ns: \d+ tasks, \d+ CPUs, lost 0, throttled 0, took \d+ us$/ } @lines), '>=', 2,
    'two refreshes, or one more that nobody waited for');

# At its end.
countertop(@run, '--debug', "$dir/log");
my @more = lines("$dir/log");
is_deeply([@more[0 .. $#lines]], \@lines, 'a second run leaves the lines of the first');
cmp_ok(@more, '>', @lines, '... and adds its own');

# What is refused, with the reason.
SKIP: {
    skip 'only root can become somebody else', 2 if $> != 0;
    my $run = run(qw(setpriv --reuid=65534 --regid=65534 --clear-groups countertop -b -n 1 -d 0.05
        -o /dev/null -p 1 -e page-faults --debug), "$dir/denied");
    my @denied = lines("$dir/denied");
    is((grep { / open type \d+ config 0x\w+ pid 1 cpu -1 group -1: refused, (?:Permission denied|Operation not permitted)$/ }
        @denied) > 0, 1, 'a process of somebody else is refused') or diag @denied, $run->{err};
    is((grep { / engine task: tasks of one's own only: / } @denied), 1, '... the engine says why');
}

# Files that are read; a name cannot make a line of its own.
mkdir "$dir/ini";
open my $ini, '>', "$dir/ini/a\nb.ini" or die "$dir: $!";
close $ini;
countertop(@run, '--debug', "$dir/files", '-W', "$dir/ini");
is((grep { m{ read \Q$dir\E/ini/a\?b\.ini$} } lines("$dir/files")) > 0, 1, 'a file that is read');

my $refused = countertop(@run, '--debug', "$dir/none/log");
is($refused->{status}, 2, 'a file that cannot be written is wrong usage');
is($refused->{err}, "countertop: cannot write '$dir/none/log': No such file or directory\n",
    '... with the reason');

# A file that takes no more does not end the run, but is told after it.
for (['0', 1], ['3', 3]) {
    my ($command, $status) = @$_;
    my $full = countertop(qw(-b -o /dev/null --debug /dev/full --), 'sh', '-c', "exit $command");
    is($full->{err}, "countertop: cannot write '/dev/full': No space left on device\n", 'a full disk is told');
    is($full->{status}, $status, '... a failure, unless the command has failed');
}

done_testing;
