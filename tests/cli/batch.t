#!/usr/bin/env perl
# Batch mode in all formats: exact intervals without drift, each refresh written when it is made,
# readers that disappear, full disks, and options of text only.
use Countertop;
use Script;

my $dir = tempdir(CLEANUP => 1);
my @formats = qw(text csv json openmetrics);

# A reader sees a refresh while the next one is not made yet.
my $script = Script->new('task 101');
my $live = start('sh', '-c', $script->command(qw(-b --format json -s software)) .
    q( | jq --unbuffered -c '[.type, .seq, ([.tasks[]?] | length)]'));
$script->step('run 101 oncpu=0.5');
is(next_line($live), qq(["header",null,0]\n), 'jq reads the header');
is(next_line($live), qq(["refresh",1,1]\n), '... and the first refresh before the second');
stop($live);
my $run = run('sh', '-c', q(countertop -b --format json -n 3 -d 0.2 -s software | jq -e -s '
    .[1:] | map([.tasks[], .idle, .unattributed | .counts["page-faults"] // 0] | add) as $books |
    map(.total.counts["page-faults"]) == $books'));
is("$run->{status} $run->{out}", "0 true\n", 'jq adds up the books') or diag $run->{err};

# A machine on which forty tasks run in each interval.
sub many {
    my ($intervals) = @_;
    my $script = Script->new(map { "task $_ name=task$_" } 1001 .. 1040);
    $script->next(map { "run $_ oncpu=0.001 page-faults=$_" } 1001 .. 1040) for 1 .. $intervals;
    return $script;
}

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
        my $limited = run('sh', '-c', 'ulimit -f 100; exec ' . many(40)->command('-b', '--format', $format) . " $where");
        is($limited->{status}, 1, "$format $how: no room for more is a failure");
        like($limited->{err}, qr/^countertop: cannot write .*: File too large\n\z/, '... told');
        my $text = slurp($path);
        ok(length $text > 1000 && length $text <= 51200 && whole($format, $text),
            '... what is there is whole');
    }
}
SKIP: {
    my $mounts = run(qw(unshare -m true));
    skip "no mounts of one's own here: $mounts->{err}", 12 if $mounts->{status};
    for my $format (@formats) {
        # Counters do not grow: something else fills the disk behind the first text.
        my $grows = $format ne 'openmetrics';
        my $script = many($grows ? 40 : 1);
        my $fill = "until [ -s $dir/disk/f ] || ! kill -0 \$p; do sleep 0.05; done; cat /dev/zero >$dir/disk/z 2>/dev/null; " .
            "echo next >$script->{path}; wait \$p";
        my $full = run('unshare', '-m', 'sh', '-c',
            "mkdir -p $dir/disk; mount -t tmpfs -o size=64k none $dir/disk || exit 9; " .
            $script->command('-b', '--format', $format, '-o', "$dir/disk/f") . ' & p=$!; ' .
            ($grows ? 'wait $p' : $fill) . "; s=\$?; cp $dir/disk/f $dir/disk.$format; ls -A $dir/disk >$dir/list; exit \$s");
        is($full->{status}, 1, "$format: a full disk is a failure");
        like($full->{err}, qr/^countertop: cannot write '\Q$dir\E\/disk\/f': No space left on device\n\z/,
            '... told');
        ok(whole($format, slurp("$dir/disk.$format")), '... what is there is whole');
    }
    is(slurp("$dir/list"), "f\nz\n", '... and no temporary file is left');
}

# What only text has: the lines from the titles on.
sub rows {
    my $text = many(1)->run(qw(-b -n 1 -s software), @_);
    is("$text->{status}$text->{err}", '0', "@_");
    my @lines = split /\n/, $text->{out};
    return @lines[1 .. $#lines];
}
my @rows = rows('--rows', 3);
is(@rows, 4, '... rows');
is(scalar(my @all = rows('--rows', 0)), 41, '... all');
@rows = rows('--rows', 2, '--epoch', '--timestamp', '--sort', '-pid');
is("$rows[0]\n$rows[1]\n$rows[2]\n", <<'TEXT', '... seconds since 1970, date and time, then the row');
         EPOCH TIME                         PID USER        P   %CPU ctxsw/s migr/s faults/s COMMAND
1767225601.000 2026-01-01T00:00:01+0000    1001 root        0    0.1       0      0    1.00k task1001
1767225601.000 2026-01-01T00:00:01+0000    1002 root        0    0.1       0      0    1.00k task1002
TEXT
for (['--rows', 3], ['--epoch'], ['--timestamp']) {
    my $refused = countertop('-b', '--format', 'csv', @$_);
    is("$refused->{status} $refused->{err}",
        "2 countertop: $_->[0] needs -b --format text: see --help all\n", "@$_ is for text");
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

# Intervals are what passed. After one that came late the next is due when it would have been: they do
# not drift, and one that came too late is passed over.
$script = Script->new;
$script->next_after($_) for 0.05, 0.06, 0.04, 0.05, 0.13, 0.02;
my ($header, @refreshes) = $script->refreshes(qw(-n 6 -d 0.05 -s software));
is_deeply([map { $_->{interval} } @refreshes], [0.05, 0.06, 0.04, 0.05, 0.13, 0.02], 'intervals are what passed');
is_deeply([map { sprintf '%.3f', $_->{time} - 1767225600 } @refreshes], [qw(0.050 0.110 0.150 0.200 0.330 0.350)],
    '... and come when they are due');

# What has no totals has intervals, whatever is asked to be shown.
for my $format (qw(json csv openmetrics)) {
    my @recording = (qw(countertop -b --no-config --format), $format, "--replay", "$ENV{TOP}/tests/data/recording/small.db");
    is(run(@recording, qw(--show total))->{out}, run(@recording)->{out}, "$format: no intervals under the heading of totals");
}

done_testing;
