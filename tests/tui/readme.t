#!/usr/bin/env perl
# The README's lines do what they say, each as it stands, from the first to the last. What the README
# writes into a file is read by the program. A line that this test does not know fails.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Countertop;
use File::Temp 'tempdir';
use IO::Socket::INET;
use Screen;
use Slurp;
use Test::More;

my $readme = slurp("$ENV{TOP}/README.md");
cmp_ok(scalar($readme =~ tr/\n//), '<=', 250, 'the README is not longer than 250 lines');
is_deeply([grep { length > 110 && !/^\|/ } split /\n/, $readme], [], '... and its lines are short, but for tables');
my @lines = map { s/ +# .*//r } $readme =~ /^    ((?:git|make|countertop|sqlite3) .*|countertop)$/mg;
cmp_ok(@lines, '>', 25, 'the README has lines to copy');

# Where the lines are typed, and what they are about.
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die;
# make itself computes for some 0.2 s, so that it has samples: a run of few milliseconds may have none.
open my $makefile, '>', 'Makefile' or die;
print $makefile "D := 0 1 2 3 4 5 6 7 8 9\n";
print $makefile 'N := $(words ', map({ "\$(foreach $_,\$D," } 'a' .. 'f'), '$f', ')' x 6, ")\n";
print $makefile "all:\n\t\@births 3\n";
close $makefile;
start_named('firefox');
my $mount = cgroup_mount();
my $cgroup = defined $mount ? "$mount/web.service" : '';
$cgroup = '' if $cgroup && !mkdir $cgroup;
END { rmdir $cgroup if $cgroup }

# What the terminal shows on the way, and the status at the end; the user presses q.
sub shows {
    my ($line, $wanted, $folder) = @_;
    my $screen = Screen->new(100, 24, "cd '$folder'; $line\necho status: \$?");
    ok($screen->wait($wanted), "$line: what it shows") or return $screen->close;
    $screen->type('q') if $screen->text =~ /^F1 help/m;
    ok($screen->wait(qr/^status: 0 *$/m), "$line: q ends it");
    $screen->close;
}

sub connected {
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1:9464', Timeout => 5);
}

sub fetch {
    my $socket = connected() or return '';
    print $socket "GET /metrics HTTP/1.0\r\n\r\n";
    local $/;
    return readline($socket) // '';
}

# Lines that run until they are ended: they did what they are for, or not yet.
my %lasting = (
    'countertop -b --listen 9464' => sub { fetch() =~ /^countertop_/m },
    'countertop -b --format openmetrics -d 15 -o countertop.prom' => sub { -s 'countertop.prom' },
);
# What is seen of the others; of those that are not here, the table.
my $table = qr/^ *(?:PID|TID|CGROUP|PROCS)\b.*COMMAND|^ *\S*PROCS\b/m;
my %seen = (
    'countertop -G web.service' => qr/^F1 help/m,
    'countertop -p firefox' => qr/\bfirefox *$/m,
    'countertop --view cgroups' => qr/^.*\[Cgroups\]/m,
    'countertop --demo faults' => qr/^page-faults +\d+ +\d+ /m,
    'countertop --demo all --verify' => qr/^\d+ pass, 0 fail, /m,
    'countertop --check' => qr/\S.*\n.*\S/,
    'countertop --list-screens' => qr/^switches /m,
    q(countertop --list-events 'cache miss') => qr/cache-misses/,
    'countertop --record run.db' => sub { run(qw(countertop --replay run.db -b -o), '/dev/null')->{status} == 0 },
    'countertop -- make' => qr/\bmake *$/m,
    'countertop --replay run.db' => qr/\breplay run\.db\b/,
    q(countertop -r 20 --compare 'ls /usr/bin' 'ls -l /usr/bin') => qr/^page-faults +\d.* \*$/m,
    'countertop -b -- make' => qr/\bmake$/m,
    'countertop -b --view functions -- make' => qr/ explained; .*\n.*\bFUNCTION\n *\d/,
    'countertop -b --format svg -o make.svg -- make' => sub { slurp("make.svg") =~ m{^<svg .*data-n="make".*</svg>\n\z}s },
    'countertop -b -e instructions:u -- ls' => qr/^Makefile\n.*\bls$/ms,
    'countertop -b -n 10 --rows 20 --timestamp' => qr/^(?:.*\n)*?.*COMMAND/,
    'countertop -b -n 60 --format csv -o run.csv' => sub { -s 'run.csv' },
    q(countertop -b -n 5 --format json | jq -c 'select(.seq) | [.seq, .total.counts]') => qr/^\[5,\{.*\}\]$/m,
    'countertop --replay run.db -b --format csv' => qr/^task,1,/m,
    q(sqlite3 run.db 'SELECT comm, sum("page-faults") n FROM task_counts GROUP BY comm ORDER BY n DESC LIMIT 5') =>
        qr/^.+\|\d*$/m,
);
my %newcomer = map { $_ => 1 } slurp("$ENV{TOP}/tests/newcomer") =~ /'(make [^']*)'/g;

# Lines without a terminal run beside the others: some take a minute.
my (@beside, %used);
for my $line (@lines) {
    $used{$line} = 1;
    if ($line =~ /^git clone|^make (?:deps|test-deps)/) {
        ok($line =~ /^git/ || $newcomer{$line}, "$line: tests/newcomer runs it");
    } elsif ($line =~ /^make run/ && ($ENV{B} =~ /-asan$/ || !-x "$ENV{TOP}/build/countertop")) {
        SKIP: { skip "$line: it would build what other tests do not", 2 }
    } elsif ($line =~ /^make run/) {
        delete local $ENV{B};
        shows($line, qr/\breplay demo\.db\b/, $ENV{TOP});
    } elsif ($line =~ /web\.service/ && !$cgroup) {
        SKIP: { skip "$line: no cgroup can be made", 2 }
    } elsif ($lasting{$line}) {
        SKIP: {
            skip "$line: something listens there already", 2 if $line =~ /--listen/ && connected();
            my $program = start('sh', '-c', "exec $line");
            ok(wait_for($lasting{$line}), "$line: it does");
            kill INT => $program->{pid};
            is(finish($program)->{status}, 0, "$line: Ctrl-C ends it");
        }
    } elsif ($line =~ /^countertop(?!.* (?:-b|--compare|--verify|--list\S*|--check)\b)/) {
        shows($line, $seen{$line} // $table, $dir);
    } elsif ($line =~ /run\.db/) {
        my $run = run('sh', '-c', $line);
        is($run->{status}, 0, "$line: status") or diag $run->{err};
        like($run->{out}, $seen{$line}, "$line: what it prints");
    } else {
        push @beside, [$line, start('sh', '-c', $line)];
    }
}
for (@beside) {
    my ($line, $program) = @$_;
    my $run = finish($program);
    # What may be counted is what the status of --check says.
    like($run->{status}, $line =~ /--check/ ? qr/^[013]$/ : qr/^0$/, "$line: status");
    my $wanted = delete $seen{$line} or fail("$line: nothing is known of it"), next;
    ok(ref $wanted eq 'CODE' ? $wanted->() : $run->{out} =~ $wanted, "$line: what it prints") or diag $run->{out};
}
is_deeply([grep { !$used{$_} } keys %seen, keys %lasting], [], 'this test knows no lines that are not there');

# The manual's examples are among them.
my ($examples) = slurp("$ENV{TOP}/src/cli/countertop.1.in") =~ /^\.SH EXAMPLES\n(.*?)^\.SH/ms;
my @examples = map { s/\\-/-/gr =~ s/\\\(aq/'/gr } $examples =~ /^\.B (.*)$/mg;
cmp_ok(@examples, '>=', 15, 'the manual has examples');
is_deeply([grep { !$used{$_} } @examples], [], '... which are lines of the README');

# Settings and keys are those that a file may have.
my ($ini) = $readme =~ /^((?:    [\[\w].*\n)*    \[settings\]\n(?:    .*\n)+)/m;
mkdir 'settings' or die;
open my $file, '>', 'settings/my.ini' or die;
print $file $ini =~ s/^    //gmr;
close $file;
my $run = run(qw(countertop -b -n 1 -d 0.05 -s software -o out.txt -W settings));
is("$run->{status} $run->{err}", '0 ', 'the settings are read');

done_testing;
