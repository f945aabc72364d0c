#!/usr/bin/env perl
# What a sleeping thread waits for where the C library is not as usual: musl's mutexes, whose words
# mean something else than glibc's, get no owner by guess.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my @waits = qw(-i -s waits -d 0.1);

# What the tasks of a refresh wait for, by thread.
sub waits_of {
    return {map { $_->{tid} => $_->{waits_for} } @{$_[0]{tasks}}};
}

SKIP: {
    skip 'musl-gcc is not installed (musl-tools)', 1 if run(qw(musl-gcc --version))->{status};
    open my $source, '>', "$dir/own.c" or die $!;
    print $source <<'C';
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITERS = 16 };
static pthread_mutex_t cache_lock, again;

static void *take(void *mutex)
{
    printf("%d\n", (int)syscall(SYS_gettid));
    fflush(stdout);
    pthread_mutex_lock(mutex);
    return mutex;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &kind);
    pthread_mutex_lock(&cache_lock);
    pthread_mutex_lock(&again);
    /* Their number is what a lock has that others wait for (EBUSY), as the owner in glibc's would. */
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&thread, NULL, take, &cache_lock);
    pthread_create(&thread, NULL, take, &again);
    for (;;)
        pause();
}
C
    close $source or die $!;
    my $made = run(qw(musl-gcc -g -static-pie -o), "$dir/own", "$dir/own.c");
    $made = run(qw(musl-gcc -g -static -o), "$dir/own", "$dir/own.c") if $made->{status};
    is($made->{status}, 0, 'a program with musl') or skip $made->{err}, 1;
    my $own = start("$dir/own");
    my @tids = map { chomp(my $line = next_line($own)); $line } 1 .. 17;
    my $waits = {};
    ok(refresh_when(sub {
            $waits = waits_of($_[0]);
            return !grep { ($waits->{$_}{text} // '') !~ /^futex (?:cache_lock|again)\+0x4$/ } @tids;
        }, @waits, '-H', '-p', $own->{pid}), 'of musl only the word is told')
        or diag explain [map { $waits->{$_}{text} } @tids];
    is_deeply([grep { $waits->{$_}{pid} } @tids], [], '... and no owner');
    stop($own);
}

done_testing;
