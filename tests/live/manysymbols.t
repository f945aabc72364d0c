#!/usr/bin/env perl
# The memory of the program is bounded, however many functions there are: many libraries together,
# and one that alone has more than fit. All names that are on the screen are right.
use Screen;

plan skip_all => 'sanitizers need memory of their own' if $ENV{B} =~ /asan/;
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;

sub compile {
    system('gcc', @_) == 0 or plan skip_all => 'gcc is needed';
}

# A library with a function of its own name, hot_NAME, among others that nobody calls.
sub library {
    my ($name, $functions) = @_;
    open my $file, '>', "$dir/$name.s" or die "$name: $!";
    my $half = $functions / 2;
    print $file ".text\n";
    for my $part ('before', 'after') {
        print $file ".p2align 4\n.L${part}:\n";
        printf $file "f_${part}_${name}_of_a_namespace_with_a_long_name_%d:\n.type f_${part}_${name}_of_a_namespace_with_a_long_name_%d,%%function\n"
            . ".size f_${part}_${name}_of_a_namespace_with_a_long_name_%d,16\n.skip 16\n", ($_) x 3 for 1 .. $half;
        next if $part eq 'after';
        open my $hot, '>', "$dir/hot.c" or die "hot.c: $!";
        print $hot "unsigned long hot_$name(unsigned long n)\n{\n    volatile unsigned long sum = 0;\n    while (n--)\n        sum += n;\n    return sum;\n}\n";
        close $hot;
        compile('-O1', '-fPIC', '-S', '-o', "$dir/hot.s", "$dir/hot.c");
        print $file slurp("$dir/hot.s") =~ s/^\t\.section\t\.note.*//mr, ".text\n";
    }
    print $file ".section .note.GNU-stack,\"\",%progbits\n";
    close $file or die "$name: $!";
    compile('-shared', '-o', "$dir/lib$name.so", "$dir/$name.s");
    unlink "$dir/$name.s";
    return "$dir/lib$name.so";
}

# A program that spends its time in the hot functions of libraries, in turn.
open my $main, '>', "$dir/turns.c" or die "turns.c: $!";
print $main <<'END';
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    unsigned long (*hot[64])(unsigned long) = {0};
    for (int i = 1; i < argc; i++) {
        char path[4096], name[256];
        snprintf(path, sizeof(path), "%s/lib%s.so", DIR, argv[i]);
        snprintf(name, sizeof(name), "hot_%s", argv[i]);
        void *library = dlopen(path, RTLD_NOW);
        hot[i] = library ? (unsigned long (*)(unsigned long))dlsym(library, name) : 0;
        if (!hot[i])
            return 1;
    }
    for (int i = 1;; i = i % (argc - 1) + 1)
        hot[i](1000000);
}
END
close $main;
compile('-O1', "-DDIR=\"$dir\"", '-o', "$dir/turns", "$dir/turns.c", '-ldl');

# The most that a process has had resident, bytes.
sub peak { return slurp("/proc/$_[0]/status") =~ /^VmHWM:\s+(\d+)/m ? $1 * 1024 : undef }

for (['many libraries', 40_000, map { sprintf 'lib%02d', $_ } 1 .. 24], ['one huge library', 1_000_000, 'huge']) {
    my ($name, $functions, @libraries) = @$_;
    my $bytes = 0;
    $bytes += -s library($_, $functions) for @libraries;
    cmp_ok($bytes, '>', 80_000_000, "$name: together larger than the limit");
    my $turns = start_work("$dir/turns", @libraries);
    my $screen = Screen->countertop(160, 60, '-d', 1, '-s', 'software', '--view', 'functions', '--sample', 'cpu-clock', '-p', $turns);
    my $pid = $screen->pid_of('countertop');
    my @missing = @libraries;
    ok($screen->wait(sub { my $text = $_[0]; @missing = grep { $text !~ /lib$_\.so +hot_$_ *$/m } @missing; !@missing }), "$name: each function is named")
        or diag("not: @missing");
    unlike($screen->text, qr/ f_(?:before|after)_/, '... and no other one');
    # Again and again, so that tables go and come.
    $screen->wait(qr/every 1/) for 1 .. 3;
    my $peak = peak($pid);
    cmp_ok($peak, '<', 64_000_000, "$name: less than 64 MB");
    note(sprintf '%s: %.1f MB of libraries, at most %.1f MB resident', $name, $bytes / 1e6, $peak / 1e6);
    $screen->close;
    end_work($turns);
    unlink map { "$dir/lib$_.so" } @libraries;
}

done_testing;
