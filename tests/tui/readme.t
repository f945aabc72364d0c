#!/usr/bin/env perl
# The lines of the README and the manual's examples do what they say, from the first to the last, with
# pids, ports, names and durations that others do not have. Settings in the manual are read by the program.
use Countertop;
use Screen;
use IO::Socket::INET;

my $readme = slurp("$ENV{TOP}/README.md");
cmp_ok(scalar($readme =~ tr/\n//), '<=', 120, 'the README is a page');
is_deeply([grep { length > 110 && !/^\|/ } split /\n/, $readme], [], '... and its lines are short, but for tables');
my @copied = map { s/ +# .*//r } $readme =~ /^    ((?:git|make|countertop) .*)$/mg;
cmp_ok(@copied, '>=', 13, 'the README has lines to copy');
my $manual = slurp("$ENV{TOP}/src/cli/countertop.1.in");
my ($section) = $manual =~ /^\.SH EXAMPLES\n(.*?)^\.SH/ms;
my @examples = map { s/\\-/-/gr =~ s/\\\(aq/'/gr } $section =~ /^\.B (.*)$/mg;
cmp_ok(@examples, '>=', 25, 'the manual has examples');
my %twice;
my @lines = grep { !$twice{$_}++ } @copied, @examples;

# Where the lines are typed, and what they are about.
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
# make itself computes for some 0.2 s, so that it has samples: a run of few milliseconds may have none.
open my $makefile, '>', 'Makefile' or die;
print $makefile "D := 0 1 2 3 4 5 6 7 8 9\n";
print $makefile 'N := $(words ', map({ "\$(foreach $_,\$D," } 'a' .. 'f'), '$f', ')' x 6, ")\n";
print $makefile "all:\n\t\@births 3\n";
close $makefile;
my $browser = "fox$$";
start_named($browser);
my $mount = cgroup_mount();
my $service = "web$$.service";
my $cgroup = defined $mount ? "$mount/$service" : '';
$cgroup = '' if $cgroup && !mkdir $cgroup;
END { rmdir $cgroup if $cgroup }

# A line as it is typed here.
sub typed {
    return $_[0] =~ s/\bfirefox\b/$browser/r =~ s/\bweb\.service\b/$service/r =~ s/--listen \d+/--listen 0/r
        =~ s/--demo all/--demo faults/r =~ s/-n \d+/-n 2/r =~ s/-r \d+/-r 6/r =~ s/-d [\d.]+/-d 0.2/r =~ s{^build/}{}r;
}

# What the terminal shows on the way, and the status at the end; the user presses q.
sub shows {
    my ($line, $wanted, $folder) = @_;
    my $screen = Screen->new(100, 24, "cd '$folder'; " . typed($line) . "\necho status: \$?");
    ok($screen->wait($wanted), "$line: what it shows") or return $screen->close;
    $screen->type('q') if $screen->text =~ /^F1 help/m;
    ok($screen->wait(qr/^status: 0 *$/m), "$line: q ends it");
    $screen->close;
}

# What is seen of some; of the others, the table, or any output.
my $table = qr/^ *(?:PID|TID|CGROUP|PROCS)\b.*COMMAND|^ *\S*PROCS\b/m;
my %seen = (
    'countertop -G web.service' => qr/^F1 help/m,
    'countertop -p firefox' => qr/\b$browser *$/m,
    'countertop --view cgroups' => qr/^.*\[Cgroups\]/m,
    'countertop --view heat' => qr{^ *CPU +%CPU last }m,
    'countertop --view functions --sample context-switches' => qr/ off the CPU: .*\bBLOCKED .*\bFUNCTION\b/s,
    'countertop --demo faults' => qr/^page-faults +\d+ +\d+ /m,
    'countertop --demo all --verify' => qr/^\d+ pass, 0 fail, /m,
    'countertop --list-screens' => qr/^switches /m,
    q(countertop --list-events 'cache miss') => qr/cache-misses/,
    'countertop --record run.db' => sub { run(qw(countertop --replay run.db -b -o), '/dev/null')->{status} == 0 },
    'countertop -- make' => qr/\bmake *$/m,
    'countertop --replay run.db' => qr/\breplay run\.db\b/,
    q(countertop -r 20 --compare 'ls /usr/bin' 'ls -l /usr/bin') => qr/^page-faults +\d.* \*$/m,
    q(countertop --compare --view functions 'seq 200000' 'seq -f %g 200000') => qr/\bFUNCTION\b.*\n\S+ +libc\S* .*\n/s,
    'countertop -b -- make' => qr/\bmake$/m,
    'countertop -b --view functions -- make' => qr/ explained; .*\n.*\bFUNCTION\n *\d/,
    'countertop -b --format svg -o make.svg -- make' => sub { slurp('make.svg') =~ m{^<svg .*data-n="make".*</svg>\n\z}s },
    'countertop -b -d 0.05 -H -s waits --format trace -o make.json -- make' => sub { slurp('make.json') =~ /\A\[\s*\{.*"make".*\]\s*\z/s },
    'countertop -b --format pprof -o make.pb.gz -- make' => sub { slurp('make.pb.gz') =~ /^\x1f\x8b/ }, # gzip(1)
    'countertop -b -e instructions:u -- ls' => qr/^Makefile\n.*\bls$/ms,
    'countertop -b -n 60 --format csv -o run.csv' => sub { -s 'run.csv' },
    q(countertop -b -n 5 --format json | jq -c 'select(.seq) | [.seq, .total.counts]') => qr/^\[2,\{.*\}\]$/m,
    'countertop --replay run.db -b --format csv' => qr/^task,1,/m,
    q(sqlite3 run.db 'SELECT comm, sum("page-faults") n FROM task_counts GROUP BY comm ORDER BY n DESC LIMIT 5') =>
        qr/^.+\|\d*$/m,
);
my %goal = map { $_ => 1 } map { split } slurp("$ENV{TOP}/tests/newcomer") =~ /'make ([^']*)'/g;
my $batch = qr/ (?:-b|--compare|--verify|--list\S*|--check)\b|^sqlite3/;

# Lines without a terminal run beside the others.
my @beside;
for my $line (@lines) {
    if ($line =~ /^git clone|^make (?!run)/) {
        my ($make, @goals) = split ' ', $line;
        ok($make eq 'git' || !grep({ !$goal{$_} } @goals), "$line: tests/newcomer runs it");
    } elsif ($line =~ /^make run/ && ($ENV{B} =~ /-asan$/ || !-x "$ENV{TOP}/build/countertop")) {
        SKIP: { skip "$line: it would build what other tests do not", 2 }
    } elsif ($line =~ /^make run/) {
        delete local $ENV{B};
        shows($line, qr/\breplay demo\.db\b/, $ENV{TOP});
    } elsif ($line =~ /web\.service/ && !$cgroup) {
        SKIP: { skip "$line: no cgroup can be made", 2 }
    } elsif ($line =~ /--listen/) { # it goes on until it is ended
        my ($program, $url) = serve('sh', '-c', 'exec ' . typed($line));
        my ($port) = ($url // '') =~ m{:(\d+)/metrics$};
        ok($port && wait_for(sub { fetch($port) =~ /^countertop_/m }), "$line: it serves");
        is_ended($line, $program);
    } elsif ($line =~ / -o (\S+\.prom)/) {
        my $program = start('sh', '-c', 'exec ' . typed($line));
        ok(wait_for(sub { -s $1 }), "$line: it writes");
        is_ended($line, $program);
    } elsif ($line !~ $batch) {
        shows($line, $seen{$line} // $table, $dir);
    } elsif ($line =~ /run\.db/) {
        is_right($line, start('sh', '-c', typed($line)));
    } else {
        push @beside, [$line, start('sh', '-c', typed($line))];
    }
}
is_right(@$_) for @beside;

sub fetch {
    my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$_[0]") or return '';
    print $socket "GET /metrics HTTP/1.0\r\n\r\n";
    local $/;
    return readline($socket) // '';
}

sub is_ended {
    my ($line, $program) = @_;
    kill INT => $program->{pid};
    is(finish($program)->{status}, 0, "$line: Ctrl-C ends it");
}

sub is_right {
    my ($line, $program) = @_;
    my $run = finish($program);
    # What may be counted is what the status of --check says.
    like($run->{status}, $line =~ /--check/ ? qr/^[013]$/ : qr/^0$/, "$line: status");
    my $wanted = $seen{$line} // qr/\S/;
    ok(ref $wanted eq 'CODE' ? $wanted->() : $run->{out} =~ $wanted, "$line: what it prints") or diag $run->{out};
}

# Settings, keys, metrics and screens are those that a file may have.
my ($ini) = $manual =~ /^(\[settings\]\n.*?)^\.RE/ms;
mkdir 'settings' or die;
open my $file, '>', 'settings/my.ini' or die;
print $file $ini =~ s/\\-/-/gr =~ s/\\\(ha/^/gr;
close $file;
my $run = run(qw(countertop -b -n 1 -d 0.05 -s software -o out.txt -W settings));
is("$run->{status} $run->{err}", '0 ', 'the settings are read');

done_testing;
