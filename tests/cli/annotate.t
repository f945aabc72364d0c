#!/usr/bin/env perl
# The instructions of a function with their samples: page faults, each of which is sampled and at one
# known instruction, in all formats; code made at run time, files that are gone, and why not. Where time
# is spent: tests/live/annotate.t.
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
my @sample = qw(--sample page-faults);
my @annotate = (qw(--annotate faults_seventy), @sample);
my @shares = qw(-- shares faults 3);

sub annotated {
    return (refreshes(@_))[-1];
}

sub texts {
    return [map { $_->{text} } @{$_[0]{instructions}}];
}

# ---- one instruction has all ----

my $found = annotated(@annotate, @shares);
my @listing = @{$found->{instructions}};
my $function = $found->{function};
is($function->{function}, 'faults_seventy', 'the function of that name');
like($function->{object}, qr{/work/shares$}, '... and its program');
is_deeply([@$function{qw(reason samples)}], [undef, 210], '... is listed, with its samples');
cmp_ok(abs($function->{share} - 210 / $found->{sampling}{samples}), '<', 0.0001, '... and its share of all');
my @hit = grep { $_->{samples} } @listing;
is_deeply([map { [@$_{qw(samples share)}, $_->{counts}{'page-faults'}] } @hit], [[210, 1, 210]], 'one instruction has all of them');
is($hit[0]{text}, 'movb $0x1, (%rax)', '... the one that touches pages') if $x86;
my $objdump = run('objdump', '-d', '--no-show-raw-insn', '--disassemble=faults_seventy', "$build/work/shares");
is_deeply([map { $_->{address} } @listing], [map { "0x$_" } $objdump->{out} =~ /^ +([0-9a-f]+):\t/mg],
    'objdump finds the same instructions');
is(annotated(qw(--view instructions), @sample, @shares)->{function}{function}, 'faults_seventy',
    'without a name: the function with the most');

# ---- text and CSV ----

my $text = countertop('-b', @annotate, @shares)->{out};
like($text, qr/^faults_seventy \(shares\): [\d.]+ % of samples; page-faults: /m, 'text: a line says which function it is');
like(countertop('-b', qw(--annotate chain --sample cpu-clock -- chain 100))->{out}, qr/; the cause is usually some instructions earlier; cpu-clock: /,
    '... and of time where the cause is');
like($text, qr/^ +ADDRESS +SHARE +SAMPLES +faults INSTRUCTION$/m, '... titles');
like($text, qr/^ +[0-9a-f]+ +100\.00 +210 +210 +\S/m, '... instructions with samples');
like($text, qr/^ +[0-9a-f]+ +- +- +0 +\S/m, '... and without');
my $csv = countertop('-b', '--format', 'csv', @annotate, @shares)->{out};
my ($header, @lines) = split /\n/, $csv;
like($header, qr/,object,samples,share,blocked,preempted,address,instruction,file,line,inlined$/, 'CSV: columns of instructions come last');
@lines = grep { /^instruction,/ } @lines;
is(scalar(@lines), scalar(@listing), '... a row for each');
like($lines[0], qr{/work/shares,\d+,[\d.e-]+,,,0x[0-9a-f]+,}, '... with its address');
my $parser = Text::CSV->new;
my %fields = map { $parser->parse($_); scalar(my @fields = $parser->fields) => 1 } $header, @lines;
is(scalar(keys %fields), 1, '... and as many fields as the header');

# ---- names that are not there ----

my @none = (qw(--annotate nothing_of_that_name), @sample, @shares);
my $none = annotated(@none);
is_deeply([@$none{qw(instructions function)}], [[], undef], 'a name that no sample has: no instructions, and no function');
like(countertop('-b', @none)->{out}, qr/^no samples in nothing_of_that_name; /m, '... which text says');

# ---- code that is in no file, or in one that is gone ----

SKIP: {
    skip 'the text is known for x86', 2 if !$x86;
    my $work = start('shares', 'made');
    my $made = refresh_when(sub { @{$_[0]{instructions}} }, qw(--annotate made_loop --sample cpu-clock -d 0.2 -p), $work->{pid});
    is_deeply([map { s/0x\S+/ADDRESS/r } @{texts($made)}], ['dec %rdi', 'jnz ADDRESS', 'ret'], 'code made at run time, from memory');
    is($made->{instructions}[1]{text}, "jnz $made->{instructions}[0]{address}", '... with addresses as they are mapped');
    stop($work);
}
SKIP: {
    skip 'only root opens mapped files that were deleted', 1 if $> != 0;
    copy("$build/work/chain", "$dir/gone") && chmod 0755, "$dir/gone" or die "gone: $!";
    my $gone = start("$dir/gone");
    unlink "$dir/gone";
    my $deleted = refresh_when(sub { @{$_[0]{instructions}} }, qw(--annotate chain --sample cpu-clock -d 0.2 -p), $gone->{pid});
    is_deeply(texts($deleted), texts(annotated(qw(--annotate chain --sample cpu-clock -- chain 100))),
        'a program that was deleted is listed all the same');
    stop($gone);
}

# Without symbols: by its bounds.
run('strip', '-o', "$dir/bare", "$build/work/shares");
my $bare = annotated(qw(--view instructions), @sample, '--', "$dir/bare", 'faults', 3);
like($bare->{function}{function}, qr/^bare\+0x[0-9a-f]+$/, 'a function without a name');
is_deeply(texts($bare), texts($found), '... has the same instructions');

# The kernel's.
SKIP: {
    skip 'only root samples the kernel here', 1 if $> != 0;
    my $kernel = annotated(qw(--view instructions --sample context-switches -- pingpong 100));
    -e '/proc/kcore' ? cmp_ok(scalar @{$kernel->{instructions}}, '>', 1, 'the kernel is listed from its memory')
        : is($kernel->{function}{reason}, q(cannot read the kernel's code in /proc/kcore: No such file or directory), 'why the kernel is not listed');
}

# ---- recordings ----

# The program is away when the recording is shown.
my $file = "$dir/record.db";
run('cp', "$build/work/shares", "$dir/copied");
record_whole($file, @annotate, '--', "$dir/copied", 'faults', 3);
unlink "$dir/copied";
my $replay = annotated('--replay', $file, '--annotate', 'faults_seventy');
is_deeply(texts($replay), texts($found), 'a recording keeps the instructions of a function that was looked at');
is($replay->{function}{samples}, 210, '... its samples');
my ($hot) = grep { $_->{samples} } @{$replay->{instructions}};
is("$hot->{samples} $hot->{text}", '210 movb $0x1, (%rax)', '... where they are') if $x86;
like($hot->{file}, qr/shares\.c$/, '... its source file');
like(countertop('-b', '--replay', $file, '--annotate', 'faults_seventy')->{out}, qr/^ .* shares\.c:\d+ in work +\S/m, '... and the text of the line');
record_whole($file, @sample, @shares);
$replay = annotated('--replay', $file, '--annotate', 'faults_seventy');
is_deeply($replay->{instructions}, [], 'of one that was not, it has none');
is($replay->{function}{reason}, 'a recording has the instructions of functions that were looked at meanwhile', '... and says why');
is($replay->{function}{samples}, 210, '... but the samples of the function');

done_testing;
