#!/usr/bin/env perl
# Batch output as text: its form, the options for rows and columns, and its targets.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use Test::More;

my @quick = ('-b', '-n', 2, '-d', 0.4, '-s', 'software');

# The last refresh of a run: title line, and rows by column title, without countertop's own, whose
# command line a filter also matches. Cells end where their title ends, or begin where it begins;
# only the last one may hold blanks.
sub table {
    my @options = @_;
    my $run = countertop(@quick, @options);
    is("$run->{status}$run->{err}", 0, "@options ends well and says nothing");
    my @pages = split /\n\n/, $run->{out};
    is(@pages, 2, '... with an empty line between refreshes');
    chomp(my @lines = split /\n/, $pages[-1]);
    my ($at) = grep { $lines[$_] =~ /^ *(PID|CPU) / } 0 .. $#lines;
    my %table = (title => $lines[0], rows => [], columns => [split ' ', $lines[$at]]);
    my $crooked = 0;
    for my $line (@lines[$at + 1 .. $#lines]) {
        my %row;
        my $title = $lines[$at];
        while ($title =~ /(\S+)/g) {
            my ($name, $start, $end) = ($1, $-[0], $+[0]);
            my $last = $name eq $table{columns}[-1];
            my $left = $name =~ /^(USER|HEAT|COMMAND)$/;
            my $cell = $left ? substr($line, $start) : substr($line, 0, $end);
            ($row{$name}) = $last && $left ? $cell : $left ? $cell =~ /^(\S+)/ : $cell =~ /(\S+)$/;
            my $next = $left ? '' : substr $line, $end, 1;
            $crooked++ if !defined $row{$name} || ($next ne '' && $next ne ' ');
        }
        push @{$table{rows}}, \%row if ($row{COMMAND} // '') !~ /^counter(top)?\b/;
    }
    is($crooked, 0, '... its columns line up');
    return \%table;
}

sub names {
    return map { $_->{COMMAND} } @{$_[0]{rows}};
}

# Whether each of the numbers is at least the next; SI suffixes count, what is no number does not.
sub descends {
    my %factor = ('' => 1, k => 1e3, M => 1e6, G => 1e9);
    my @numbers = map { /^([\d.]+)([kMG]?)$/ ? $1 * $factor{$2} : () } @_;
    return !grep { $numbers[$_] < $numbers[$_ + 1] } 0 .. $#numbers - 1;
}

my $spin = start('spin', '-n', 2, '-s', 6542);
my $sleeper = start('sleep', 6543);
my $napper = start('perl', '-e', '$0 = "text_napper"; $| = 1; print "ready\n";
    while () { select undef, undef, undef, 0.02 }');
next_line($napper);

my $table = table();
like($table->{title}, qr/^countertop \d\d:\d\d:\d\d  \S+  engine cpu  interval \d+\.\d{3} s  busy/,
    'the title line');
is("@{$table->{columns}}", 'PID USER P %CPU ctxsw/s migr/s faults/s COMMAND',
    'the columns of the screen');
ok(descends(map { $_->{'%CPU'} } @{$table->{rows}}), "rows in the order of the screen's column");
ok(!(grep { $_->{PID} == $sleeper->{pid} } @{$table->{rows}}), 'what slept is not listed');

# On a busy machine nobody else is certain to run either: from here on with -i.
$table = table('-i');
ok((grep { $_->{PID} == $sleeper->{pid} } @{$table->{rows}}), '... but with -i');
ok((grep { $_->{PID} == $spin->{pid} && $_->{COMMAND} eq 'spin' } @{$table->{rows}}), 'a row');
ok((grep { $_ eq 'spin -n 2 -s 6542' } names(table('-i', '-c'))), '-c shows command lines');
$table = table('-i', '-H', '-f', '-n 2 -s 6542');
is("@{$table->{columns}}[0, 1]", 'PID TID', '-H has a column for threads');
is_deeply([map { $_->{PID} } @{$table->{rows}}], [($spin->{pid}) x 2],
    '... and a row for each; -f filters by command line');
is_deeply([names(table('-i', '-f', 'EXT_napper'))], ['text_napper'],
    '... and by name, without regard to case');
is(@{table('-i', '-f', 'no such name')->{rows}}, 0, '... and may leave nothing');
$table = table('-i', '--sort', '-pid', '-p', "$spin->{pid},text_napper");
is_deeply([map { $_->{PID} } @{$table->{rows}}], [sort { $a <=> $b } $spin->{pid}, $napper->{pid}], '-p takes pids and names');

$table = table('-i', '--sort', 'ctxsw_per_s');
ok(descends(map { $_->{'ctxsw/s'} } @{$table->{rows}}), '--sort sorts, most first');
$table = table('-i', '--sort', '-ctxsw_per_s');
ok(descends(reverse map { $_->{'ctxsw/s'} } @{$table->{rows}}), '--sort -COLUMN least first');
my @pids = map { $_->{PID} } @{table('-i', '--sort', 'pid')->{rows}};
ok(descends(reverse @pids) || descends(@pids), 'pids can be sorted by');
is_deeply([map { $_->{PID} } grep { $_->{PID} == $spin->{pid} || $_->{PID} == $napper->{pid} }
    @{table('-i', '--sort', '-pid')->{rows}}], [sort { $a <=> $b } $spin->{pid}, $napper->{pid}],
    '... the least first with -');

SKIP: {
    skip 'only root can become someone else', 4 if $> != 0;
    my $nobody = start(qw(setpriv --reuid=65534 --regid=65534 --clear-groups sleep 6543));
    my $user = getpwuid 65534;
    $table = table('-i', '-u', $user);
    ok((grep { $_->{PID} == $nobody->{pid} } @{$table->{rows}}), '-u lists processes of a user');
    is_deeply([grep { $_->{USER} ne $user } @{$table->{rows}}], [], '... and no others');
    is_deeply(table('-i', '-u', 65534)->{columns}, $table->{columns}, '... also by uid');
    stop($nobody);
}

chomp(my $cpus = `nproc`);
$table = table('--view', 'cpus', '--ascii');
is($table->{columns}[0], 'CPU', '--view cpus begins with the CPU');
is_deeply([map { $_->{CPU} } @{$table->{rows}}], ['all', 0 .. $cpus - 1],
    '... and has a row for each, and one for all');

# Where it goes.
my $dir = tempdir(CLEANUP => 1);
my $run = countertop(@quick, '-o', "$dir/out");
is("$run->{status}$run->{err}$run->{out}", 0, '-o: nothing on standard output');
open my $file, '<', "$dir/out" or die "$dir/out: $!";
like(do { local $/; readline $file }, qr/^countertop .*^countertop /ms, '... all in the file');
for my $format ('text', 'json') {
    my $read = run('sh', '-c',
        "{ countertop -b --format $format -d 0.05; echo status \$? >&2; } | head -n 1");
    is($read->{err}, "status 0\n", "$format: when the reader goes, it ends without a word");
    isnt($read->{out}, '', '... what was read is there');
    my $full = run('sh', '-c', "countertop -b --format $format -n 1 -d 0.05 >/dev/full");
    is($full->{status}, 1, "$format: a full device is a failure");
    like($full->{err}, qr/^countertop: cannot write standard output: No space.*\n\z/, '... told');
}
$run = countertop(qw(-b -n 1 -d 0.05 -o /dev/full));
is($run->{status}, 1, '-o: a full device is a failure');
like($run->{err}, qr{^countertop: cannot write '/dev/full': No space.*\n\z}, '... told by name');
$run = countertop('-b', '-n', 1, '-o', "$dir/none/out");
is($run->{status}, 1, '-o: a file that cannot be opened is a failure');
like($run->{err}, qr/^countertop: cannot write '\Q$dir\E\/none\/out': No such file.*\n\z/, '... told');

# Names cannot reach the terminal as anything but text.
my $hostile = start('perl', '-e', '$0 = "a\e[31m\n\t\xff"; $| = 1; print "ready\n";
    while () { select undef, undef, undef, 0.02 }');
next_line($hostile);
$run = countertop(@quick, '-p', $hostile->{pid});
like($run->{out}, qr/^ *$hostile->{pid} .* a.*31m/m, 'a hostile name is shown');
unlike($run->{out}, qr/[\x00-\x09\x0b-\x1f\x7f\xff]/, '... without its control characters');

stop($_) for $spin, $sleeper, $napper, $hostile;
# Clocks count nanoseconds, and are shown in milliseconds: the title says so, and JSON the unit.
my $clocks = countertop(qw(-b -n 1 -d 0.2 -e), 'cpu-clock,task-clock')->{out};
like($clocks, qr/ cpu,ms\/s task,ms\/s COMMAND$/m, 'clocks have their unit');
my ($described) = refreshes(qw(-n 1 -d 0.1 -e), 'cpu-clock,task-clock,page-faults');
is_deeply({map { $_->{name} => $_->{unit} } grep { $_->{name} =~ /clock|faults/ } @{$described->{events}}},
    {'cpu-clock' => 'ns', 'task-clock' => 'ns', 'page-faults' => ''}, 'JSON names it');

done_testing;
