/* Two processes, or with -t two threads, hand a byte to and fro N times. On one CPU (-c) each time
 * is a context switch. With -r both rest for that many seconds before and after it, and the
 * nanoseconds that each time took are printed. With -p they play at most so many times a second. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "pingpong [-t] [-c CPU] [-r SECONDS] [-p PACE] N";

static struct {
    uint64_t times;
    unsigned rest;   /* seconds */
    uint64_t pace;   /* times a second; 0: as fast as they can */
    int pipes[2][2]; /* pipes[i] carries what player i sends */
} game;

static double now(void) /* ns */
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The first player rests, a hundred times a second or after each time. */
static void keep_pace(double start, uint64_t played)
{
    uint64_t turn = game.pace < 100 ? 1 : game.pace / 100;
    double ahead = start + (double)played / (double)game.pace * 1e9 - now();
    if (played % turn == 0 && ahead > 0)
        usleep((useconds_t)(ahead / 1e3));
}

static void play(uint64_t self)
{
    char c = 0;
    if (game.rest)
        sleep(game.rest);
    double start = now();
    for (uint64_t i = 0; i < game.times; i++) {
        if (game.pace && !self)
            keep_pace(start, i);
        if (i % 2 == self)
            check(write(game.pipes[self][1], &c, 1) != 1, "write");
        else
            check(read(game.pipes[!self][0], &c, 1) != 1, "read");
    }
    if (game.rest && !self)
        printf("%.1f\n", (now() - start) / (double)game.times);
    if (game.rest)
        sleep(game.rest);
}

static void *second_player(void *unused)
{
    play(1);
    return unused;
}

int main(int argc, char **argv)
{
    int option, threaded = 0;
    while ((option = getopt(argc, argv, "tc:r:p:")) != -1) {
        switch (option) {
        case 't':
            threaded = 1;
            break;
        case 'c':
            pin((int)number(optarg, usage_text));
            break;
        case 'r':
            game.rest = (unsigned)number(optarg, usage_text);
            break;
        case 'p':
            game.pace = number(optarg, usage_text);
            break;
        default:
            usage(usage_text);
        }
    }
    if (optind + 1 != argc)
        usage(usage_text);
    game.times = number(argv[optind], usage_text);
    check(pipe(game.pipes[0]) || pipe(game.pipes[1]), "pipe");
    if (threaded) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, second_player, NULL);
        check(errno, "pthread_create");
        play(0);
        pthread_join(thread, NULL);
    } else {
        pid_t child = fork();
        check(child < 0, "fork");
        play(child == 0);
        if (child > 0)
            waitpid(child, NULL, 0);
    }
    return 0;
}
