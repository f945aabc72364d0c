#!/usr/bin/env perl
# Manual refresh: an interval is the time between two presses of a key, and no CPU is busy for
# longer; and the load of the machine beside that of the watched tasks.
use Countertop;
use Screen;

my $dir = tempdir(CLEANUP => 1);
chomp(my $cpus = `nproc`);
my $spin = start_work('spin', '-n', $cpus + 1);

for my $engine ('cpu', 'task') {
    my @rows = $engine eq 'cpu' ? (qw(--view cpus)) : ('-H', '-p', 'spin');
    my $screen = Screen->countertop(90, 24, qw(-d 3600 -s software --engine), $engine, @rows,
        '--record', "$dir/$engine.db");
    ok($screen->wait(qr/^ *(?:all|\d+) .*\d/m), "engine $engine: the first refresh");
    my ($seen, $frames, @wrong, $before) = (0, 0, ());
    my $patience = time + 120;
    for (my $keys = 0; ($keys < 60 || $seen < 20 || $frames < 40) && time < $patience; $keys++) {
        $screen->key('r');
        my $text = $screen->text;
        my ($titles, @lines) = split /\n/, $text =~ /^(\W*(?:CPU|PID|TID) .*)/ms ? $1 : '';
        my $at = index($titles // '', '%CPU') + length '%CPU';
        my $new = !defined $before || $before ne $text;
        for my $line (@lines) {
            my ($name, $percent) = ($line =~ /^ *(\S+)/, substr($line, 0, $at) =~ /([\d.]+)$/);
            next if !defined $percent;
            my $most = $name eq 'all' ? 100 * $cpus : 100;
            $seen++ if $new;
            push @wrong, $line if $percent > $most;
        }
        $frames++ if $new;
        $before = $text;
    }
    cmp_ok($seen, '>=', 20, '... rows that change with a key');
    is_deeply(\@wrong, [], '... none is above 100 %');
    my $busy = qr/^$cpus CPUs? +[■▪]+·* +([\d.]+)%/m;
    # The interval between two keys may be too short to say so: another key, another interval.
    ok($screen->wait(sub { $_[0] =~ $busy && $1 > 90 && $1 <= 100 or $screen->key('r') && 0 }),
        '... and the machine is busy, on all CPUs');
    ok($screen->wait($engine eq 'cpu' ? sub { $_[0] !~ /watched/ } : qr/watched +\d+\.\d\d CPUs/),
        $engine eq 'cpu' ? '... all of it is counted' : '... of which a part is watched');
    $screen->key('q');
    ok(wait_for(sub { !-e "$dir/$engine.db-wal" }), '... ends');
    my (undef, @refreshes) = refreshes('-H', '--replay', "$dir/$engine.db");
    cmp_ok(@refreshes, '>=', 10, '... after many short intervals');
    is((grep { my $r = $_; grep { ($_->{oncpu} // 0) > $r->{interval} + 1e-8 }
                @{$r->{cpus}}, @{$r->{tasks}} } @refreshes), 0, '... none with more time than it has');
}

# Who may count nothing but his own sees that the machine is full.
SKIP: {
    skip 'only root can become someone else', 1 if $> != 0;
    my $as = 'setpriv --reuid=65534 --regid=65534 --clear-groups --';
    skip 'user 65534 cannot run what was built here (a folder is closed to others)', 1
        if system("$as $ENV{B}/countertop --version >/dev/null 2>&1");
    my $screen = Screen->new(90, 24, "$as $ENV{B}/countertop -d 0.3");
    my $busy = qr/^$cpus CPUs? +[■▪]+·* +([\d.]+)%/m;
    ok($screen->wait(sub { $_[0] =~ $busy && $1 > 90 }), 'without privilege: busy');
}

done_testing;
