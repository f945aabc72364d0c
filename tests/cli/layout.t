#!/usr/bin/env perl
# The rules of the source tree: which folder may include which, and the few files with access to the
# system.
use Countertop;
use File::Find;

chdir "$ENV{TOP}/src" or die "src: $!";

# Folder => folders whose headers it may include, besides its own: the table of the map. No folder
# includes one that stands further down, so none depends on itself by way of another.
open my $map, '<', 'README.md' or die "src/README.md: $!";
my (%may, @upward);
while (<$map>) {
    my ($folder, $allowed) = /^\| ([a-z][a-z\/]*) \|([a-z\/ ]*)\| / or next;
    next if $folder eq 'folder' || $folder eq 'to';
    push @upward, grep { !$may{$_} } split ' ', $allowed;
    $may{$folder} = [split ' ', $allowed];
}
close $map;
is_deeply(\@upward, [], 'the map names lower folders first');

my %text;
find({no_chdir => 1, wanted => sub {
    return if !/\.[ch]$/;
    open my $file, '<', $_ or die "$_: $!";
    local $/;
    $text{s{^\./}{}r} = readline $file;
}}, '.');
my @files = sort keys %text;
cmp_ok(@files, '>', 50, 'there are sources');

my (%seen, @forbidden, @unknown);
for my $file (@files) {
    my ($folder) = $file =~ m{^(.*)/} or next;
    $seen{$folder} = 1;
    push @unknown, $folder if !$may{$folder};
    my %allowed = map { $_ => 1 } $folder, @{$may{$folder} // []};
    while ($text{$file} =~ /^\s*#\s*include\s+"([^"]+)"/mg) {
        my $header = $1;
        push @forbidden, "$file includes $header" if !$allowed{$header =~ m{^(.*)/} ? $1 : '.'};
        push @forbidden, "$file includes $header, which is not there" if !exists $text{$header};
    }
}
is_deeply(\@unknown, [], 'every folder has its rule');
is_deeply([grep { !m{/} } @files], ['main.c'], 'one file is in none');
is_deeply(\@forbidden, [], 'folders include only what they may');

# No file includes itself by way of others; x.c and x.h count as one.
my %needs;
for my $file (@files) {
    my $node = $file =~ s/\.[ch]$//r;
    $needs{$node} //= {};
    while ($text{$file} =~ /^\s*#\s*include\s+"([^"]+)\.h"/mg) {
        $needs{$node}{$1} = 1 if $1 ne $node;
    }
}

# Takes away files that include nothing that is left. Where there is none, every file that is left
# leads to a circle: it is noted, and cut to find others.
my @circles;
while (%needs) {
    my @free = grep { !%{$needs{$_}} } keys %needs;
    delete @needs{@free};
    delete @$_{@free} for values %needs;
    next if @free;
    my @path = (sort keys %needs)[0];
    my %at;
    while (!defined $at{$path[-1]}) {
        $at{$path[-1]} = $#path;
        push @path, (sort keys %{$needs{$path[-1]}})[0];
    }
    push @circles, join ' -> ', @path[$at{$path[-1]} .. $#path];
    delete $needs{$path[-2]}{$path[-1]};
}
is(join("\n", @circles), '', 'no circle of files is left');

# Files that match a pattern.
sub with {
    my ($pattern) = @_;
    return [grep { $text{$_} =~ $pattern } @files];
}

my $curses = qr{^\s*#\s*include\s+<(ncursesw?/)?(n?curses|ncursesw|term|panel|menu|form)\.h>}m;
is_deeply(with($curses), ['front/term/terminfo.c'],
    'one file knows terminfo');
is_deeply(with(qr{^\s*#\s*include\s+<perfmon/}m), ['event/libpfm.c'], 'one file knows libpfm4');
is_deeply(with(qr{^\s*#\s*include\s+<gelf\.h>}m), [qw(code/elf_table.c event/probe.c)],
    'two folders know libelf: event finds functions by name, code names addresses');
is_deeply(with(qr{^\s*#\s*include\s+<jansson\.h>}m), [qw(event/event_json.c system/container.c)],
    'two files know libjansson');
is_deeply(with(qr{^\s*#\s*include\s+<Zydis/}m), ['code/listing.c'], 'one file knows Zydis');
is_deeply(with(qr{^\s*#\s*include\s+<(libiberty/)?demangle\.h>}m), ['code/function_table.c'],
    'one file knows libiberty');
is_deeply(with(qr/\b(SYS|__NR)_perf_event_open\b/), [qw(engine/sys.c system/sandbox.c)],
    'one file opens perf events, and one forbids it');
is_deeply(with(qr/\bprivilege_raise\(/), [qw(engine/sys.c system/privilege.c system/privilege.h
    system/procfs.c)], 'capabilities take effect in two places');
is_deeply(with(qr{"/proc/(%|1\b)}), ['system/procfs.c'], '... and one opens files of processes');
is_deeply(with(qr/\bprocfs_(read|link|open|holds)_own\(/), [qw(app/proc_lookup.c system/procfs.c system/procfs.h
    system/wait_target.c)], '... what a process waits for is read with the rights of the user alone');
is_deeply(with(qr/\bprocfs_memory\(/), [qw(code/code_book.c system/procfs.c system/procfs.h system/wait_target.c)],
    '... and two read its memory: code of JIT compilers, and 12 bytes of a futex or a time, or a path');
is_deeply(with(qr/\bprocess_vm_readv\([a-z]/), ['system/procfs.c'], '... by one call');
is_deeply(with(qr/\bPERF_EVENT_IOC_/), ['engine/sys.c'], '... and sends them requests');

# Where bytes of other people enter, and who reads them: helpers what a process or another user may have
# made; a replay, without rights, recordings.
for my $entry (['ELF files', qr/\belf_image_(?:read|check)\(/, 'code/elf_table.[ch]', 'helpers/lines.c'],
        ['debug information', qr{\bdwarf_begin\(}, 'helpers/lines.c'],
        ['unwind information', qr/\bstack_dwarf_add\(/, 'code/stack_dwarf.[ch]', 'helpers/lines.c'],
        ['lists of JIT compilers', qr/\btext_table_jit\(/, 'code/function_table.[ch]', 'helpers/lines.c'],
        ['jitdumps', qr/\bjit_dump_(?:read|lines)\(/, 'code/function_table.[ch]', 'helpers/lines.c'],
        ['servers of debug files', qr/\bdebuginfod_find_/, 'helpers/fetch.c'],
        ['requests', qr/\blistener_run\(/, 'front/listen.[ch]', 'helpers/http.c'],
        ['recordings', qr/\bsqlite3_open/, 'record/db.c'],
        ['event files', qr/\bjson_loads\(/, 'event/event_json.c'],
        ['files of container runtimes', qr/\bjson_load_callback\(/, 'system/container.c']) {
    my ($what, $call, @readers) = @$entry;
    my %reads = map { $_ => 1 } map { /^(.*)\[ch\]$/ ? ("$1c", "$1h") : $_ } @readers;
    my @found = grep { $text{$_} =~ s{/\*.*?\*/}{}gsr =~ $call } @files;
    is_deeply([grep { !$reads{$_} } @found], [], "$what: who reads them");
    ok(scalar @found, '... and somebody does');
}

# Each promise names the tests that fail without it.
open $map, '<', 'README.md' or die "src/README.md: $!";
my @promises = grep { /^\| who/ } readline $map;
close $map;
cmp_ok(scalar @promises, '>=', 4, 'there are promises');
for (@promises) {
    my ($whom, $tests) = (split /\s*\|\s*/)[1, 3];
    my @named = $tests =~ /`([^`]+)`/g;
    ok(@named && !grep({ !-e "../tests/$_" } @named), "what is promised to $whom has its tests") or diag "@named";
}

is_deeply([grep { /\.h$/ && $text{$_} !~ m{^/\*} } @files], [], 'every header says what it is for');

# Structures, unions and enumerations share one set of tags in C.
my %defined;
for my $file (@files) {
    my $plain = $text{$file} =~ s{/\*.*?\*/|"(?:\\.|[^"\\\n])*"}{}gsr;
    push @{$defined{$_}}, $file for $plain =~ /\b(?:struct|union|enum)\s+(\w+)\s*\{/g;
}
cmp_ok(keys %defined, '>', 50, 'there are tags');
is_deeply({map { $_ => $defined{$_} } grep { @{$defined{$_}} > 1 } keys %defined}, {}, 'each tag is defined once');

is_deeply(with(qr/\t/), [], 'no tabs');
is_deeply(with(qr/\b(TODO|FIXME|XXX)\b/), [], 'nothing is left to do');
is_deeply(with(qr/[ \t]+$/m), [], 'no blanks at ends of lines');
is_deeply([grep { grep { length > 100 } split /\n/, $text{$_} } @files], [],
    'no line is longer than 100 columns');

done_testing;
