#!/usr/bin/env perl
# Source lines and inlined functions: those of programs of several compilers, levels and kinds of
# debug information are the ones that addr2line finds; what is not there, is said; a reading process
# that is hurt hurts nobody else.
use strict;
use warnings;
use Countertop qw(:DEFAULT installed write_file);
use File::Copy 'copy';
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use Slurp;
use Test::More;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
$ENV{XDG_CACHE_HOME} = "$dir/cache";
my $cache = "$dir/cache/countertop/lines";

plan skip_all => 'addr2line, gcc and objcopy are needed' if grep { !installed($_) } qw(addr2line gcc objcopy);

# A chain of inlined functions in two files, whose names and order are known.
write_file("$dir/mix.h", <<'END');
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 50; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}
END
write_file("$dir/hot.c", <<'END');
#include <stdlib.h>
#ifdef APART
unsigned long mix(unsigned long x);
#else
#include "mix.h"
#endif
static inline __attribute__((always_inline)) unsigned long twist(unsigned long x)
{
    return mix(x) ^ 5;
}
static inline __attribute__((always_inline)) unsigned long outer(unsigned long x)
{
    return twist(x) + 3;
}
__attribute__((noinline)) unsigned long hot(unsigned long n)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += outer(sum + i);
    return sum;
}
int main(int argc, char **argv)
{
    return argc > 1 && hot(strtoul(argv[1], NULL, 10)) == 1;
}
END

# The innermost function in a file of its own: only the linker can inline it.
write_file("$dir/mix.c", <<'END');
unsigned long mix(unsigned long x)
{
    for (int i = 0; i < 50; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}
END

sub compile {
    my ($name, $compiler, @flags) = @_;
    my $run = run('sh', '-c', 'cd "$0" && exec "$@"', $dir, $compiler, @flags, 'hot.c', '-o', $name);
    die "$compiler @flags: $run->{err}" if $run->{status} != 0;
    return "$dir/$name";
}

# The last refresh of a run of the program, annotated. A run of 30 ms has 30 samples; where the machine stood
# still meanwhile, or had other work, a longer one is to have them.
sub lines_of {
    my ($program, @options) = @_;
    my $last;
    for my $times (400_000, 4_000_000) {
        $last = (refreshes('--annotate', 'hot', '--sample', 'cpu-clock', @options, '--', $program, $times))[-1];
        last if @{$last->{instructions}};
    }
    return $last;
}

# What addr2line finds at addresses: place, and names of inlined functions from the outermost.
# binutils' does not know all of DWARF 5.
my ($llvm) = grep { installed($_) } qw(llvm-addr2line llvm-addr2line-14 llvm-addr2line-19);
sub truth {
    my ($tool, $program, @addresses) = @_;
    my %found;
    my $address;
    for (split /\n/, run($tool, '-a', '-i', '-f', '-e', $program, @addresses)->{out}) {
        if (/^0x0*([0-9a-f]+)$/) {
            $address = "0x$1";
        } elsif (m{^(\S+):(\d+|\?)(?: \(discriminator \d+\))?$}) {
            $found{$address}{place} //= "$1:$2";
        } else {
            unshift @{$found{$address}{names}}, $_;
        }
    }
    shift @{$_->{names}} for values %found; # the function itself
    return \%found;
}

sub check {
    my ($name, $program, $refresh, %how) = @_;
    my @listing = @{$refresh->{instructions}};
    my $true = truth($how{tool} // 'addr2line', $how{debug} // $program, map { $_->{address} } @listing);
    my (@places, @inlined, %named);
    for (@listing) {
        my $here = $true->{$_->{address}};
        my $place = $_->{file} ? "$_->{file}:$_->{line}" : '??:?';
        # Code that a compiler made without a line is 0 or nothing.
        (my $true_place = $here->{place}) =~ s/^.*:[0?]$/??:?/;
        push @places, "$_->{address} $place, not $true_place" if $place ne $true_place;
        push @inlined, "$_->{address} @{$_->{inlined}}, not @{$here->{names}}" if "@{$_->{inlined}}" ne "@{$here->{names}}";
        $named{"@{$_->{inlined}}"}++;
    }
    cmp_ok(scalar(@listing), '>', 5, "$name: is listed") or diag explain @$refresh{qw(function sampling)};
    is_deeply(\@places, [], "$name: its lines are those of addr2line");
    is_deeply(\@inlined, [], "$name: so are the inlined functions");
    ok($named{'outer twist mix'}, "$name: the whole chain of three is named");
    is($refresh->{function}{lines}, undef, "$name: nothing is missing");
}

# ---- compilers and levels ----

my @programs;
for my $compiler (grep { installed($_) } qw(gcc clang)) {
    for my $level (0 .. 3) {
        my @pie = $level % 2 ? ('-no-pie') : ('-pie', '-fPIE');
        my $debug = $compiler eq 'clang' ? '-gdwarf-4' : '-g';
        push @programs, ["$compiler -O$level $pie[0]", compile("$compiler$level", $compiler, $debug, "-O$level", @pie)];
    }
}
check($_->[0], $_->[1], lines_of($_->[1])) for @programs;

# ---- optimized by the linker ----

SKIP: {
    skip 'llvm-addr2line is not installed', 5 if !$llvm; # binutils' takes files for <artificial>
    my $program = compile('gccwhole', qw(gcc -g -O2 -flto -DAPART mix.c));
    check('gcc -flto', $program, lines_of($program), tool => $llvm);
}
SKIP: {
    skip 'clang and lld are not installed', 5 if grep { !installed($_) } qw(clang ld.lld);
    my $program = compile('clangwhole', qw(clang -gdwarf-4 -O2 -flto -fuse-ld=lld -DAPART mix.c));
    check('clang -flto', $program, lines_of($program));
}

# ---- without debug information: names from symbols; stripped, bounds without a name ----

for (['gcc', qw(-O0 -no-pie)], ['gcc', qw(-O3 -pie -fPIE)], ['clang', qw(-O1 -pie -fPIE)], ['clang', qw(-O2 -no-pie)]) {
    my ($compiler, @flags) = @$_;
    SKIP: {
        skip "$compiler, nm or strip is not installed", 2 if grep { !installed($_) } $compiler, qw(nm strip);
        my $program = compile("named$compiler$flags[0]", $compiler, @flags);
        my ($start) = run('nm', $program)->{out} =~ /^0*([0-9a-f]+) T hot$/m;
        run('strip', '-o', "$program.bare", $program);
        my @found = map { [sort { $b->{samples} <=> $a->{samples} }
            @{(refreshes('--view', 'functions', '--sample', 'cpu-clock', '--', $_, 400_000))[-1]{functions}}]->[0]{function} }
            $program, "$program.bare";
        is($found[0], 'hot', "$compiler @flags: the name of the symbol");
        is($found[1], "named$compiler$flags[0].bare+0x$start", '... stripped: where it begins');
    }
}

# ---- kinds of debug information ----

my $whole = compile('whole', qw(gcc -g -O2));
check('compressed', $_, lines_of($_)) for compile('compressed', qw(gcc -g -O2 -gz));
check('DWARF 4', $_, lines_of($_)) for compile('dwarf4', qw(gcc -g -O2 -gdwarf-4));
my $split = compile('split', qw(gcc -g -O2 -gsplit-dwarf));
SKIP: {
    skip 'clang and llvm-addr2line are not installed', 15 if !$llvm || !installed('clang');
    check('split', $split, lines_of($split), tool => $llvm);
    for (['clang, DWARF 5', qw(five -g)], ['clang, split', qw(split5 -g -gsplit-dwarf)]) {
        my ($name, $program, @flags) = @$_;
        $program = compile($program, 'clang', '-O2', @flags);
        check($name, $program, lines_of($program), tool => $llvm);
    }
}
unlink glob "$dir/*.dwo";
remove_tree($cache);
my $half = lines_of($split);
like($half->{function}{lines}, qr/^inlined functions are not known: '.*\.dwo', where the rest of the debug information is, was not found$/,
    'split, without its other file: says which');
is((grep { $_->{line} } @{$half->{instructions}}), scalar(@{$half->{instructions}}), '... but has the lines');
is((grep { @{$_->{inlined}} } @{$half->{instructions}}), 0, '... and no inlined functions');

# Separate files: by link and build-id, by link and content where there is none.
for (['by build-id', 'linked', '-DLINKED'], ['by content', 'bare', '-Wl,--build-id=none']) {
    my ($how, $name, @flags) = @$_;
    my $program = compile($name, qw(gcc -g -O2), @flags);
    run('objcopy', '--only-keep-debug', $program, "$program.debug");
    run('strip', $program);
    run('objcopy', "--add-gnu-debuglink=$program.debug", $program);
    check("debuglink $how", $program, lines_of($program), debug => "$program.debug");
    rename "$program.debug", "$dir/kept";
    copy("$dir/gcc1", "$program.debug") or die "copy: $!";
    remove_tree($cache);
    my $wrong = (refreshes('--view', 'instructions', '--sample', 'cpu-clock', '--', $program, 400_000))[-1];
    like($wrong->{function}{lines}, qr/^no debug information in '\Q$program\E' and no '.*\.debug'$/,
        "debuglink $how: a file of another program is not believed; where it was looked for");
}
my $stripped = compile('stripped', qw(gcc -O2 -s), '-Wl,--build-id=none');
my $none = (refreshes('--view', 'instructions', '--sample', 'cpu-clock', '--', $stripped, 400_000))[-1];
is($none->{function}{lines}, "no debug information in '$stripped'", 'no debug information at all');
is((grep { defined $_->{file} || defined $_->{line} || @{$_->{inlined}} } @{$none->{instructions}}), 0, '... and no line');

# ---- text and CSV ----

remove_tree($cache);
my $text = countertop('-b', '--annotate', 'hot', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out};
like($text, qr/^ +- +- +- mix\.h:4 in mix +x = x \* 6364136223846793005ul/m, 'text: a source line, and which inlined function has it');
like($text, qr/^ +[0-9a-f]+ +[\d.]+ +\d+ +(?:imul|add|sub) /m, '... among instructions');
my $lines = countertop('-b', '--annotate', 'hot', '--source', 'lines', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out};
like($lines, qr/^ +LINE +SHARE +SAMPLES +INSTRUCTION$/m, '--source lines: rows are lines');
like($lines, qr/^ +4 +\d[\d.]+ +\d+ mix\.h:4 in mix +x = x/m, '... with their samples');
unlike($lines, qr/imul/, '... without instructions');
my $plain = countertop('-b', '--annotate', 'hot', '--source', 'no', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out};
unlike($plain, qr/mix\.h/, '--source no: none');
like($plain, qr/imul /, '... only instructions');
my $csv = countertop('-b', '--format', 'csv', '--annotate', 'hot', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out};
like($csv, qr{^instruction,.*,\Q$dir\E/mix\.h,4,outer;twist;mix$}m, 'CSV: file, line, and what is inlined');
rename "$dir/mix.h", "$dir/mox.h" or die "rename: $!";
like(countertop('-b', '--annotate', 'hot', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out},
    qr{^hot \(whole\): .*; lines: the source '\Q$dir\E/mix\.h' was not found; }m, 'a source that is not found: where it was looked for');

# ---- stacks ----

my $folded = countertop('-b', '--format', 'folded', '--sample', 'cpu-clock', '--', $whole, 400_000)->{out};
like($folded, qr/^whole;(?:[^;]+;)*hot;outer \(inlined\);twist \(inlined\);mix \(inlined\) \d+$/m, 'stacks have inlined functions');

# ---- the cache ----

remove_tree($cache); # stacks have functions of other objects, too
lines_of($whole);
my @kept = glob "$cache/*";
is(scalar(@kept), 1, 'a file of the cache for the build-id');
is(sprintf('%o', (stat $kept[0])[2] & 07777), '600', '... which others cannot read');
my ($id) = run('file', '-b', $whole)->{out} =~ /BuildID\[sha1\]=([0-9a-f]+)/;
SKIP: {
    skip 'file is not installed', 1 if !$id;
    like($kept[0], qr/\Q$id\E$/, '... with its name');
}
# Where it is, it is believed: nothing is read again.
my $content = slurp($kept[0]);
write_file($kept[0], $content =~ s/mix$/cached_mix/mgr =~ s/^(function 1 \S+ \S+) \d+\n(.*?)(?=^function|\z)/"$1 " . length($2) . "\n$2"/gemsr);
my $cached = lines_of($whole);
ok((grep { "@{$_->{inlined}}" eq 'outer twist cached_mix' } @{$cached->{instructions}}), 'what is kept is not read again');
write_file($kept[0], substr($content, 0, length($content) - 20));
check('a damaged cache', $whole, lines_of($whole));
write_file($kept[0], "nonsense\n" x 1000);
check('a cache of nonsense', $whole, lines_of($whole));
# Bounded.
truncate $kept[0], 0;
for (1 .. 9) {
    write_file("$cache/old$_", '');
    truncate "$cache/old$_", 8 << 20;
    utime 1_000_000 + $_, 1_000_000 + $_, "$cache/old$_";
}
lines_of($whole);
is_deeply([sort map { m{([^/]+)$} } glob "$cache/old*"], [map { "old$_" } 2 .. 9], 'more than 64 MB: the oldest file is removed');
remove_tree($cache);

# ---- damaged debug information ----

my $bytes = slurp($whole);
my $damaged = "$dir/damaged";
my @sections = run('objdump', '-h', $whole)->{out} =~ /^ +\d+ (\.debug_\w+) +([0-9a-f]+) +\S+ +\S+ +([0-9a-f]+)/mg;
my ($lived, $answered) = (0, 0);
srand 7;
for my $try (1 .. 6) {
    my $copy = $bytes;
    my @left = @sections;
    while (my ($section, $size, $offset) = splice @left, 0, 3) {
        substr($copy, hex($offset) + int rand hex $size, 1) = chr int rand 256 for 1 .. 20;
    }
    write_file($damaged, $copy);
    chmod 0755, $damaged;
    remove_tree($cache);
    my $run = countertop(qw(-b --format json --annotate hot --sample cpu-clock --), $damaged, 200_000);
    my ($refresh) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    $lived += $run->{status} == 0;
    $answered += @{$refresh->{instructions}} > 5;
}
is($lived, 6, 'damaged debug information does not end the program');
is($answered, 6, '... which lists the instructions all the same');

done_testing;
