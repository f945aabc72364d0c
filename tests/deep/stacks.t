#!/usr/bin/env perl
# Whole stacks: of a program without frame pointers that has page faults in the last of ten functions,
# from copies of its stack; of programs that were built differently; recordings, and what is said where
# stacks cannot be had. How many are whole is measured in tests/live/stacks.t.
use Countertop qw(:DEFAULT write_file);

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
chomp(my $machine = `uname -m`);
plan skip_all => "stacks are not unwound on $machine" if $machine !~ /^(?:x86_64|aarch64)$/;

my @faults = qw(--sample page-faults);
my @dwarf = qw(--sample cpu-clock --call-graph dwarf);
my @deep = qw(-- deep faults 50000);
my $ten = join ';', map { "deep_$_" } qw(one two three four five six seven eight nine ten);

# Stacks, one a line: some of those that are copied 199 times a second.
sub stacks {
    return countertop('-b', '--format', 'folded', @faults, @_)->{out};
}

sub sampling {
    return (refreshes('--view', 'functions', @faults, @_))[-1]{sampling};
}

# ---- ten functions ----

my $stacks = stacks('--call-graph', 'dwarf', @deep);
like($stacks, qr/^deep;(?:[^;]+;)*main;$ten \d+$/m, 'from main to the last of ten functions');
my $sampling = sampling('--call-graph', 'dwarf', @deep);
is_deeply([@$sampling{qw(stacks rate note)}], ['dwarf', 199, 'not each is sampled: stacks are copied 199 times a second'],
    'JSON says how callers were found, and that not each could be');
cmp_ok($sampling->{unwound} + $sampling->{late}, '>', 0, '... and how many were unwound');
SKIP: {
    skip 'frame pointers are in use here', 2 if $machine ne 'x86_64';
    my $fp = sampling('--call-graph', 'fp', qw(-- deep faults 1000));
    is($fp->{stacks}, 'fp', 'by frame pointers, which it does not have');
    cmp_ok($fp->{short_stacks}, '>=', 1000, '... all are short');
}

# A smaller copy: what is known is right, and said to be short.
unlike($stacks = stacks('--call-graph', 'dwarf,512', @deep), qr/;main;.*deep_ten/, '512 bytes: not whole');
like($stacks, qr/^deep;(?:deep_[^;]+;)*deep_nine;deep_ten \d+$/m, '... the last functions in their order');
$sampling = sampling('--call-graph', 'dwarf,512', @deep);
cmp_ok($sampling->{short_stacks}, '>', 0, '... which is called short');
cmp_ok($sampling->{copied_bytes}, '<=', 512 * $sampling->{samples}, '... and no more is copied');
my $work = start(qw(deep 1000000000));
is((refreshes(qw(--view functions --call-graph dwarf --sample cpu-clock/5000 -n 1 -d 0.1 -p), $work->{pid}))[-1]{sampling}{rate}, 199,
    'at most 199 copies a second');

# ---- programs of all kinds ----

write_file("$dir/source.c", <<'END');
#define _GNU_SOURCE
#include <sys/mman.h>
enum { PAGE = 4096, PAGES = 256 };
__attribute__((noinline)) unsigned long inner(unsigned long n)
{
    volatile char *pages = mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (unsigned long i = 0; i < n; i++) {
        if (i % PAGES == 0)
            madvise((void *)pages, PAGES * PAGE, MADV_DONTNEED);
        pages[i % PAGES * PAGE] = 1;
    }
    return n;
}
__attribute__((noinline)) unsigned long middle(unsigned long n)
{
    volatile char room[300];
    room[n % 300] = 1;
    return inner(n) + room[n % 300];
}
int main(int argc, char **argv)
{
    return middle(100000ul * argc) == 1;
}
END
my %kind = (
    'linked statically' => [qw(-O2 -fomit-frame-pointer -static)],
    'not at any address' => [qw(-O2 -fomit-frame-pointer -no-pie)],
    'with .debug_frame alone' => [qw(-O2 -g -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions)],
    'with large pages' => ['-O2', '-fomit-frame-pointer', '-Wl,-z,max-page-size=0x200000'],
);
for my $kind (sort keys %kind) {
    my $program = "$dir/" . $kind =~ s/\W/_/gr;
    SKIP: {
        skip "a program $kind cannot be built here", 1 if run('gcc', @{$kind{$kind}}, "$dir/source.c", '-o', $program)->{status};
        like(stacks('--call-graph', 'dwarf', '--', $program), qr/;main;middle;inner \d+$/m, "a program $kind");
    }
}

# ---- recordings ----

my $file = "$dir/deep.db";
countertop('-b', '-d', 60, '--record', $file, qw(--view functions -o /dev/null), @faults, '--call-graph', 'dwarf', @deep);
like(countertop('-b', '--replay', $file, '--view', 'functions')->{out},
    qr{; stacks: unwound, \d+ % cut off(?:, \d+ late)? \(copies: [\d.]+[kM]?B/s, \d+\.\d % CPU\)},
    'a recording knows how they were found, and what that cost');
like(countertop('-b', '--replay', $file, '--format', 'folded')->{out}, qr/;main;$ten /, '... and has them');

# ---- what cannot be done is said ----

my $all = countertop('-b', '--view', 'functions', @dwarf, '-n', 1);
is($all->{err}, "countertop: cannot copy the stacks of all tasks: choose a process with -p, -t or -- COMMAND, in the terminal with p on its row\n", 'not of all tasks');
is($all->{status}, 1, '... which fails');
my $lbr = countertop('-b', '--view', 'functions', '--sample', 'cpu-clock', '--call-graph', 'lbr', '-p', $work->{pid}, '-n', 1);
like($lbr->{err}, qr/^countertop: cannot sample 'cpu-clock' with the processor's record of calls: the kernel has it only for events that the processor counts \(.*\); use --call-graph dwarf or fp$/,
    'lbr: why there is none');
for my $wrong (['dwarf,100', "no size '100' for --call-graph: expected 512 to 32768 bytes"], ['dwarf,', "no size '' for --call-graph: expected 512 to 32768 bytes"],
    ['dwarv', "unknown value 'dwarv' for --call-graph: expected fp, dwarf, lbr or no; nearest is 'dwarf'"]) {
    my $run = countertop('-b', '--call-graph', $wrong->[0]);
    is("$run->{status} $run->{err}", "2 countertop: $wrong->[1]\n", "--call-graph $wrong->[0]");
}
SKIP: {
    skip 'only root has processes of others', 2 if $> != 0;
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups);
    my $run = run(@nobody, 'countertop', '-b', '--view', 'functions', @dwarf, '-p', $work->{pid}, '-n', 1);
    isnt($run->{status}, 0, 'without rights');
    like($run->{err}, qr/^countertop: cannot sample 'cpu-clock': .*(?:perf_event_paranoid|CAP_|own|permission)/i, '... the reason is given');
}

# ---- damaged call frame information ----

SKIP: {
    my ($offset, $size) = map { hex } run('objdump', '-h', "$ENV{B}/work/deep")->{out} =~ /^ +\d+ \.eh_frame +([0-9a-f]+) +\S+ +\S+ +([0-9a-f]+)/m ? ($2, $1) : ();
    skip 'objdump is not installed', 2 if !$offset;
    my ($lived, $answered) = (0, 0);
    srand 11;
    for (1 .. 4) {
        my $bytes = slurp("$ENV{B}/work/deep");
        substr($bytes, $offset + int rand $size, 1) = chr int rand 256 for 1 .. 60;
        open my $damaged, '>', "$dir/damaged" or die "damaged: $!";
        print $damaged $bytes;
        close $damaged;
        chmod 0755, "$dir/damaged";
        my $run = countertop('-b', '--format', 'json', '--view', 'functions', @dwarf, '--', "$dir/damaged", 30_000);
        my ($last) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
        $lived += $run->{status} == 0;
        $answered += $last->{sampling}{samples} > 0 && $last->{sampling}{unwound} + $last->{sampling}{late} == $last->{sampling}{samples};
    }
    is($lived, 4, 'damaged call frame information does not end the program');
    is($answered, 4, '... and each sample is accounted for');
}
stop($work);
done_testing;
