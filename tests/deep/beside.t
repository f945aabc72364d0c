#!/usr/bin/env perl
# What is beside a recording in WAL mode, FILE-shm and FILE-wal, belongs to whoever makes it: cut or
# overwritten while it is read, it ends no reader. A reader makes and changes no file.
use Countertop qw(:DEFAULT write_file);
use File::Copy 'copy';
use POSIX 'mkfifo';

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $intervals = 30;
my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);

# A recording whose program was killed, so that all of it is in FILE-wal.
my $recording = start(qw(countertop -b -i -s software --format json -d 0.05 --record), "$dir/killed.db");
next_refresh($recording) for 1 .. $intervals + 1;
kill KILL => $recording->{pid};
finish($recording);

# A copy in a folder of its own.
my $copies = 0;
sub copied {
    my $folder = "$dir/" . ++$copies;
    mkdir $folder or die $!;
    copy("$dir/killed.db$_", "$folder/a.db$_") || die "$_: $!" for '', '-wal', '-shm';
    chmod 0644, glob "$folder/*";
    return "$folder/a.db";
}

my @replay = qw(countertop -b -i --format json --replay);

# Replays it, does something to its files after the first interval, and takes the rest: the program
# cannot be further than what a pipe of a page holds.
sub replay_while {
    my ($path, $change) = @_;
    mkfifo("$path.out", 0600) or die $!;
    my $replay = start('sh', '-c', 'exec "$@" 2>/dev/null', 'sh', @replay, $path, '-o', "$path.out");
    open my $out, '<', "$path.out" or die $!;
    fcntl $out, 1031, 4096; # F_SETPIPE_SZ
    my $lines = <$out> . <$out>;
    $change->();
    $lines .= do { local $/; <$out> } // '';
    return {lines => [json_lines($lines)], status => finish($replay)->{status}};
}

my $whole = run(@replay, copied());
my @whole = json_lines($whole->{out});
is($whole->{status}, 0, 'a recording of a program that was killed is read');
cmp_ok(scalar @whole, '>', $intervals, '... with all its intervals');

# ---- FILE-shm ----

for my $case (['cut', sub { truncate $_[0], 0 }], ['overwritten', sub { write_file($_[0], "\x5a" x 32768) }],
    ['removed', sub { unlink $_[0] }]) {
    my ($how, $change) = @$case;
    my $path = copied();
    my $replay = replay_while($path, sub { $change->("$path-shm") });
    is($replay->{status}, 0, "its FILE-shm is $how while it is read");
    is_deeply($replay->{lines}, \@whole, '... all is read as before');
    $path = copied();
    $change->("$path-shm");
    is(run(@replay, $path)->{out}, $whole->{out}, '... and so it is after that');
}

# ---- the file and FILE-wal: what is gone cannot be shown, and is not guessed ----

for my $which ('', '-wal') {
    for my $left (0, 4096, 20000) {
        my $path = copied();
        my $replay = replay_while($path, sub { truncate "$path$which", $left });
        my @shown = @{$replay->{lines}};
        ok($replay->{status} == 0 ? @shown == @whole : $replay->{status} == 1,
            "FILE$which is cut to $left bytes: status $replay->{status}");
        is_deeply(\@shown, [@whole[0 .. $#shown]], '... what was shown is true');
    }
}

# ---- who reads writes nothing, and need not be able to ----

sub state_of {
    my ($path) = @_;
    return {map { $_ => join ' ', (stat)[1, 7, 9] } glob $path =~ s{/[^/]+\z}{/*}r};
}
my $path = copied();
my $before = state_of($path);
run(@replay, $path);
is_deeply(state_of($path), $before, 'reading changes no file');
unlink "$path-shm";
$before = state_of($path);
is(run(@replay, $path)->{out}, $whole->{out}, '... it needs no FILE-shm');
is_deeply(state_of($path), $before, '... nor anything else');
unlink "$path-wal";
my $left = run(@replay, $path); # what had been moved into the file
like("$left->{status} $left->{err}", qr/\A(?:0 |2 countertop: cannot read '\Q$path\E': it is a recording without an interval\n)\z/, '... a file without its FILE-wal');
is_deeply([glob "$path-*"], [], '... nor makes FILE-wal where there is none');
SKIP: {
    skip 'only root can become another user', 1 if $>;
    skip 'user 65534 cannot run what was built here', 1 if run(@as_nobody, "$ENV{B}/countertop", '--version')->{status};
    $path = copied();
    chmod 0755, $path =~ s{/[^/]+\z}{}r;
    is(run(@as_nobody, @replay, $path)->{out}, $whole->{out}, 'another user, who cannot write there, reads it');
}

# ---- a recording that is being made ----

$recording = start(qw(countertop -b -s software --format json -d 0.05 --record), "$dir/running.db");
my @told;
for my $round (1 .. 3) {
    push @told, next_refresh($recording) for 1 .. 10;
    my @shown = json_lines(run(@replay, "$dir/running.db")->{out});
    cmp_ok(scalar @shown, '>=', @told, 'a recording that is being made has what was told');
    is_deeply([map { $_->{total} } @shown[1 .. $#told - 1]], [map { $_->{total} } @told[1 .. $#told - 1]], '... the same numbers');
}
is(stop($recording)->{status}, 0, '... and is ended well');

# Another user owns, and cuts, what is beside the file: the recorder does not map it.
SKIP: {
    skip 'only root can give files away', 3 if $>;
    $path = "$dir/other.db";
    run(qw(countertop -b -n 1 -d 0.05 -s software -o /dev/null --record), $path);
    write_file("$path-shm", '');
    chown 65534, 65534, "$path-shm";
    $recording = start(qw(countertop -b -s software --format json -d 0.05 --record), $path);
    next_refresh($recording) for 1 .. 3;
    is((grep { /other\.db/ } split /\n/, slurp("/proc/$recording->{pid}/maps"))[0], undef, 'a file of another user is not mapped');
    truncate $_, 0 for grep { -e } "$path-shm", "$path-journal";
    next_refresh($recording) for 1 .. 10;
    is(stop($recording)->{status}, 0, '... cutting what is beside it does not end the recording');
    like(run('sqlite3', $path, 'PRAGMA integrity_check', 'SELECT count(*) > 10 FROM intervals')->{out}, qr/\Aok\n1\n\z/,
        '... which is sound, and whole');
}
done_testing;
