#!/usr/bin/env perl
# Functions of two commands or recordings compared. Page faults are sampled each time, so counts are exact.
use Countertop qw(:DEFAULT installed write_file);
use File::Copy 'copy';

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $build = $ENV{B};
my @functions = qw(--compare --view functions --sample page-faults);
my ($yes, $no) = (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false);

sub compared {
    my $run = countertop('--format', 'json', @_);
    is($run->{err}, '', "@_: nothing is said") or return {};
    my ($compared) = json_lines($run->{out});
    $compared->{by} = {map { $_->{function} => $_ } @{$compared->{functions}}};
    return $compared;
}

# ---- commands ----

my $pair = compared(@functions, qw(-r 5), 'shares faults 10', 'shares faults 20');
is($pair->{runs}, 5, 'five runs');
my %count = (seventy => [700, 1400], twenty => [200, 400], ten => [100, 200]);
for my $part (sort keys %count) {
    my $row = $pair->{by}{"faults_$part"};
    is_deeply([@$row{qw(object count sd change low high significant)}], ['shares', $count{$part}, [0, 0], 1, 1, 1, $yes],
        "faults_$part has twice as many, which is no chance") or diag explain $row;
    my $all = $pair->{all}{'page-faults'}{count};
    cmp_ok(abs($row->{share}[$_] - $count{$part}[$_] / $all->[$_]), '<', 1e-9, "... its share of side $_") for 0, 1;
}
is_deeply([map { $_->{function} } @{$pair->{functions}}[0 .. 2]], [qw(faults_seventy faults_twenty faults_ten)],
    'what differs comes first, by how much');
my ($sum, $all) = ([0, 0], $pair->{all}{'page-faults'});
$sum->[$_ % 2] += $pair->{functions}[$_ / 2]{count}[$_ % 2] for 0 .. 2 * @{$pair->{functions}} - 1;
cmp_ok(abs($sum->[$_] - $all->{count}[$_]), '<', 1e-6, 'the functions add up to all') for 0, 1;
is_deeply([sort { $a cmp $b } map { $_->{function} } grep { $_->{significant} && $_->{object} eq 'shares' } @{$pair->{functions}}],
    [qw(faults_seventy faults_ten faults_twenty)], 'no other function of the program is marked');

my $equal = compared(@functions, qw(-r 5), ('shares faults 10') x 2);
is_deeply([@{$equal->{by}{faults_ten}}{qw(count change significant)}], [[100, 100], 0, $no], 'of equal commands it does not differ');

# Two runs without any deviation prove nothing, one is not tested.
is(compared(@functions, qw(-r 2), 'shares faults 10', 'shares faults 20')->{by}{faults_ten}{significant}, $no, 'two runs prove nothing');
is(compared(@functions, qw(-r 1), 'shares faults 10', 'shares faults 20')->{by}{faults_ten}{significant}, undef, 'one is not tested');

# Commands that end before a sample have no shares: on these machines the kernel emulates no instruction.
my $short = countertop(@functions, qw(--sample emulation-faults -r 2), ('true') x 2);
like($short->{out}, qr{^\(all functions\) +n/a +n/a }m, 'without a sample there are no shares');

# All that a command starts counts, with either engine.
for my $engine ('cpu', 'task') {
    my $shells = countertop(@functions, '--format', 'json', '--engine', $engine, qw(-r 2), 'true; shares faults 10', 'true; shares faults 10; shares faults 5');
    SKIP: {
        skip "engine $engine: $shells->{err}", 1 if $shells->{status};
        my ($row) = grep { $_->{function} eq 'faults_ten' } @{(json_lines($shells->{out}))[0]{functions}};
        is_deeply($row->{count}, [100, 150], "engine $engine: children of the command");
    }
}

# ---- text and CSV ----

my $text = countertop(@functions, qw(-r 5), 'shares faults 10', 'shares faults 20')->{out};
like($text, qr/^FUNCTION +OBJECT +1 % +2 % +1 +2 +CHANGE OF 2$/m, 'a table for people');
like($text, qr/^faults_seventy +shares +[\d.]+ +[\d.]+ +700 ± 0 +1400 ± 0 +\+100\.0000 % \[\+100\.0000, \+100\.0000\] \*$/m, '... with a mark');
like($text, qr/Welch's t-test .*1 % false ones of those marked in all \d+ rows:\n +Benjamini and Hochberg/, '... which says what it means');
unlike($text, qr/[\x00-\x09\x0b-\x1f]/, '... and is safe');
my $csv = countertop(@functions, qw(--format csv -r 5), 'shares faults 10', 'shares faults 20')->{out};
my ($header, @lines) = split /\n/, $csv;
my $columns = () = $header =~ /,/g;
is_deeply([grep { my $commas = () = s/"[^"]*"//gr =~ /,/g; $commas != $columns } @lines], [], 'CSV: as many fields as in the header');
is_deeply([grep { /^faults_ten,shares,page-faults/ } @lines], ['faults_ten,shares,page-faults,,shares faults 10,5,0,100,0,100,100,1,,,,',
    'faults_ten,shares,page-faults,,shares faults 20,5,0,200,0,200,200,1,1,1,1,1'], '... a row for each side');

# ---- another program ----

copy("$build/work/shares", "$dir/other") or die $!;
chmod 0755, "$dir/other";
my $moved = compared(@functions, qw(-r 5), 'shares faults 10', "$dir/other faults 20");
is_deeply([@{$moved->{by}{faults_ten}}{qw(object count significant)}], ['shares -> other', [100, 200], $yes],
    'programs with other names: their functions have moved');
SKIP: {
    skip 'gcc is not installed', 4 if !installed('gcc');
    my $body = 'char *at = mmap(0, PAGES * 4096l, 3, 0x22, -1, 0); madvise(at, PAGES * 4096l, 15); for (long i = 0; i < PAGES; i++) *(volatile char *)(at + i * 4096) = 1;';
    for my $name ('old', 'new') {
        my $suffix = $name eq 'old' ? 'same' : 'same.constprop.0';
        my $only = "only_$name";
        write_file("$dir/$name.c", "#include <sys/mman.h>\nenum { PAGES = 100 };\nvoid same(void) __asm__(\"$suffix\");\n" .
            "__attribute__((noinline)) void same(void) { $body }\n__attribute__((noinline)) void $only(void) { $body }\nint main(void) { same(); $only(); return 0; }\n");
        mkdir "$dir/$name";
        is(run('gcc', '-O1', '-o', "$dir/$name/prog", "$dir/$name.c")->{status}, 0, "a program $name");
    }
    my $built = compared(@functions, qw(-r 5), "$dir/old/prog", "$dir/new/prog");
    is_deeply([@{$built->{by}{same}}{qw(count change significant)}], [[100, 100], 0, $no], 'a function with a suffix of the compiler is the same');
    is_deeply([map { @{$built->{by}{$_}}{qw(count change significant)} } qw(only_old only_new)], [[100, 0], -1, $yes, [0, 100], undef, $yes],
        '... others are gone or new');
}

# ---- recordings ----

for my $name ('a', 'b') {
    my $run = run('countertop', qw(-b -n 5 -d 0.1 --view functions --sample page-faults --record), "$dir/$name.db", '-o', '/dev/null', '--',
        'shares', 'faults', 100);
    is($run->{status}, 0, "recording $name") or diag $run->{err};
}
my $recorded = compared(qw(--compare --view functions), "$dir/a.db", "$dir/b.db");
cmp_ok(scalar @{$recorded->{functions}}, '>', 3, 'recordings: functions');
cmp_ok($recorded->{recordings}[$_]{intervals}, '>', 0, '... of blocks of intervals') for 0, 1;
for my $side (0, 1) { # how often they were called in which block is up to the machine
    my @rates = map { $recorded->{by}{"faults_$_"}{count}[$side] } qw(ten twenty seventy);
    is((grep { $_ > 0 } @rates), 3, "... each with a rate: @rates");
}
like(countertop(qw(--compare --view functions), "$dir/a.db", "$dir/b.db")->{out}, qr/^countertop  functions of 2 recordings: page-faults a second, in blocks/,
    '... what their numbers are');
run('countertop', qw(-b -n 5 -d 0.1 --view functions --sample minor-faults --record), "$dir/other.db", '-o', '/dev/null', '--', 'shares', 'faults', 100);
my $mixed = countertop(qw(--compare --view functions), "$dir/a.db", "$dir/other.db");
is("$mixed->{status}|$mixed->{err}", "1|countertop: cannot compare functions by page-faults with those by minor-faults in '$dir/other.db': "
    . "record all with the same --sample\n", 'recordings of different events are not compared');
run('countertop', qw(-b -n 1 -d 0.1 -o /dev/null --record), "$dir/none.db");
my $none = countertop(qw(--compare --view functions), "$dir/a.db", "$dir/none.db");
is($none->{status}, 1, 'a recording without functions');
like($none->{err}, qr/^countertop: '.*none\.db' has no functions: record with --view functions$/m, '... is told');

# ---- a flame graph of what has grown ----

# The boxes of functions: their fill, and the end of their title.
sub boxes {
    my ($svg) = @_;
    return map { m{data-n="([^"]*)".*, (\S+(?: %)?|new)</title><rect [^>]* fill="([^"]*)"} ? ($1 => [$3, $2]) : () } $svg =~ /^<g .*$/mg;
}
my $svg = countertop(@functions, qw(-r 2 --format svg), 'shares faults 10', 'shares faults 20')->{out};
my %boxes = boxes($svg);
is_deeply([map { $boxes{"faults_$_"} } qw(seventy twenty ten)], [(['url(#more2)', '+100.0 %']) x 3], 'a flame graph: what has grown by half and more');
like($svg, qr{^<svg .*<pattern id="more2".*stroke=.*</svg>\n\z}s, '... has a colour and stripes');
like($svg, qr/>shares faults 20, against shares faults 10: wider is more; orange with stripes has grown/, '... as the title says');
%boxes = boxes(countertop(@functions, qw(-r 2 --format svg), 'shares faults 20', "$dir/other faults 19")->{out});
is_deeply([map { $boxes{"faults_$_"} } qw(seventy twenty ten)], [(['url(#less0)', '-5.0 %']) x 3], '... shrunk, in a program with another name');
%boxes = boxes(countertop(@functions, qw(-r 2 --format svg), ('shares faults 20') x 2)->{out});
is_deeply($boxes{faults_ten}, ['#e5e5e5', '+0.0 %'], '... neither');
like(countertop(qw(--compare --view functions --format svg), "$dir/a.db", "$dir/b.db")->{out}, qr{data-n="faults_seventy".*</svg>\n\z}s, '... of recordings');

# ---- usage ----

for my $wrong ([qw(--compare --view functions a b c)], [qw(--compare --view users a b)], [qw(-r 2 --view functions -- true)], [qw(--compare --sample cycles a b)]) {
    my $run = countertop(@$wrong);
    is($run->{status}, 2, "@$wrong: wrong usage");
    like($run->{err}, qr/^countertop: repeated runs have no view, but the functions of two commands or recordings: --compare --view functions 'a' 'b'$/, '... which says what there is');
}

done_testing;
