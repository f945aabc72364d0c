#!/usr/bin/env perl
# Names of mutexes in a program whose tables of symbols are huge: reading them does not stop the display.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
my ($threads, $tables, $bytes) = (40, 40, 2_000_000);
open my $source, '>', "$dir/locks.c" or die $!;
print $source <<"END";
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
struct { pthread_mutex_t mutex; char pad[60]; } locks[$threads];
static void *work(void *at)
{
    for (struct timespec until;;) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_timedlock(&locks[(long)at].mutex, &until);
    }
}
int main(void)
{
    pthread_t thread;
    for (long i = 0; i < $threads; i++) {
        pthread_mutex_lock(&locks[i].mutex);
        pthread_create(&thread, NULL, work, (void *)i);
    }
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
END
close $source;
is(run(qw(gcc -pthread -o), "$dir/small", "$dir/locks.c")->{status}, 0, 'a program') or exit done_testing;

# The same with a longer table, named by many sections (ELF-64 object file format, little endian).
open my $in, '<:raw', "$dir/small" or die $!;
my $file = do { local $/; <$in> };
my ($at, $count) = (unpack('Q<', substr $file, 40), unpack('S<', substr $file, 60));
my @sections = map { substr $file, $at + 64 * $_, 64 } 0 .. $count - 1;
my ($symbols) = grep { unpack('x4 L<', $sections[$_]) == 2 } 0 .. $#sections;
my ($offset, $size) = unpack 'x24 Q< Q<', $sections[$symbols];
my $table = substr($file, $offset, $size) x ($bytes / $size);
substr($sections[$symbols], 24, 16) = pack 'Q< Q<', length($file) + -length($file) % 8, length $table;
$file .= "\0" x (-length($file) % 8) . $table;
substr($file, 40, 8) = pack 'Q<', length $file;
substr($file, 60, 2) = pack 'S<', $count + $tables;
open my $out, '>:raw', "$dir/huge" or die $!;
print $out $file, @sections, $sections[$symbols] x $tables;
close $out;
chmod 0755, "$dir/huge";

mkdir "$dir/own";
open my $screen, '>', "$dir/own/names.ini" or die $!;
print $screen "[screen names]\nevents = context-switches\ncolumns = tid waits_for command\n";
close $screen;
for (['small', 0], ['huge', 1]) {
    my ($name, $limited) = @$_;
    my $pid = open my $ready, '-|', "$dir/$name" or die $!;
    <$ready>;
    # Names are read for half a second of each ten: beside other work that may not do for all of them.
    my ($text, $named, $without);
    wait_for(sub {
        $text = countertop('-W', "$dir/own", qw(-s names -b -H -n 1 -d 0.5 -p), $pid)->{out};
        $named = () = $text =~ /mutex locks/g;
        $without = () = $text =~ /mutex \[$name\+0x/g;
        return $named > 0 && ($limited || !$without);
    });
    cmp_ok($named, '>', 0, "$name: names") or diag $text;
    $limited ? cmp_ok($without, '>', 0, '... and none where they take too long') : is($without, 0, '... for all');
    kill KILL => $pid;
    close $ready;
}
done_testing;
