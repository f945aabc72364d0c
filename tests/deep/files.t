#!/usr/bin/env perl
# Unusual files: pipes without a reader or writer, links of other users, folders and full disks.
# Every wait can be interrupted, and nothing is lost.
use Countertop;
use Fcntl qw(F_SETFD O_RDONLY O_WRONLY O_NONBLOCK);
use POSIX qw(mkfifo);
use Socket qw(AF_UNIX SOCK_STREAM SOL_SOCKET SO_SNDBUF);

my $dir = tempdir(CLEANUP => 1);
my @run = qw(countertop -b -s software -d 0.1);

sub fifo {
    my ($name) = @_;
    mkfifo("$dir/$name", 0600) or die "$name: $!";
    return "$dir/$name";
}

sub spew {
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print $out $text;
    close $out;
    return $path;
}

sub sleeps {
    my ($program) = @_;
    return slurp("/proc/$program->{pid}/stat") =~ /\) S /;
}

# The status of a program that a signal is to end; '' where it does not end.
sub ended_by {
    my ($program, $signal) = @_;
    kill $signal => $program->{pid};
    kill KILL => $program->{pid} if !wait_for(sub { slurp("/proc/$program->{pid}/stat") =~ /\) Z / });
    my $status = finish($program)->{status};
    return $status == 137 ? '' : $status;
}

# ---- a named pipe to write to ----

my $pipe = fifo('out');
for (['TERM', 143], ['INT', 130]) {
    my ($signal, $status) = @$_;
    for my $format ('text', 'openmetrics') {
        my $waiting = start(@run, '--format', $format, '-o', $pipe);
        wait_for(sub { sleeps($waiting) });
        is(ended_by($waiting, $signal), $status, "$format: -o FIFO without a reader is ended by $signal");
    }
}
my $writer = start(@run, '-n', 3, '-o', $pipe);
wait_for(sub { sleeps($writer) }); # the reader comes later
is(() = slurp($pipe) =~ /^countertop \d/mg, 3, 'a reader that comes gets all of it');
is(finish($writer)->{status}, 0, '... and it ends well');
$writer = start(@run, qw(--format json -o), $pipe);
sysopen my $reader, $pipe, O_RDONLY or die $!;
like(scalar <$reader>, qr/^\{"type":"header"/, 'a reader that leaves');
close $reader;
is(finish($writer)->{status}, 0, '... ends it');

# ---- readers that take nothing more ----

for my $kind ('named pipe', 'pipe', 'socket') {
    socketpair my $in, my $out, AF_UNIX, SOCK_STREAM, 0 or die $!;
    fcntl $out, F_SETFD, 0 or die $!; # it is inherited
    setsockopt $out, SOL_SOCKET, SO_SNDBUF, 1 or die $!; # the least that there is
    my @command = (@run, qw(-i --format json -d 0.05), $kind eq 'named pipe' ? ('-o', $pipe) : ());
    unshift @command, 'sh', '-c', 'exec "$@" >&' . fileno $out, 'sh' if $kind eq 'socket';
    my $program = start(@command);
    if ($kind eq 'pipe') {
        $in = $program->{out};
    } elsif ($kind eq 'named pipe') {
        sysopen $in, $pipe, O_RDONLY or die $!;
    }
    scalar <$in>;
    my ($before, $same) = (-1, 0);
    # It is full when what the program wrote in all stays the same for many intervals. What is sent
    # is not counted, but a full socket cannot be written to.
    ok(wait_for(sub {
        vec(my $room, fileno $out, 1) = 1;
        my ($written) = $kind eq 'socket' ? scalar select undef, $room, undef, 0
            : slurp("/proc/$program->{pid}/io") =~ /^wchar: (\d+)/m;
        $same = $written == ($kind eq 'socket' ? 0 : $before) ? $same + 1 : 0;
        $before = $written;
        $same > 25;
    }), "a $kind that is full is waited for");
    kill TERM => $program->{pid};
    my $ended = wait_for(sub { slurp("/proc/$program->{pid}/stat") =~ /\) Z / });
    ok($ended, '... and it can be ended');
    kill KILL => $program->{pid} if !$ended;
    close $in if $kind ne 'pipe';
    is(finish($program)->{status}, 0, '... well');
}
my $slow = start('sh', '-c', "countertop -b -i -s software --format json -d 0.05 -n 20 | { until [ -e $dir/read ]; do sleep 0.05; done; cat; }");
countertop(qw(-b -s software -d 0.05 -n 20 -o /dev/null)); # as long
spew("$dir/read", '');
my @lines = json_lines(finish($slow)->{out});
is(@lines, 21, 'a reader that is slow gets all lines');
is((run('bash', '-c', 'countertop -b -n 2 -d 0.1 -s software > >(cat >&2)'))->{status}, 0, 'a pipe of a shell');

# ---- what is read ----

sub refused {
    my ($name, $message, @options) = @_;
    my $run = run('timeout', '-k', 1, 30, 'countertop', '-b', '-n', 1, '-d', 0.1, @options);
    is($run->{status}, 2, "$name is refused");
    like($run->{err}, qr/^countertop: $message\n\z/, '... with a line');
}
my $in = fifo('in');
refused('a named pipe to --replay', "cannot read '\Q$in\E': it is no regular file", '--replay', $in);
refused('... or as a theme', "cannot read '\Q$in\E': it is a named pipe", '--theme', $in);
mkdir "$dir/own";
my $ini = fifo('own/a.ini');
refused('... among the files of -W', "cannot read '\Q$ini\E': it is a named pipe", '-W', "$dir/own");
unlink $ini;
symlink '/dev/zero', $ini;
refused('... or what has no end', "cannot read '\Q$ini\E': it is larger than \\d+ bytes", '-W', "$dir/own");
my $record = countertop(qw(-b -n 1 -d 0.1 --record), "$dir/run.db");
for my $ending (qw(wal shm journal)) {
    my $beside = fifo("run.db-$ending");
    refused("a named pipe beside a recording: -$ending", "cannot read '\Q$beside\E': it is no regular file",
        '--replay', "$dir/run.db");
    unlink $beside;
}
my ($theme) = glob "$ENV{TOP}/themes/*.theme";
for my $given ("--theme <(cat $theme)", "--theme /dev/stdin <$theme", "--theme /dev/stdin < <(cat $theme)",
    "--theme /dev/fd/5 5<$theme") {
    my $run = run('bash', '-c', "exec countertop -b -n 1 -d 0.1 $given");
    is("$run->{status}$run->{err}", '0', $given =~ s{\S*/}{}gr . ' is read');
}

# ---- links ----

my @prom = (qw(-b --format openmetrics -n 1 -d 0.05 -s software -o));
my $target = spew("$dir/target", 'old');
symlink 'target', "$dir/first";
symlink "$dir/first", "$dir/second";
my $run = countertop(@prom, "$dir/second");
is("$run->{status}$run->{err}", '0', 'a link of one\'s own to a link is followed');
like(slurp($target), qr/# EOF\n\z/, '... to its target');
ok(-l "$dir/first" && -l "$dir/second", '... and both stay');
symlink 'none', "$dir/empty";
is(countertop(@prom, "$dir/empty")->{status}, 0, 'a link that leads nowhere yet');
ok(-f "$dir/none" && -l "$dir/empty", '... is written through');
symlink 'round', "$dir/round";
is(countertop(@prom, "$dir/round")->{err},
    "countertop: cannot write '$dir/round': Too many levels of symbolic links\n", 'a link to itself is refused');
SKIP: {
    skip 'links of others need root', 1 if $> != 0;
    mkdir "$dir/shared" or die $!;
    chmod 01777, "$dir/shared" or die $!;
    my $trap = "$dir/shared/trap";
    symlink $trap, "$dir/way";
    my @once = qw(-b -n 1 -d 0.05 -s software);
    my %ways = ((map { $_ => [@once, '--format', $_, '-o'] } qw(text csv json openmetrics trace)),
        folded => [qw(-b -n 1 -d 0.05 --format folded -o)], replay => [qw(-b -n 1), '--replay', "$dir/run.db", '-o'],
        debug => [@once, qw(-o /dev/null --debug)], record => [@once, qw(-o /dev/null --record)]);
    countertop(@{$ways{record}}, "$dir/run.db");
    my ($link, $theirs) = ('it is a link of another user, in a folder that others may write', "it is another user's: choose another name");
    my %plants = (
        link => [sub { symlink $target, $trap }, $link],
        'dangling link' => [sub { unlink $target; symlink $target, $trap }, $link],
        file => [sub { unlink $target; spew($trap, '') }, $theirs],
        pipe => [sub { unlink $target; mkfifo($trap, 0666) }, $theirs],
        'second name' => [sub { link $target, $trap }, 'it has several names, one in a folder that others may write']);
    for my $name (sort keys %ways) {
        for my $plant (sort keys %plants) {
            next if $name eq 'openmetrics' && $plant !~ /link|pipe/; # it is replaced, not written
            unlink $trap;
            spew($target, 'precious');
            $plants{$plant}[0]->();
            run('chown', '-h', '65534', $trap) if $plant ne 'second name';
            my $run = countertop(@{$ways{$name}}, $plant eq 'link' ? "$dir/way" : $trap);
            like("$run->{status} $run->{err}", qr/\A[12] countertop: cannot (?:write|record to) '[^']*': \Q$plants{$plant}[1]\E\n\z/,
                "$name: a planted $plant is refused");
            is(-e $target ? slurp($target) : undef, $plant =~ /link|name/ && $plant !~ /dang/ ? 'precious' : undef, '... what it leads to is as it was');
            ok(!-s $trap, '... and nothing written') if $plant eq 'file';
        }
        # Links of one's own, also to open files, and files of others where only they write.
        next if $name eq 'record';
        unlink $trap;
        spew($target, '');
        symlink $target, $trap;
        is(countertop(@{$ways{$name}}, $trap)->{status}, 0, "$name: one's own link there is followed");
        ok(-s $target && -l $trap, '... as anywhere');
        for my $open ('/dev/stderr', '/dev/fd/2', '/dev/null') {
            my $run = countertop(@{$ways{$name}}, $open);
            is($run->{status}, 0, "$name: $open");
            cmp_ok(length $run->{err}, $open eq '/dev/null' ? '==' : '>', 0, '... is written');
        }
    }
    unlink $trap;
    spew($target, 'precious');
    symlink $target, $trap;
    run('chown', '-h', '65534', $trap);
    my $run = countertop(@once, qw(--force --record), $trap);
    is("$run->{status}$run->{err}", "1countertop: cannot record to '$trap': $link\n", '--force is refused, too');
    is(slurp($target), 'precious', '... which takes nothing away');

    # What only its owner is to read is written in no file of another user, in no folder.
    for my $name (qw(debug record)) {
        chown 65534, 65534, spew("$dir/theirs", '');
        my $run = countertop(@{$ways{$name}}, "$dir/theirs");
        like("$run->{status} $run->{err}", qr/\A[12] countertop: cannot [^']*'\Q$dir\E\/theirs': \Q$theirs\E\n\z/, "$name into a file of another user");
        ok(!-s "$dir/theirs", '... writes nothing');
    }
    for my $file ("$dir/theirs", do { unlink $trap; spew($trap, '') }) {
        chown 65534, 65534, $file;
        is(countertop(@{$ways{record}}, $file, '--force')->{status}, 0, '--force makes a new file');
        is((stat $file)[4], 0, '... of its own');
    }
    is(countertop(@{$ways{text}}, do { chown 65534, 65534, spew("$dir/theirs", ''); "$dir/theirs" })->{status}, 0, 'other outputs go on');
    symlink $target, "$dir/shared/mine";
    is(countertop(@prom, "$dir/shared/mine")->{status}, 0, 'one\'s own there is followed');
    like(slurp($target), qr/# EOF\n\z/, '... as anywhere');
}

# A file that is replaced by others while it is written: the next text is there again.
my $prom = spew("$dir/run.prom", '');
my $program = start(qw(countertop -b --format openmetrics -d 0.1 -s software -o), $prom);
ok(wait_for(sub { slurp($prom) =~ /# EOF\n\z/ }), 'a file is written');
for my $change (sub { unlink $prom }, sub { rename spew("$dir/other", 'x'), $prom },
    sub { unlink $prom; symlink 'elsewhere', $prom }) {
    $change->();
    ok(wait_for(sub { -e $prom && slurp($prom) =~ /# EOF\n\z/ }), '... and again, whatever is done to it');
}
is(stop($program)->{status}, 0, '... and it ends well');

# ---- --force ----

SKIP: {
    skip 'a small disk and folders of others need root', 14 if $> != 0;
    # Who may write the file and not its folder: root is held by modes without these capabilities.
    my $folder = "$dir/folder";
    mkdir $folder, 0755 or die $!;
    chown 65534, 65534, $folder;
    my $file = spew("$folder/run.db", 'precious');
    chmod 0666, $file;
    my $caps = '-dac_override,-dac_read_search';
    my @as = ('setpriv', "--bounding-set=$caps", "--inh-caps=$caps");
    my $program = "$ENV{B}/countertop";
    skip 'setpriv(1) takes no capabilities away here', 14
        if run(@as, 'test', '-w', $folder)->{status} != 1 || run(@as, 'test', '-w', $file)->{status};
    my $run = run(@as, $program, qw(-b -n 1 -d 0.1 --force --record), $file);
    is("$run->{status}$run->{err}", "1countertop: cannot replace '$file': Permission denied\n",
        '--force where the folder takes no file');
    is(slurp($file), 'precious', '... loses nothing');
    is_deeply([glob "$folder/*"], [$file], '... and leaves nothing');

    # A disk that is full, in a mount namespace that ends with the script.
    my $disk = "$dir/disk";
    mkdir $disk;
    my $script = <<'EOS';
        mount -t tmpfs -o size=256k tmpfs "$2" || exit 77
        echo precious >"$2/run.db"; echo more >"$2/run.db-wal"
        head -c 1000000 /dev/zero >"$2/filler" 2>/dev/null
        "$1" -b -n 1 -d 0.1 --force --record "$2/run.db"
        echo "status $?"; cat "$2/run.db" "$2/run.db-wal"; ls -A "$2"
EOS
    $run = run('unshare', '-m', 'sh', '-c', $script, 'sh', $program, $disk);
    skip 'no mount namespace here', 11 if $run->{status} == 77 || $run->{err} =~ /^unshare: /m;
    is($run->{out}, "status 1\nprecious\nmore\nfiller\nrun.db\nrun.db-wal\n", 'where the disk is full nothing is lost either');
    like($run->{err}, qr/^countertop: cannot replace '\Q$disk\E\/run.db': .*no space left\n\z/, '... which is said');

    chown 0, 0, $folder;
    # What there was is replaced with all that belonged to it; a link stays one.
    unlink glob "$folder/*";
    symlink 'real.db', "$folder/link.db";
    spew("$folder/real.db$_", 'old') for '', '-wal', '-shm', '-journal';
    $run = countertop(qw(-b -n 1 -d 0.1 --force --record), "$folder/link.db");
    is("$run->{status}$run->{err}", '0', '--force through a link');
    is_deeply([map { s{.*/}{}r } glob "$folder/*"], ['link.db', 'real.db'], '... replaces all of its file');
    ok(-l "$folder/link.db", '... and not the link');
    is(sprintf('%o', (stat "$folder/real.db")[2] & 07777), 600, '... readable for its owner only');
    is(scalar refreshes('--replay', "$folder/link.db"), 2, '... with a recording');

    # One that is being written is not replaced; two that replace a file do not write together.
    my $writer = start(qw(countertop -b --format json -d 0.1 --force --record), "$folder/busy.db");
    next_refresh($writer) for 1 .. 3;
    my $busy = countertop(qw(-b -n 1 -d 0.1 --force --record), "$folder/busy.db");
    is("$busy->{status}$busy->{err}",
        "1countertop: cannot record to '$folder/busy.db': another countertop does already\n",
        'what is being recorded is not replaced');
    next_refresh($writer);
    is(stop($writer)->{status}, 0, '... and goes on');
    cmp_ok(scalar refreshes('--replay', "$folder/busy.db"), '>', 3, '... with all its intervals');
    is_deeply([glob "$folder/busy.db?*"], [], '... and nothing beside');
}
done_testing;
