#!/usr/bin/env perl
# Source lines and inlined functions: those of a program at several levels and with several kinds of
# debug information are the ones that addr2line finds; what is not there, is said; a reading process that
# is hurt hurts nobody else. Of other compilers: tests/outside/lines.t.
use Countertop qw(:DEFAULT write_file);
use File::Copy 'copy';
use Lines;

# ---- levels ----

for my $level (0, 3) {
    my @pie = $level % 2 ? ('-no-pie') : ('-pie', '-fPIE');
    my $program = compile("gcc$level", 'gcc', '-g', "-O$level", @pie);
    check("gcc -O$level $pie[0]", $program, lines_of($program));
}

# ---- without debug information: names from symbols; stripped, bounds without a name ----

for ([qw(-O0 -no-pie)], [qw(-O3 -pie -fPIE)]) {
    my @flags = @$_;
    my $program = compile("named$flags[0]", 'gcc', @flags);
    my ($start) = run('nm', $program)->{out} =~ /^0*([0-9a-f]+) T hot$/m;
    run('strip', '-o', "$program.bare", $program);
    my @found = map { [sort { $b->{samples} <=> $a->{samples} }
        @{whole_refresh('--view', 'functions', @faults, '--', $_)->{functions}}]->[0]{function} } $program, "$program.bare";
    is($found[0], 'hot', "gcc @flags: the name of the symbol");
    is($found[1], "named$flags[0].bare+0x$start", '... stripped: where it begins');
}

# ---- kinds of debug information ----

my $whole = compile('whole', qw(gcc -g -O2));
check('compressed', $_, lines_of($_)) for compile('compressed', qw(gcc -g -O2 -gz));
check('DWARF 4', $_, lines_of($_)) for compile('dwarf4', qw(gcc -g -O2 -gdwarf-4));
my $split = compile('split', qw(gcc -g -O2 -gsplit-dwarf));
unlink glob "$dir/*.dwo";
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
    copy("$dir/gcc3", "$program.debug") or die "copy: $!";
    my $wrong = whole_refresh('--view', 'instructions', @faults, '--', $program);
    like($wrong->{function}{lines}, qr/^no debug information in '\Q$program\E' and no '.*\.debug'$/,
        "debuglink $how: a file of another program is not believed; where it was looked for");
}
my $stripped = compile('stripped', qw(gcc -O2 -s), '-Wl,--build-id=none');
my $none = whole_refresh('--view', 'instructions', @faults, '--', $stripped);
is($none->{function}{lines}, "no debug information in '$stripped'", 'no debug information at all');
is((grep { defined $_->{file} || defined $_->{line} || @{$_->{inlined}} } @{$none->{instructions}}), 0, '... and no line');

# ---- text and CSV ----

my $text = countertop('-b', '--annotate', 'hot', @faults, '--', $whole)->{out};
like($text, qr/^ +- +- +- +- mix\.h:6 in mix +\*next = 1;/m, 'text: a source line, and which inlined function has it');
like($text, qr/^ +[0-9a-f]+ +100\.00 +100 +100 +\S/m, '... among instructions');
my $lines = countertop('-b', '--annotate', 'hot', '--source', 'lines', @faults, '--', $whole)->{out};
like($lines, qr/^ +LINE +SHARE +SAMPLES +faults INSTRUCTION$/m, '--source lines: rows are lines');
like($lines, qr/^ +6 +100\.00 +100 +100 mix\.h:6 in mix +\*next = 1;/m, '... with their samples');
unlike($lines, qr/imul/, '... without instructions');
my $plain = countertop('-b', '--annotate', 'hot', '--source', 'no', @faults, '--', $whole)->{out};
unlike($plain, qr/mix\.h/, '--source no: none');
like($plain, qr/imul /, '... only instructions');
my $csv = countertop('-b', '--format', 'csv', '--annotate', 'hot', @faults, '--', $whole)->{out};
like($csv, qr{^instruction,.*,\Q$dir\E/mix\.h,4,outer;twist;mix$}m, 'CSV: file, line, and what is inlined');
rename "$dir/mix.h", "$dir/mox.h" or die "rename: $!";
like(countertop('-b', '--annotate', 'hot', @faults, '--', $whole)->{out},
    qr{^hot \(whole\): .*; lines: the source '\Q$dir\E/mix\.h' was not found; }m, 'a source that is not found: where it was looked for');

# ---- stacks ----

my $folded = countertop('-b', '--format', 'folded', @faults, '--', $whole)->{out};
like($folded, qr/^whole;(?:[^;]+;)*hot;outer \(inlined\);twist \(inlined\);mix \(inlined\) 100$/m, 'stacks have inlined functions');

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
    my $run = countertop(qw(-b --format json --annotate hot), @faults, '--', $damaged);
    my ($refresh) = reverse grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    $lived += $run->{status} == 0;
    $answered += @{$refresh->{instructions}} > 5;
}
is($lived, 6, 'damaged debug information does not end the program');
is($answered, 6, '... which lists the instructions all the same');

done_testing;
