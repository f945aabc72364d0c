#!/usr/bin/env perl
# Source lines and inlined functions of programs that clang built, or a linker that optimizes; those of
# gcc: tests/cli/lines.t.
use Countertop qw(:DEFAULT installed);
use Lines;

# binutils' addr2line does not know all of DWARF 5, and takes files of gcc -flto for <artificial>.
my ($llvm) = grep { installed($_) } qw(llvm-addr2line llvm-addr2line-14 llvm-addr2line-19);
plan skip_all => 'clang and llvm-addr2line are not installed' if !$llvm || !installed('clang');

for my $level (0 .. 3) {
    my @pie = $level % 2 ? ('-no-pie') : ('-pie', '-fPIE');
    my $program = compile("clang$level", 'clang', '-gdwarf-4', "-O$level", @pie);
    check("clang -O$level $pie[0]", $program, lines_of($program));
}
for (['gcc -flto', qw(gcc -g -O2 -flto -DAPART mix.c)], ['clang -flto', qw(clang -gdwarf-4 -O2 -flto -fuse-ld=lld -DAPART mix.c)],
    ['gcc, split', qw(gcc -g -O2 -gsplit-dwarf)], ['clang, DWARF 5', qw(clang -g -O2)], ['clang, split', qw(clang -g -O2 -gsplit-dwarf)]) {
    my ($name, @command) = @$_;
    SKIP: {
        skip 'lld is not installed', 5 if "@command" =~ /lld/ && !installed('ld.lld');
        my $program = compile($name =~ s/\W+/-/gr, @command);
        check($name, $program, lines_of($program), tool => $llvm);
    }
}

# Without debug information: names from symbols; stripped, bounds without a name.
for ([qw(-O1 -pie -fPIE)], [qw(-O2 -no-pie)]) {
    my @flags = @$_;
    my $program = compile("named$flags[0]", 'clang', @flags);
    my ($start) = run('nm', $program)->{out} =~ /^0*([0-9a-f]+) T hot$/m;
    run('strip', '-o', "$program.bare", $program);
    my @found = map { [sort { $b->{samples} <=> $a->{samples} }
        @{whole_refresh('--view', 'functions', @faults, '--', $_)->{functions}}]->[0]{function} } $program, "$program.bare";
    is_deeply(\@found, ['hot', "named$flags[0].bare+0x$start"], "clang @flags: the name of the symbol, or where it begins");
}
done_testing;
