#!/usr/bin/env perl
# The instructions of a function with their samples: page faults, each of which is sampled and at one
# known instruction, in all formats; code made at run time, files that are gone, and why not. Where time
# is spent: tests/live/annotate.t.
use Countertop;
use File::Copy 'copy';
use List::Util qw(sum0);
use Text::CSV;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $build = $ENV{B};
my $x86 = `uname -m` =~ /^x86_64/;
my @sample = qw(--sample page-faults);
my @annotate = (qw(--annotate faults_seventy), @sample);
my @shares = qw(-- shares faults 3);

sub texts {
    return [map { $_->{text} } @{$_[0]{instructions}}];
}

# ---- one instruction has all ----

my $found = whole_refresh(@annotate, @shares);
my @listing = @{$found->{instructions}};
my $function = $found->{function};
is($function->{function}, 'faults_seventy', 'the function of that name');
like($function->{object}, qr{/work/shares$}, '... and its program');
is_deeply([@$function{qw(reason samples)}], [undef, 210], '... is listed, with its samples');
cmp_ok(abs($function->{share} - 210 / $found->{sampling}{samples}), '<', 0.0001, '... and its share of all');
my @hit = grep { $_->{samples} } @listing;
is_deeply([map { [@$_{qw(samples share)}, $_->{counts}{'page-faults'}] } @hit], [[210, 1, 210]], 'one instruction has all of them');
like($hit[0]{text}, qr/^movb \$0x1, \(%r\w+\)$/, '... the one that touches pages') if $x86;
my $objdump = run('objdump', '-d', '--no-show-raw-insn', '--disassemble=faults_seventy', "$build/work/shares");
is_deeply([map { $_->{address} } @listing], [map { "0x$_" } $objdump->{out} =~ /^ +([0-9a-f]+):\t/mg],
    'objdump finds the same instructions');
is(whole_refresh(qw(--view instructions), @sample, @shares)->{function}{function}, 'faults_seventy',
    'without a name: the function with the most');

# ---- text and CSV ----

my $text = countertop('-b', @annotate, @shares)->{out};
like($text, qr/^faults_seventy \(shares\): [\d.]+ % of samples; page-faults: /m, 'text: a line says which function it is');
like(countertop('-b', qw(--annotate chain --sample cpu-clock -- chain 20))->{out}, qr/; the cause is usually some instructions earlier; cpu-clock: /,
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
my $none = whole_refresh(@none);
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
    unlink "/tmp/perf-$work->{pid}.map";
}
SKIP: {
    skip 'only root opens mapped files that were deleted', 1 if $> != 0;
    copy("$build/work/chain", "$dir/gone") && chmod 0755, "$dir/gone" or die "gone: $!";
    my $gone = start("$dir/gone");
    unlink "$dir/gone";
    my $deleted = refresh_when(sub { @{$_[0]{instructions}} }, qw(--annotate chain --sample cpu-clock -d 0.2 -p), $gone->{pid});
    is_deeply(texts($deleted), texts(whole_refresh(qw(--annotate chain --sample cpu-clock -- chain 20))),
        'a program that was deleted is listed all the same');
    stop($gone);
}

# Without symbols: by its bounds.
run('strip', '-o', "$dir/bare", "$build/work/shares");
my $bare = whole_refresh(qw(--view instructions), @sample, '--', "$dir/bare", 'faults', 3);
like($bare->{function}{function}, qr/^bare\+0x[0-9a-f]+$/, 'a function without a name') or diag explain $bare;
is_deeply(texts($bare), texts($found), '... has the same instructions');

# The kernel's.
SKIP: {
    skip 'only root samples the kernel here', 1 if $> != 0;
    my $kernel = whole_refresh(qw(--view instructions --sample context-switches -- pingpong 100));
    -e '/proc/kcore' ? cmp_ok(scalar @{$kernel->{instructions}}, '>', 1, 'the kernel is listed from its memory')
        : is($kernel->{function}{reason}, q(cannot read the kernel's code in /proc/kcore: No such file or directory), 'why the kernel is not listed');
}

# ---- sources that are not for the user of the program ----

# A program of another user, with debug information that names a file; what is said of its lines, and
# the text of all of them.
my ($user, $source) = (65527, "$dir/secret.c");
sub named_source {
    my ($path, $owner) = @_;
    open my $text, '>', "$dir/names.c" or die $!;
    print $text "#include <sys/mman.h>\n#include <unistd.h>\nint of_$owner;\nenum { SIZE = 1 << 20, PAGE = 4096 };\nvoid hot(char *p);\n# 1 \"$path\"\n",
        "__attribute__((noinline)) void hot(char *p) {\n for (int i = 0; i < SIZE; i += PAGE)\n  p[i] = 1;\n}\n",
        "int main(void) { char *p = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n",
        "for (;;) { hot(p); madvise(p, SIZE, MADV_DONTNEED); usleep(1000); } }\n";
    close $text;
    my $made = run(split(' ', $ENV{CC} // 'cc'), qw(-g -O0 -o), "$dir/names", "$dir/names.c");
    die $made->{err} if $made->{status};
    chown $owner, $owner, "$dir/names";
    my $program = start('setpriv', "--reuid=$user", "--regid=$user", '--clear-groups', '--', "$dir/names");
    my ($lines, $all, $db) = ('none', '', "$dir/named.db");
    wait_for(sub {
        unlink $db;
        $all = countertop(qw(-b -n 3 -d 0.2 --annotate hot --sample page-faults -p), $program->{pid}, '--record', $db)->{out};
        my $head = ($all =~ /^(hot \(names\): [1-9].*)/mg)[-1];
        $lines = !$head ? 'none' : $head =~ /; lines: (.*?);/ ? $1 : '';
        $lines !~ /still being read|none/;
    });
    stop($program);
    $all .= run('sqlite3', $db, 'select text from source_lines')->{out};
    return ($lines, $all);
}

SKIP: {
    skip 'only root looks at programs of others', 11 if $> != 0;
    skip "user $user cannot run what is in $dir", 11 if run('setpriv', "--reuid=$user", '--clear-groups', 'test', '-x', $dir)->{status};
    open my $secret, '>', $source or die $!;
    print $secret "a secret line $_\n" for 1 .. 9;
    close $secret;
    chmod 0600, $source;
    my $refused = "cannot read the source '%s': user $user, whose program names it, may not";
    my ($lines, $all) = named_source($source, 0);
    is($lines, sprintf($refused, $source), 'the source of a program is read with the rights of its user');
    unlike($all, qr/a secret line/, '... and not shown or recorded else');
    chmod 0644, $source;
    ($lines, $all) = named_source($source, 0);
    is($lines, '', 'what the user may read');
    like($all, qr/a secret line 2.*a secret line/s, '... is shown and recorded');
    chmod 0600, $source;
    chown $user, $user, $source;
    is((named_source($source, 0))[0], '', '... also if it is for nobody else');
    chown 0, 0, $source;
    ($lines, $all) = named_source($source, $user + 1);
    is($lines, sprintf("cannot read the source '%s': user %d, whose program names it, may not", $source, $user + 1),
        'where the program is of a third user, it is read with the rights of that');
    unlike($all, qr/a secret line/, '... and not shown');
    symlink $source, "$dir/link.c";
    ($lines, $all) = named_source("$dir/link.c", 0);
    is($lines, sprintf($refused, "$dir/link.c"), 'a link leads to no other rights');
    unlike($all, qr/a secret line/, '... and not to the file');
    run('mkfifo', "$dir/pipe.c");
    is((named_source("$dir/pipe.c", 0))[0], "cannot read the source '$dir/pipe.c': Invalid argument", 'a pipe is no source');
    is((named_source($dir, 0))[0], "cannot read the source '$dir': Invalid argument", '... nor is a directory');
}

# ---- recordings ----

# The program is away when the recording is shown.
my $file = "$dir/record.db";
run('cp', '-p', "$build/work/shares", "$dir/copied"); # whose owner may read the source
record_whole($file, @annotate, '--', "$dir/copied", 'faults', 3);
unlink "$dir/copied";
my $replay = whole_refresh('--replay', $file, '--annotate', 'faults_seventy');
is_deeply(texts($replay), texts($found), 'a recording keeps the instructions of a function that was looked at');
is($replay->{function}{samples}, 210, '... its samples');
my ($hot) = grep { $_->{samples} } @{$replay->{instructions}};
like("$hot->{samples} $hot->{text}", qr/^210 movb \$0x1, \(%r\w+\)$/, '... where they are') if $x86;
like($hot->{file}, qr/shares\.c$/, '... its source file');
like(countertop('-b', '--replay', $file, '--annotate', 'faults_seventy')->{out}, qr/^ .* shares\.c:\d+ in work +\S/m, '... and the text of the line');
record_whole($file, @sample, @shares);
$replay = whole_refresh('--replay', $file, '--annotate', 'faults_seventy');
is_deeply($replay->{instructions}, [], 'of one that was not, it has none');
is($replay->{function}{reason}, 'a recording has the instructions of functions that were looked at meanwhile', '... and says why');
is($replay->{function}{samples}, 210, '... but the samples of the function');

done_testing;
