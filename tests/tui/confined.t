#!/usr/bin/env perl
# Path rules (landlock) for what reads recordings: they are in force before the recording is opened,
# and users miss nothing. What exactly rules forbid: unit/path_rules_test.
use Countertop qw(:DEFAULT installed write_file);
use Screen;
use Cwd 'realpath';

my ($check) = json_lines(countertop(qw(--check --format json))->{out});
like($check->{landlock}, qr/^\d+$/, '--check has a number');
like(countertop('--check')->{out}, $check->{landlock} ? qr/^landlock +version \d+: what reads a recording can open only /m
    : qr/^landlock +no:/m, '... and says what that means');
is((json_lines(countertop(qw(--check --no-sandbox --format json))->{out}))[0]{landlock}, 0, '--no-sandbox: none');

my $dir = realpath(tempdir(CLEANUP => 1));
$ENV{XDG_CONFIG_HOME} = "$dir/config"; # which is not there yet
my $db = "$dir/run.db";
is(countertop(qw(-b -n 2 -d 0.1 -s software --format json --record), $db)->{status}, 0, 'a recording');

# ---- outputs ----

for my $case ([csv => 'new'], [csv => 'there'], [openmetrics => 'new.om'], [openmetrics => 'new.om'], [csv => 'link']) {
    my ($format, $name) = @$case;
    write_file("$dir/there", "old\n" x 10000) if $name eq 'there';
    symlink "$dir/linked", "$dir/link" if $name eq 'link';
    my $run = countertop('--replay', $db, '-b', '--format', $format, '-o', "$dir/$name");
    is_deeply([$run->{status}, $run->{err}], [0, ''], "$format to '$name'");
    # What replaces its file leaves the last page of many.
    my $text = slurp_or_empty("$dir/$name");
    like(countertop('--replay', $db, '-b', '--format', $format)->{out}, qr/\Q$text\E\z/, '... is written');
    cmp_ok(length $text, '>', 1000, '... as a whole');
}
is(countertop('--compare', $db, $db, '-b', '-o', "$dir/compared")->{status}, 0, '--compare with -o');
cmp_ok(-s "$dir/compared", '>', 0, '... is written');
like(countertop('--replay', $db, '-b', '-o', "$dir/no/such")->{err}, qr/cannot write '.*such'/, 'no folder for it');

# ---- the user's files, which may be links to elsewhere ----

mkdir "$dir/elsewhere";
write_file("$dir/elsewhere/mine.ini", "[screen mine]\nevents = page-faults\ncolumns = pid faults_per_s command\n");
write_file("$dir/elsewhere/look.theme", "[theme]\n");
mkdir "$dir/own";
symlink "$dir/elsewhere/mine.ini", "$dir/own/mine.ini";
like(countertop('--replay', $db, '-b', '-W', "$dir/own", '-s', 'mine')->{out}, qr/^ *PID +faults/m, 'a screen by a link');

my $screen = Screen->countertop(120, 30, '--replay', $db);
ok($screen->wait(qr/\bPID\b.*COMMAND/), 'a replay in a terminal');
$screen->key('W');
$screen->answer(qr/Save screen as/, 'kept');
ok($screen->wait(qr/wrote \Q$dir\E\/config\/countertop\/kept\.ini/), '... writes a screen');
$screen->key('F2');
ok($screen->wait(qr/Screens/), '... and its setup');
$screen->key('F10');
$screen->close;

# ---- in force before it is opened ----

SKIP: {
    skip 'the kernel has no Landlock', 4 if !$check->{landlock};
    skip "'strace' is not here", 4 if !installed('strace');
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0'; # which traces, too

    # What the process that opens the recording did before and until then, and what it may then open.
    sub before_opening {
        my @command = @_;
        run('strace', '-f', '-y', '-s', 200, '-o', "$dir/calls", @command);
        my @calls = split /\n/, slurp("$dir/calls");
        my ($at) = grep { $calls[$_] =~ /openat\(.*run\.db", O_RDONLY\|O_NOFOLLOW/ } 0 .. $#calls;
        my ($pid) = $calls[$at // 0] =~ /^(\d+)/;
        return grep { /^$pid / } @calls[0 .. $at // 0];
    }
    my @calls = before_opening(qw(countertop -b --replay), $db);
    ok((grep { /landlock_restrict_self\(.* = 0$/ } @calls), 'a replay has its rules before it opens the recording');
    my @written = grep { /landlock_add_rule/ && /WRITE_FILE/ } @calls;
    is((grep { !m{/dev/|pipe:|/calls|socket:|\Q/tmp\E} } @written), 0, '... and writes what it was told to only')
        or diag @written;

    for my $seconds (3, 12, 48) { # beside others it takes longer until the recording is opened
        @calls = before_opening('onscreen', $seconds, 80, 24, 'countertop', '--baseline', $db, qw(-s software));
        last if @calls > 1;
    }
    ok((grep { /landlock_restrict_self\(.* = 0$/ } @calls), 'so has the reader of a baseline');
    is(join(' ', map { m{landlock_add_rule\(.*parent_fd=\d+<(.*?)>} ? $1 : () } @calls), "$db /dev/null", '... which may open the recording only, and nothing else that says anything');
}
done_testing;
