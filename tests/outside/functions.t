#!/usr/bin/env perl
# Functions beside perf, of runtimes that name what they compile only if asked to, and of a program on btrfs, whose files have other devices in maps.
use Countertop qw(:DEFAULT installed write_file);
use List::Util 'sum0';

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $build = $ENV{B};
my $names = qr/_(seventy|twenty|ten)$/;

# ---- the same program under perf ----

SKIP: {
    skip 'perf is not installed', 3 if !installed('perf');
    my %found = map { $_->{function} => $_ } @{(refreshes(qw(--view functions -- shares cycles 20000)))[-1]{functions}};
    my $recorded = run('perf', 'record', '-q', '-F', 997, '-e', 'cpu-clock', '-o', "$dir/perf.data", '--', 'shares', 'cycles', 20_000);
    my $report = run('perf', 'report', '-i', "$dir/perf.data", '--stdio', '-g', 'none', '-F', 'overhead,sample,sym')->{out};
    my %perf = map { $_ => $report =~ /^ *([\d.]+)% +(\d+) .*\bcycles_$_\b/m ? [$1 / 100, $2] : undef } qw(seventy twenty ten);
    skip "perf does not sample here: $recorded->{err}", 3 if grep { !$_ } values %perf;
    for my $part (sort keys %perf) {
        my ($share, $samples) = @{$perf{$part}};
        my $own = $found{"cycles_$part"};
        my $error = 4 * $share * (1 / sqrt($samples) + 1 / sqrt($own->{samples} || 1)) + 0.01;
        cmp_ok(abs($own->{share} - $share), '<=', $error, "perf report says the same of $part, but for chance");
    }
}

# ---- runtimes, without their switch and with it ----

my %work = (
    'busy.js' => "function busy(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * i) % 1000003; return s; }\nfor (;;) busy(1e6);\n",
    'Busy.java' => 'class Busy { static long busy(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i ^ s >> 3; return s; } ' .
        "public static void main(String[] a) { while (true) busy(1000000); } }\n",
);
for my $name (keys %work) {
    open my $file, '>', "$dir/$name" or die $!;
    print $file $work{$name};
    close $file;
}
for my $case (['node', 'busy.js', '--perf-basic-prof', qr/: start node with --perf-basic-prof\n/],
    ['java', 'Busy.java', '-XX:+PreserveFramePointer', qr/: 'jcmd PID Compiler\.perfmap' writes it/]) {
    my ($program, $source, $switch, $reason) = @$case;
    SKIP: {
        skip "'$program' is not installed", 2 if !installed($program);
        for my $given (0, 1) {
            my $work = start('sh', '-c', 'cd "$0" && exec "$@"', $dir, $program, $given ? $switch : (), $source); # node writes a log there
            my $wanted = $given ? qr/ $program \S.* \S*busy\b/ : $reason;
            my $out;
            my $found = wait_for(sub {
                run('jcmd', $work->{pid}, 'Compiler.perfmap') if $given && $program eq 'java';
                $out = countertop(qw(-b --view functions --sample cpu-clock -n 2 -d 0.5 -p), $work->{pid})->{out};
                return $out =~ $wanted;
            });
            ok($found, $given ? "$program $switch: its functions have names" : "$program without: the reason names the switch") or diag $out;
            stop($work);
            unlink "/tmp/perf-$work->{pid}.map";
        }
    }
}

# ---- whole runs of runtimes: nearly all has a name when they are gone ----

$work{'busy.py'} = "import time\ndef busy(n):\n    s = 0\n    for i in range(n):\n        s = (s + i * i) % 1000003\n    return s\n" .
    "t = time.time()\nwhile time.time() - t < 3:\n    busy(10000)\n";
$work{'busy.js'} =~ s/for \(;;\)/const t = Date.now(); while (Date.now() - t < 3000)/;
$work{'Busy.java'} =~ s/while \(true\)/long t = System.currentTimeMillis(); while (System.currentTimeMillis() - t < 3000)/;
for my $case (['node', '--perf-basic-prof', 'busy.js', qr/^JS:\S*busy /], ['node', '--perf-prof', 'busy.js', qr/^JS:\S*busy /],
    ['java', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DumpPerfMapAtExit', 'Busy.java', qr/Busy.*busy/],
    ['python3', '-X', 'perf', 'busy.py', qr/^_PyEval_EvalFrameDefault|^py::busy/], ['python3', '-X', 'perf_jit', 'busy.py', qr/^_PyEval_EvalFrameDefault|^py::busy/]) {
    my ($program, @arguments) = @$case;
    my $wanted = pop @arguments;
    SKIP: {
        write_file("$dir/$arguments[-1]", $work{$arguments[-1]});
        skip "'$program' is not installed", 2 if !installed($program);
        skip "this $program does not know @arguments[0 .. $#arguments - 1]", 2 # 3.11 takes any -X
            if $program eq 'python3' && run($program, '-c', "import sys; sys.exit(sys.version_info < (3, @{[$arguments[1] eq 'perf' ? 12 : 13]}))")->{status};
        my $run = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, qw(countertop -b --format json --view functions --sample cpu-clock -o), "$dir/run.json", '--', $program, @arguments);
        my ($last) = reverse grep { $_->{type} eq 'refresh' } json_lines(slurp("$dir/run.json"));
        my ($all, $named) = (0, 0);
        for (@{$last->{functions}}) {
            $all += $_->{samples};
            $named += $_->{samples} if $_->{named} // 1;
        }
        cmp_ok($named / ($all || 1), '>=', 0.95, "$program @arguments: $named of $all samples have the name of a function") or diag $run->{err};
        ok((grep { $_->{function} =~ $wanted } @{$last->{functions}}), '... also those of the program itself');
    }
}

# ---- a program of Go without symbols has the names of the one with them ----

SKIP: {
    skip "'go' is not installed", 4 if !installed('go');
    write_file("$dir/hot.go", <<'END');
package main

import "fmt"

//go:noinline
func burnLong(n uint32) uint32 {
	s := uint32(1)
	for i := uint32(0); i < n; i++ {
		s = s*1664525 + i
	}
	return s
}

type thing struct{ n uint32 }

//go:noinline
func (t *thing) burnShort(n uint32) uint32 {
	for i := uint32(0); i < n; i++ {
		t.n = t.n*22695477 ^ i
	}
	return t.n
}

func main() {
	t, s := &thing{}, uint32(0)
	for i := 0; i < 1500; i++ {
		s += burnLong(300000) + t.burnShort(100000)
	}
	if s == 1 {
		fmt.Println(s)
	}
}
END
    for my $mode ('exe', 'pie') {
        my $built = run('sh', '-c', "cd $dir && HOME=$dir GOCACHE=$dir/go exec go build -buildmode=$mode -ldflags='-s -w' -o hot-$mode hot.go");
        skip "go builds no $mode: $built->{err}", 2 if $built->{status};
        my ($last) = (refreshes(qw(--view functions --sample cpu-clock --), "$dir/hot-$mode"))[-1];
        my @own = grep { $_->{object} eq "$dir/hot-$mode" || $_->{object} eq "hot-$mode" } @{$last->{functions}};
        my $all = sum0(map { $_->{samples} } @own);
        my $named = sum0(map { $_->{samples} } grep { $_->{named} // 1 } @own);
        cmp_ok($named / ($all || 1), '>=', 0.95, "go, $mode, stripped: $named of $all samples have the name of a function");
        is_deeply([map { $_->{function} } (sort { $b->{samples} <=> $a->{samples} } @own)[0, 1]], ['main.burnLong', 'main.(*thing).burnShort'], '... the right one');
    }
}

# ---- btrfs ----

# On btrfs stat(2) and maps have other devices for a file, and only root may follow map_files.
SKIP: {
    skip "'mkfs.btrfs' is not here", 2 if !installed('mkfs.btrfs');
    open my $image, '>', "$dir/image" or die $!;
    truncate $image, 128 << 20 or die $!;
    my $made = run('sh', '-c', "mkfs.btrfs -q $dir/image && mkdir $dir/btrfs && unshare -m true");
    skip "no btrfs can be made: $made->{err}", 2 if $made->{status};
    # The mount ends with its namespace.
    my $nobody = 'setpriv --reuid=65534 --regid=65534 --clear-groups --';
    my $script = "mount -o loop $dir/image $dir/btrfs && cp $build/work/shares $dir/btrfs/ || exit 9; " .
        "$nobody $dir/btrfs/shares cycles & $nobody countertop -b --format json -n 3 -d 0.5 " .
        "--view functions -p \$!; s=\$?; kill \$!; wait; exit \$s";
    my $run = run('unshare', '-m', 'sh', '-c', $script);
    skip "no btrfs can be mounted, or user 65534 cannot run what was built here: $run->{err}", 2
        if $run->{status} == 9 || $run->{err} =~ /setpriv: /;
    is($run->{status}, 0, 'a program on btrfs, as an ordinary user') or diag $run->{err};
    my ($last) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    is((grep { $_->{function} =~ $names } @{$last->{functions}}), 3, '... its functions have their names')
        or diag explain $last->{functions};
}

done_testing;
