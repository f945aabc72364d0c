#!/usr/bin/env perl
# The instructions of a function with their samples: a chain of divisions, whose time is known to be
# spent at one of them, in all formats; code that no file has, files that are gone, and why not.
use strict;
use warnings;
use Countertop;
use File::Copy 'copy';
use File::Temp 'tempdir';
use List::Util qw(sum0);
use Test::More;
use Text::CSV;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $build = $ENV{B};
my $x86 = `uname -m` =~ /^x86_64/;

# The refresh with these options that has most samples of the function: beside others a run that was
# recorded takes more than one interval.
sub annotated {
    my $samples = sub { ($_[0]{function} // {})->{samples} // 0 };
    my ($most) = sort { $samples->($b) <=> $samples->($a) } reverse refreshes(@_);
    return $most;
}

# ---- one instruction has almost all ----

my $found = annotated('--annotate', 'chain', '--sample', 'cpu-clock', '--', 'chain', 300);
my @listing = @{$found->{instructions}};
my $function = $found->{function};
is($function->{function}, 'chain', 'the function of that name');
like($function->{object}, qr{/work/chain$}, '... and its program');
is($function->{reason}, undef, '... is listed');
cmp_ok($function->{share}, '>', 0.9, '... and has most of the samples');
is(sum0(map { $_->{samples} } @listing), $function->{samples}, 'each of its samples is at an instruction');
cmp_ok($found->{sampling}{samples}, '>=', $function->{samples}, '... those of the run are more, or as many');
cmp_ok(abs(sum0(map { $_->{share} } @listing) - 1), '<', 1e-4, 'all shares are 1');
SKIP: {
    skip 'the text is known for x86', 4 if !$x86;
    my ($div) = grep { $listing[$_]{text} =~ /^div / } 0 .. $#listing;
    ok(defined $div, 'the division is found') or skip 'no division', 3;
    cmp_ok($listing[$div]{share} + $listing[$div + 1]{share}, '>', 0.5,
        'the division, or the instruction after it, has most of them');
    is_deeply([map { $_->{text} } @listing[$div + 1 .. $div + 3]],
        ['add $0x1, %rsi', 'xor $0x1, %rdi', 'dec %rcx'], 'what follows it');
    SKIP: {
        skip 'objdump is not installed', 1 if !grep { -x "$_/objdump" } split /:/, $ENV{PATH};
        my $objdump = run('objdump', '-d', '--no-show-raw-insn', '--disassemble=chain', "$build/work/chain");
        is_deeply([map { $_->{address} } @listing], [map { "0x$_" } $objdump->{out} =~ /^ +([0-9a-f]+):\t/mg],
            'objdump finds the same instructions');
    }
}
my $events = annotated(qw(--view instructions -e page-faults --sample page-faults), '--', 'shares', 'faults', 3);
is($events->{function}{function}, 'faults_seventy', 'without a name: the function with the most');
is(scalar(grep { $_->{counts}{'page-faults'} } @{$events->{instructions}}), 1, '... whose page faults are at one instruction');
is(sum0(map { $_->{counts}{'page-faults'} } @{$events->{instructions}}), $events->{function}{samples}, '... each of them');

# ---- text and CSV ----

my $text = countertop('-b', '--annotate', 'chain', '--sample', 'cpu-clock', '--', 'chain', 100);
like($text->{out}, qr/^chain \(chain\): [\d.]+ % of samples; the cause is usually some instructions earlier; cpu-clock: /m,
    'text: a line says which function it is, and where the cause is');
like($text->{out}, qr/^ +ADDRESS +SHARE +SAMPLES +INSTRUCTION$/m, '... titles');
like($text->{out}, qr/^ +[0-9a-f]+ +[\d.]+ +\d+ +\S/m, '... instructions with samples');
like($text->{out}, qr/^ +[0-9a-f]+ +- +- [^\n]+$/m, '... and without');
my $csv = countertop('-b', '--format', 'csv', '--annotate', 'chain', '--sample', 'cpu-clock', '--', 'chain', 100);
my ($header, @lines) = split /\n/, $csv->{out};
like($header, qr/,object,samples,share,blocked,preempted,address,instruction,file,line,inlined$/, 'CSV: columns of instructions come last');
@lines = grep { /^instruction,/ } @lines;
is(scalar(@lines), scalar(@listing), '... a row for each');
like($lines[0], qr{/work/chain,\d+,[\d.e-]+,,,0x[0-9a-f]+,}, '... with its address');
my $parser = Text::CSV->new;
my %fields = map { $parser->parse($_); scalar(my @fields = $parser->fields) => 1 } $header, @lines;
is(scalar(keys %fields), 1, '... and as many fields as the header');

# ---- names that are not there ----

my $none = annotated('--annotate', 'nothing_of_that_name', '--sample', 'cpu-clock', '--', 'chain', 10);
is_deeply($none->{instructions}, [], 'a name that no sample has: no instructions');
is($none->{function}, undef, '... and no function');
like(countertop('-b', '--annotate', 'nothing_of_that_name', '--', 'chain', 10)->{out},
    qr/^no samples in nothing_of_that_name; /m, '... which text says');

# ---- code that is in no file, or in one that is gone ----

# Of a second in which the program ran: beside others it may have to wait.
sub annotated_running {
    my ($program, $name) = @_;
    my $last;
    for (1 .. 20) {
        $last = annotated('--annotate', $name, '--sample', 'cpu-clock', '-n', 1, '-d', 1, '-p', $program->{pid});
        last if @{$last->{instructions}};
    }
    return $last;
}

SKIP: {
    skip 'the text is known for x86', 3 if !$x86;
    my $work = start('shares', 'made');
    my $made = annotated_running($work, 'made_loop');
    is_deeply([map { $_->{text} =~ s/0x\S+/ADDRESS/r } @{$made->{instructions}}], ['dec %rdi', 'jnz ADDRESS', 'ret'],
        'code made at run time, from memory');
    is($made->{instructions}[1]{text}, "jnz $made->{instructions}[0]{address}", '... with addresses as they are mapped');
    stop($work);
    my $run = countertop(qw(-b --format json --annotate made_loop --sample cpu-clock -- shares -s 1 made));
    my $ended = (json_lines($run->{out}))[-1];
    my $listed = @{$ended->{instructions}};
    ok($listed == 3 || $ended->{function}{reason} =~ /^cannot read the memory of process \d+: /,
        '... and after its end its code as it was, or the reason') or diag explain $ended->{function};
}
copy("$build/work/chain", "$dir/gone") or die "copy: $!";
chmod 0755, "$dir/gone";
my $gone = start("$dir/gone");
unlink "$dir/gone";
my $deleted = annotated_running($gone, 'chain');
SKIP: {
    skip 'only root opens mapped files that were deleted', 1 if $> != 0;
    is(scalar(@{$deleted->{instructions}}), scalar(@listing), 'a program that was deleted is listed all the same');
}
stop($gone);

# Without symbols: by its bounds.
SKIP: {
    skip 'strip is not installed', 2 if !grep { -x "$_/strip" } split /:/, $ENV{PATH};
    run('strip', '-o', "$dir/bare", "$build/work/chain");
    my $bare = annotated('--view', 'instructions', '--sample', 'cpu-clock', '--', "$dir/bare", 100);
    like($bare->{function}{function}, qr/^bare\+0x[0-9a-f]+$/, 'a function without a name');
    is_deeply([map { $_->{text} } @{$bare->{instructions}}], [map { $_->{text} } @listing], '... has the same instructions');
}

# The kernel's.
SKIP: {
    skip 'only root samples the kernel here', 1 if $> != 0;
    my $kernel = annotated('--view', 'instructions', '--sample', 'cpu-clock:k', '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=9000');
    my $listed = @{$kernel->{instructions}};
    -e '/proc/kcore' ? cmp_ok($listed, '>', 1, 'the kernel is listed from its memory')
        : is($kernel->{function}{reason}, q(cannot read the kernel's code in /proc/kcore: No such file or directory), 'why the kernel is not listed');
}

# ---- recordings ----

# The program is away when the recording is shown.
my $file = "$dir/record.db";
run('cp', "$build/work/chain", "$dir/chained");
my $then = annotated('--sample', 'cpu-clock', '--record', $file, '--annotate', 'chain', '--', "$dir/chained", 100);
unlink "$dir/chained";
my $replay = annotated('--replay', $file, '--annotate', 'chain');
is_deeply([map { $_->{text} } @{$replay->{instructions}}], [map { $_->{text} } @{$then->{instructions}}],
    'a recording keeps the instructions of a function that was looked at');
cmp_ok($replay->{function}{share}, '>', 0.5, '... its share');
my ($hot) = sort { ($b->{samples} // 0) <=> ($a->{samples} // 0) } @{$replay->{instructions}};
like($hot->{text}, qr/^(?:div|add \$0x1, %rsi)/, '... which one is the hottest') if `uname -m` =~ /^x86_64/;
like($hot->{file} // '', qr/chain\.c$/, '... its source file');
my $shown = countertop('-b', '--replay', $file, '--annotate', 'chain')->{out};
like($shown, qr/^ .* chain\.c:\d+ +\S/m, '... and the text of the line');
countertop('-b', '--sample', 'cpu-clock', '--record', $file, '--force', '-o', '/dev/null', '--', 'chain', 100);
$replay = annotated('--replay', $file, '--annotate', 'chain');
is_deeply($replay->{instructions}, [], 'of one that was not, it has none');
is($replay->{function}{reason}, 'a recording has the instructions of functions that were looked at meanwhile', '... and says why');
cmp_ok($replay->{function}{share}, '>', 0.5, '... but the share of the function');

done_testing;
