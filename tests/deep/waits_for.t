#!/usr/bin/env perl
# What a sleeping thread waits for, of each kind, as root and as the ordinary owner: 'waiter' says what
# it has to be. Why it is not known. Rings of mutexes, chains that live, and what it costs.
use Countertop;
use List::Util qw(first max);

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir, $ENV{TMPDIR};
my $nobody = 65534;
my @as_nobody = ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', '--', 'env', 'HOME=/');
my $becomes = $> == 0 && !run(@as_nobody, qw(countertop --version))->{status};
my @waits = qw(-i -d 0.1 -s waits);

# A program that tells when all of its threads are there: it, and the lines before "ready".
sub ready {
    my $program = start(@_);
    my @lines;
    while (defined(my $line = next_line($program))) {
        chomp $line;
        return ($program, @lines) if $line eq 'ready';
        push @lines, $line;
    }
    die "@_ is not ready";
}

# What the tasks of a refresh wait for, by thread.
sub waits_of {
    return {map { $_->{tid} => $_->{waits_for} } @{$_[0]{tasks}}};
}

# The first refresh in which these texts are so, by thread, or the last one.
sub expect_texts {
    my ($name, $texts, @options) = @_;
    my ($waits, $text);
    my $is_so = sub {
        $waits = waits_of($_[0]);
        $text = {map { $_ => $waits->{$_}{text} // $waits->{$_}{reason} } keys %$texts};
        return !grep { ($text->{$_} // '') !~ $texts->{$_} } keys %$texts;
    };
    ok(refresh_when($is_so, @waits, @options), $name) or diag explain $text;
    return $waits;
}

# What threads of a process wait for, seen with these rights, once it is so.
sub waits_seen {
    my ($as, $pid, $is_so) = @_;
    my $waits = {};
    wait_for(sub {
        $waits = waits_of((json_lines(run(@$as, qw(countertop -b --format json -H -n 1 -p), $pid, @waits)->{out}))[1]);
        return $is_so->($waits);
    });
    return $waits;
}

sub exactly {
    return map { $_ => qr/\A\Q$_[0]{$_}\E\z/ } keys %{$_[0]};
}

for (['root or whoever runs this', []], $becomes ? ['nobody', \@as_nobody] : ()) {
    my ($who, $as) = @$_;
    my $own = tempdir(DIR => $dir, CLEANUP => 1);
    chmod 0777, $own;
    my ($waiter, @lines) = ready(@$as, 'waiter', $own);
    cmp_ok(scalar @lines, '>=', 33, "$who: the threads wait");
    my %kind = map { my ($tid, $kind) = split /\t/; $tid => $kind } @lines;
    my %text = map { my ($tid, undef, $text) = split /\t/; $tid => $text } @lines;
    # glibc waits at one of two words of a condition.
    my %is_so = exactly(\%text);
    my ($condition) = grep { $kind{$_} eq 'condition' } keys %kind;
    my ($base) = $text{$condition} =~ /\+0x(\w+)/;
    $is_so{$condition} = qr/\Acondition waiter\+0x[0-9a-f]+\z/;
    my ($peer) = grep { slurp("/proc/$_/comm") eq "waiter-peer\n" }
        split ' ', slurp("/proc/$waiter->{pid}/task/$waiter->{pid}/children");
    my $run;
    my $waits;
    wait_for(sub {
        $run = run(@$as, qw(countertop -b --format json -H -n 1 -p), $waiter->{pid}, @waits);
        $waits = waits_of((json_lines($run->{out}))[1]);
        return !grep { ($waits->{$_}{text} // '') !~ $is_so{$_} } keys %is_so;
    });
    for my $tid (sort { $a <=> $b } keys %is_so) {
        like($waits->{$tid}{text} // $waits->{$tid}{reason}, $is_so{$tid}, "$who: $text{$tid}");
        is($waits->{$tid}{kind}, $kind{$tid}, '... of its kind');
        my ($holder) = $text{$tid} =~ /(?:held by|child|thread) (\d+)/;
        $holder = $peer if $text{$tid} =~ /\(waiter-peer\)$/;
        is($waits->{$tid}{pid}, $holder, '... and whom it waits for');
    }
    no warnings 'portable';
    my $at = hex(($waits->{$condition}{text} =~ /\+0x(\w+)/)[0]) - hex $base;
    ok($at >= 0 && $at < 48, "$who: a word of the condition") or diag $at;
    my ($lock) = grep { $kind{$_} eq 'lock' } keys %kind;
    is($waits->{$lock}{path}, "$own/file.db", "$who: the path of a file");
    my ($accept) = grep { $text{$_} =~ /^accept :/ } keys %text;
    is("accept $waits->{$accept}{address}", $text{$accept}, "$who: the address of a socket");

    # On a terminal's page, and in text.
    like(run(@$as, qw(countertop -b -H -n 1 -p), $waiter->{pid}, @waits)->{out},
        qr/ condition waiter\+0x[0-9a-f]+ .* waiter$/m, "$who: text");

    # Others may not know.
    if ($becomes && @$as == 0) {
        my $run = run(@as_nobody, qw(countertop -b --format json -n 1 -p), $waiter->{pid}, @waits);
        my $first = (json_lines($run->{out}))[1];
        is(waits_of($first)->{$waiter->{pid}}{reason}, 'other user', 'another user may not know') if $first;
        is(waits_of($first)->{$waiter->{pid}}{text}, undef, '... and learns nothing') if $first;
    }
    stop($waiter);
}

# A file system that never answers: threads are in fsync(2), in open(2), and wait for a word in a file, which
# countertop cannot read, either, and does not wait for. All are in state D.
SKIP: {
    skip 'only root mounts file systems', 1 if $> != 0 || run(qw(unshare -m true))->{status};
    skip 'this kernel has no FUSE', 1 if !open my $fuse, '+<', '/dev/fuse';
    for my $as ([], $becomes ? \@as_nobody : ()) {
        my $own = tempdir(DIR => $dir, CLEANUP => 1);
        my ($server, @lines) = ready('slowfs', $own, @$as ? $nobody : 0);
        my ($pid) = split ' ', slurp("/proc/$server->{pid}/task/$server->{pid}/children");
        my $waits = waits_seen($as, $pid, sub { 2 == grep { ($_->{path} // '') =~ /^\Q$own\E/ } values %{$_[0]} });
        for (@lines) {
            my ($tid, $kind, $text) = split /\t/;
            my %told = map { defined $waits->{$tid}{$_} ? ($_ => $waits->{$tid}{$_}) : () } keys %{$waits->{$tid}};
            my $path = (split ' ', $text)[1];
            is_deeply(\%told, {kind => $kind, text => $text, $kind eq 'futex' ? () : (path => $path)},
                (@$as ? 'nobody' : 'root') . ": $kind of a file")
                or diag explain \%told;
            like(slurp("/proc/$tid/stat"), qr/\) D /, '... in state D');
        }
        stop($server);
    }
}

# --- Containers ---

# In networks, mounts and pids of its own: countertop, outside of them, shows addresses and paths as the
# container sees them, and threads by their numbers outside.
sub inner_id {
    return (slurp_or_empty("$_[0]/status") =~ /^NSpid:.*\t(\d+)$/m)[0];
}

SKIP: {
    my @apart = (qw(unshare -n -m -p -f --propagation private sh -c),
        'mount -t tmpfs none "$1" && mount -t proc proc /proc && exec waiter "$1"', 'sh');
    my $own = tempdir(DIR => $dir, CLEANUP => 1);
    skip 'no namespaces can be had here (unshare)', 1
        if run(qw(unshare -n -m -p -f --propagation private true))->{status};
    my ($outer, @lines) = ready(@apart, $own);
    my ($pid) = split ' ', slurp("/proc/$outer->{pid}/task/$outer->{pid}/children");
    my %outside = map { inner_id($_) => m{(\d+)$} } glob "/proc/$pid/task/*";
    $outside{inner_id("/proc/$_")} = $_ for split ' ', slurp("/proc/$pid/task/$pid/children");
    my (%is_so, %inner);
    for (@lines) {
        my ($tid, $kind, $text) = split /\t/;
        # Which child it is cannot be told by a number of the container.
        $text =~ s/wait for child .*/wait for a child/;
        $text =~ s/(held by|thread) (\d+)/$1 $outside{$2}/;
        # The kernel tells peers of unix sockets only in its own network namespace.
        $text =~ s/^(read socket)(?: \/\S+)? \(waiter-peer\)$/$1/;
        $is_so{$outside{$tid}} = $kind eq 'condition' ? qr/^condition waiter\+0x/ : qr/\A\Q$text\E\z/;
    }
    expect_texts('a container: addresses, paths and threads', \%is_so, '-H', '-p', $pid);
    kill KILL => $pid; # the first of its pids ignores others
    finish($outer);
}

# --- Pipes ---

# As in a pipeline of a shell, which itself holds neither end.
my @users = ([], $becomes ? \@as_nobody : ());
for my $case ((map { ['yes | sleep 1000', 'yes', 'write pipe to sleep', $_] } @users),
    (map { ['sleep 1000 | cat', 'cat', 'read pipe from sleep', $_] } @users)) {
    my ($pipeline, $waits, $text, $as) = @$case;
    my $shell = start(@$as, qw(sh -c), "$pipeline; true");
    my %pid;
    wait_for(sub {
        my @children = split ' ', slurp_or_empty("/proc/$shell->{pid}/task/$shell->{pid}/children");
        %pid = map { slurp_or_empty("/proc/$_/comm") =~ s/\n//r => $_ } @children;
        return $pid{sleep} && $pid{$waits};
    });
    my $found = waits_seen($as, $pid{$waits}, sub { ($_[0]{$pid{$waits}}{text} // '') eq "$text $pid{sleep}" });
    $found = $found->{$pid{$waits}};
    is($found->{text}, "$text $pid{sleep}", (@$as ? 'nobody' : 'root') . ": $text");
    is($found->{pid}, $pid{sleep}, '... in JSON');
    kill STOP => $pid{sleep};
    my $stopped = waits_seen($as, $pid{sleep}, sub { ($_[0]{$pid{sleep}}{kind} // '') eq 'stopped' });
    is($stopped->{$pid{sleep}}{text}, 'stopped by signal', '... a stopped one');
    kill KILL => values %pid;
    finish($shell);
}

# --- What it costs ---

# System calls of each row by the text it got, in the first refresh and after it.
SKIP: {
    skip "'strace' cannot trace here", 1 if run(qw(strace -o /dev/null true))->{status};
    my $own = tempdir(DIR => $dir, CLEANUP => 1);
    my ($waiter, @lines) = ready('waiter', $own);
    my %is_so = map { (split /\t/)[0] => (split /\t/)[2] =~ s/(condition) .*/$1/r } @lines;
    expect_texts('all wait', {map { $_ => qr/^\Q$is_so{$_}/ } keys %is_so}, '-H', '-p', $waiter->{pid});
    run('strace', '-fy', '-o', "$dir/calls", qw(countertop -b --format json -H -n 3 -o), "$dir/json", @waits, '-p', $waiter->{pid});
    my ($refresh, $tid, $owners, $later, $shows, @calls) = (0, 0, 0, []);
    my ($lock) = grep { $is_so{$_} =~ /^lock/ } keys %is_so;
    for (split /\n/, slurp("$dir/calls")) {
        next if /resumed>/; # the second part of a call that was told before
        my ($thread) = /^(\d+)/;
        $shows //= $thread; # another thread counts meanwhile
        next if $thread != $shows && !/process_vm_readv\(/;
        $refresh++ if /write\(\S+json>, "\{\\"type/; # the header with the first one
        $tid = $1 if m{openat\(.*"/proc/\d+/task/(\d+)/syscall"};
        # Of that row, but for the tables of sockets, of who has them, and of locks, which are read for all, and what is
        # mapped where a futex is, and that file, which are read once; and the futexes by which the thread that reads
        # memory is asked.
        $owners += /process_vm_readv\(/ if $refresh == 1;
        push @{$later}, $_ if $refresh > 0 && m{/syscall|/fd|"/proc/locks|/net/} && $tid != $lock;
        $calls[$refresh]{$tid}++ if m{/proc/(?:$waiter->{pid}/|\d+/status)|process_vm_readv\(} && !m{/net/|/stat[">]|/task["/]?[">]|/maps[">]|/root/|/fd[">]};
    }
    my @known = grep { $calls[0]{$_} } keys %is_so;
    is(scalar @known, scalar keys %is_so, 'each row was read in the first refresh');
    # A table of 100 descriptors is on two pages of the kernel. The other end of a pipe is looked for.
    cmp_ok(max(map { $calls[0]{$_} - ($is_so{$_} =~ /^epoll/) } grep { $is_so{$_} !~ /pipe$/ } @known), '<=', 6, '... with at most six system calls')
        or diag explain {map { $is_so{$_} => $calls[0]{$_} } @known};
    is_deeply($later, [], '... and in the next ones with none');
    is($owners, scalar grep({ /^mutex/ } values %is_so), '... but one for each mutex, which another thread may have by now');
    stop($waiter);
}

# --- Single processes ---

my $shell = start('sh', '-c', 'sleep 1000 & echo $!; wait $!; :');
chomp(my $child = next_line($shell));
# dash waits for any child; it has one.
expect_texts('the only child', {$shell->{pid} => qr/^wait for child $child$|^signal$/, $child => qr/^sleep 1000.0 s$/},
    '-p', "$shell->{pid},$child");
kill STOP => $child;
wait_for(sub { slurp("/proc/$child/stat") =~ /\) T / });
kill CONT => $child;
expect_texts('... that goes on', {$child => qr/^a call that a signal interrupted$|^sleep/}, '-p', $child);
stop($shell);
my $spin = start('spin');
my ($running) = refresh_when(sub { grep { $_->{oncpu} } @{$_[0]{tasks}} }, @waits, '-p', $spin->{pid});
is($running && $running->{tasks}[0]{waits_for}, undef, 'who runs waits for nothing');
stop($spin);

# A program of 32 bits, without the C library: its pause(2) has the number of sendfile(2) here.
SKIP: {
    open my $source, '>', "$dir/old.s" or die $!;
    print $source ".globl _start\n_start: mov \$29, %eax\nint \$0x80\njmp _start\n";
    close $source;
    my $made = run(qw(gcc -m32 -nostdlib -static -o), "$dir/old", "$dir/old.s");
    skip 'no programs of 32 bits can be made or run here', 1
        if $made->{status} || run(qw(timeout 0.1), "$dir/old")->{status} != 124;
    my $old = start("$dir/old");
    expect_texts('numbers of a 32-bit program are not guessed',
        {$old->{pid} => qr/^32-bit program: its system calls have other numbers$/}, '-p', $old->{pid});
    stop($old);
}

# Without symbols a mutex is known by the file that is mapped there.
SKIP: {
    my $own = tempdir(DIR => $dir, CLEANUP => 1);
    my ($path) = grep { -x } map { "$_/waiter" } split /:/, $ENV{PATH};
    skip 'no strip here', 1 if run('strip', '-o', "$dir/bare", $path)->{status};
    my ($bare, @lines) = ready("$dir/bare", $own);
    my ($tid) = map { /^(\d+)\tmutex\tmutex cache_lock/ ? $1 : () } @lines;
    expect_texts('a mutex of a stripped program', {$tid => qr/^mutex \[bare\+0x[0-9a-f]+\], held by \d+$/}, '-H', '-p', $bare->{pid});
    stop($bare);
}

# Who runs a program that he may not read may not look into it, either.
SKIP: {
    skip 'root alone makes a program that its user cannot read', 1 if !$becomes;
    my ($sleep) = grep { -x } map { "$_/sleep" } split /:/, $ENV{PATH};
    run('cp', $sleep, "$dir/closed");
    chmod 0111, "$dir/closed";
    my $closed = start(@as_nobody, "$dir/closed", 1000);
    wait_for(sub { slurp_or_empty("/proc/$closed->{pid}/comm") eq "closed\n" });
    my $run = run(@as_nobody, qw(countertop -b --format json -n 1 -p), $closed->{pid}, @waits);
    is(waits_of((json_lines($run->{out}))[1])->{$closed->{pid}}{reason}, 'not permitted', 'a program that its user cannot read')
        or diag $run->{out}, $run->{err};
    stop($closed);
}

# --- Deadlocks ---

for my $count (1, 3) {
    my ($ring, @tids) = ready('waiter', 'ring', $count);
    my %all = map { $_ => 1 } @tids;
    my $told;
    my $found = refresh_when(sub {
        my $waits = waits_of($_[0]);
        $told = [map { $waits->{$_}{deadlock} // '' } @tids];
        return !grep { !/^deadlock: / } @$told;
    }, @waits, '-H', '-p', $ring->{pid});
    ok($found, "a ring of $count is a deadlock") or diag explain $told;
    like($told->[0], $count == 1 ? qr/a thread waits for itself: $tids[0]$/ : qr/^deadlock: 3 threads wait for each other: /, '... in words');
    is_deeply([sort $told->[0] =~ /(\d+)(?=,|$)/g], [sort @tids], '... and who');
    stop($ring);
}

# None of these ever waits for ever.
for my $kind (['chain', 4], ['queue', 4]) {
    my ($living) = ready('waiter', @$kind);
    my @refreshes = refreshes(@waits, qw(-H -n 30 -d 0.05 -p), $living->{pid});
    my @tasks = map { @{$_->{tasks}} } @refreshes[1 .. $#refreshes];
    is_deeply([grep { $_->{waits_for} && $_->{waits_for}{deadlock} } @tasks], [], "a $kind->[0] that lives is no deadlock");
    ok((grep { ($_->{waits_for}{kind} // '') eq 'mutex' } @tasks), '... though its threads wait for mutexes');
    stop($living);
}
done_testing;
