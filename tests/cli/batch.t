#!/usr/bin/env perl
# Batch mode in all formats: exact intervals without drift, each refresh written when it is made,
# readers that disappear, full disks, and options of text only.
use strict;
use warnings;
use Countertop;
use File::Temp 'tempdir';
use List::Util 'sum0';
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
my @formats = qw(text csv json openmetrics);

# Takes ten seconds, in which all else is tested.
my $steady = start(qw(countertop -b --format json -n 200 -d 0.05 -s software -o), "$dir/steady");

# Live: a reader sees a refresh while the next one is not made yet.
my $live = start('sh', '-c', q(countertop -b --format json -d 3 -s software |
    jq --unbuffered -c '[.type, .seq, ([.tasks[]?] | length > 0)]'));
is(next_line($live), qq(["header",null,false]\n), 'jq reads the header');
my $header_read = time;
sysread $live->{out}, my $first, 100;
is($first, qq(["refresh",1,true]\n), '... and the first refresh before the second')
    or diag time - $header_read, ' s after the header';
stop($live);
my $run = run('sh', '-c', q(countertop -b --format json -n 3 -d 0.2 -s software | jq -e -s '
    .[1:] | map([.tasks[], .idle, .unattributed | .counts["page-faults"] // 0] | add) as $books |
    map(.total.counts["page-faults"]) == $books'));
is("$run->{status} $run->{out}", "0 true\n", 'jq adds up the books') or diag $run->{err};

for my $format (@formats) {
    my $read = run('sh', '-c',
        "{ countertop -b --format $format -d 0.05; echo status \$? >&2; } | head -n 1");
    is($read->{err}, "status 0\n", "$format: when the reader goes, it ends without a word");
    isnt($read->{out}, '', '... what was read is there');
    my $full = run('sh', '-c', "countertop -b --format $format -n 1 -d 0.05 >/dev/full");
    is($full->{status}, 1, "$format: a full device is a failure");
    like($full->{err}, qr/^countertop: cannot write standard output: No space.*\n\z/, '... told');
    my $closed = run('sh', '-c', "countertop -b --format $format -n 1 -d 0.05 >&-");
    is($closed->{status}, 1, "$format: so is standard output that is closed");
}

# What a file holds when there was no room for more: whole refreshes.
sub whole {
    my ($format, $text) = @_;
    return $text =~ /\ncountertop .*\n(.+\n)+\z/ if $format eq 'text';
    if ($format eq 'csv') {
        my ($columns, @lines) = map { tr/,// } split /\n/, $text =~ s/"[^"]*"//gr;
        return $text =~ /\ntotal,.*\n\z/ && !grep { $_ != $columns } @lines;
    }
    return eval { json_lines($text); 1 } && $text =~ /\}\n\z/ if $format eq 'json';
    return $text =~ /^# TYPE.*\n# EOF\n\z/s;
}

# The limit for files, in blocks of 512 bytes, is a disk that everyone has. It does not matter for
# the counters, which do not grow: openmetrics.t has theirs.
for my $format (qw(text csv json)) {
    for my $how ('-o FILE', '>FILE', '>>FILE') {
        my $path = "$dir/limited.$format";
        unlink $path;
        my $where = $how =~ s/FILE/$path/r;
        my $limited = run('sh', '-c', "ulimit -f 2048; exec countertop -b -i --format $format -d 0.05 $where");
        is($limited->{status}, 1, "$format $how: no room for more is a failure");
        like($limited->{err}, qr/^countertop: cannot write .*: File too large\n\z/, '... told');
        my $text = slurp($path);
        ok(length $text > 1000 && length $text <= 1048576 && whole($format, $text),
            '... what is there is whole');
    }
}
SKIP: {
    my $mounts = run(qw(unshare -m true));
    skip "no mounts of one's own here: $mounts->{err}", 12 if $mounts->{status};
    for my $format (@formats) {
        my $script = "mkdir -p $dir/disk; mount -t tmpfs -o size=1m none $dir/disk || exit 9; " .
            "countertop -b -i --format $format -d 0.05 -n 2000 -o $dir/disk/f & wait \$!; s=\$?; " .
            "cp $dir/disk/f $dir/disk.$format; ls -A $dir/disk >$dir/list; exit \$s";
        # Counters do not grow: something else fills the disk behind the first text.
        $script =~ s{& wait \$!;}{& p=\$!; until [ -s $dir/disk/f ]; do sleep 0.05; done; cat /dev/zero >$dir/disk/z 2>/dev/null; wait \$p;}
            if $format eq 'openmetrics';
        my $full = run('unshare', '-m', 'sh', '-c', $script);
        is($full->{status}, 1, "$format: a full disk is a failure");
        like($full->{err}, qr/^countertop: cannot write '\Q$dir\E\/disk\/f': No space left on device\n\z/,
            '... told');
        ok(whole($format, slurp("$dir/disk.$format")), '... what is there is whole');
    }
    is(slurp("$dir/list"), "f\nz\n", '... and no temporary file is left');
}

# What only text has.
sub rows {
    my $text = countertop(qw(-b -n 1 -d 0.2 -i -s software), @_);
    is("$text->{status}$text->{err}", '0', "@_");
    my @lines = split /\n/, $text->{out};
    my ($at) = grep { $lines[$_] =~ /\bPID\b/ } 0 .. $#lines;
    return @lines[$at .. $#lines];
}
my @rows = rows('--rows', 3);
is(@rows, 4, '... rows');
my @all = rows('--rows', 0);
cmp_ok(@all, '>', 4, '... all');
my $asked = time;
@rows = rows('--rows', 2, '--epoch', '--timestamp', '--sort', '-pid');
my $told = time;
like($rows[0], qr/^ +EPOCH TIME +PID /, '... titles');
for (@rows[1, 2]) {
    my ($epoch, $time, $rest) = /^(\d+\.\d{3}) (\S+)( +\d+ .*)$/;
    ok($epoch >= $asked && $epoch < $told + 1, '... seconds since 1970');
    chomp(my $date = `date -d \@$epoch +%FT%T%z`);
    is($time, $date, '... date and time');
    is(index($_, $rest), length("$epoch $time"), '... then the row');
}
is(index($rows[0], 'PID') + 3, length(($rows[1] =~ /^(\S+ \S+ +\d+)/)[0]), '... in columns');
for (['--rows', 3], ['--epoch'], ['--timestamp']) {
    my $refused = countertop('-b', '--format', 'csv', @$_);
    is("$refused->{status} $refused->{err}",
        "2 countertop: $_->[0] goes with -b (--batch) and text: see --help\n", "@$_ is for text");
}
my $refused = countertop('-b', '--label-sets', 3);
is($refused->{status}, 2, '--label-sets is for counters');
$refused = countertop('--check', '--format', 'csv');
is($refused->{status}, 2, '--check has no CSV');
for ('x', '1.2.3:4', '::1:80', '65536', '') {
    $refused = countertop('-b', '--listen', $_);
    is($refused->{status}, 2, "--listen '$_' is refused");
    like($refused->{err}, qr/^countertop: no address to listen at '\Q$_\E': expected PORT/, '... told');
}

# The first interval, too, is as long as -d says, of a command from its start on.
for my $what (['all tasks'], ['a command', '--', 'sleep', 1.2]) {
    my ($name, @command) = @$what;
    my (undef, $first) = json_lines(countertop(qw(-b --format json -s software -n 1 -d 0.7), @command)->{out});
    cmp_ok($first->{interval}, '>=', 0.7, "$name: the first interval is not shorter than -d");
}

# Intervals: they are what passed, and come when they are due.
finish($steady);
my ($header, @refreshes) = json_lines(slurp("$dir/steady"));
is(@refreshes, 200, '-n: that many refreshes');
my @times = map { $_->{time} } @refreshes;
my $sum = sum0(map { $_->{interval} } @refreshes[1 .. 199]);
my $passed = $times[-1] - $times[0];
cmp_ok(abs($sum - $passed), '<', 0.005, 'the sum of the intervals is the time that passed');
# On a busy machine one may come late, and one may be passed over: the beat is the same all along.
sub beat {
    my @off = sort { $a <=> $b } map { my $t = $_ - $times[0]; $t - 0.05 * int($t / 0.05 + 0.5) } @_;
    return $off[@off / 2];
}
cmp_ok(abs(beat(@times[150 .. 199]) - beat(@times[0 .. 49])), '<', 0.01, '200 refreshes do not drift');

done_testing;
