#!/usr/bin/env perl
# One line below the meters says what stands out on the machine, in the first second: from what is counted. It
# changes its words every 3 s at most, and takes its line from the table whether it says something or not.
use Screen;
use Script;

my @machine = ('cpus 2', 'task 101 name=pingpong', 'task 102 name=quiet', map { "task 11$_ name=cc1" } 0 .. 3);
my $dir = tempdir(CLEANUP => 1);

# The line between the meters and the titles of the table.
sub verdict {
    my ($text) = @_;
    return ($text =~ /^(.*?) *\n *PID .*COMMAND/m)[0];
}

sub quiet_interval {
    return ('run 102 oncpu=0.2 context-switches=19', 'run 101 oncpu=0.1 context-switches=9');
}

# 528,000 switches of 533,333 by one process.
sub loud_interval {
    return ('run 101 oncpu=0.9 context-switches=528000', 'run 102 oncpu=0.2 context-switches=5333');
}

sub faults_interval {
    return ('run 102 oncpu=0.2 page-faults=1000', map { "run 11$_ oncpu=0.45 page-faults=24750" } 0 .. 3);
}

my $loud = qr/^533k switches a second, 99 % by pingpong 101$/;
my $faults = qr/^100k page faults a second, 99 % by cc1 \(4 processes\); 2 CPUs 100\.0 % busy, 90 % of it with cc1 \(4 processes\)$/;

for my $size ([80, 24], [120, 40], [200, 50]) {
    my ($width, $height) = @$size;
    my $at = "${width}x$height";
    my $script = Script->new(@machine);
    my $screen = Screen->new($width, $height, $script->command(qw(-s software --engine cpu), '--record', "$dir/$at.db"));
    my $ran = sub {
        $script->step(@_);
        $screen->wait(qr/^ *102 /m);
    };
    $ran->(loud_interval());
    ok($screen->wait(sub { (verdict($_[0]) // '') =~ $loud }), "$at: the first interval is judged");
    my ($titles) = $screen->text =~ /^(.*?)^ *PID /ms;
    $ran->(quiet_interval()) for 1 .. 2;
    ok($screen->wait(sub { $_[0] =~ /^ *102 .* 20\.0 .*\n *101 .* 10\.0 /m }), "$at: nothing stands out any more");
    like(verdict($screen->text), qr/^ *28 switches a second, +32 % by pingpong 101$/,
        "$at: ... but its words stay for 3 s, and have the numbers of now");
    like($screen->text, qr{ctxsw/s +28 }, "$at: ... as the header has them");
    $ran->(quiet_interval());
    ok($screen->wait(sub { verdict($_[0]) eq '' }), "$at: nothing is said of a quiet machine");
    is(($screen->text =~ /^(.*?)^ *PID /ms)[0] =~ tr/\n//, $titles =~ tr/\n//, "$at: ... on a line that stays");
    $ran->(faults_interval()) for 1 .. 3;
    ok($screen->wait(sub {
        my $said = verdict($_[0]);
        return $said =~ $faults || $width == 80 && $said eq '100k page faults a second, 99 % by cc1 (4 processes); 2 CPUs 100.0 % busy';
    }), "$at: processes of a name are one, and what is narrow shows whole statements") or diag $screen->text;
    $screen->type('q');
    $screen->wait(sub { $_[0] !~ /COMMAND/ });
    $screen->close;

    # A recording that stands still says what is true of the interval shown.
    $screen = Screen->countertop($width, $height, '--replay', "$dir/$at.db", qw(-s software));
    $screen->wait(qr/\bPID\b.*COMMAND/) or die;
    $screen->type('^');
    ok($screen->wait(sub { (verdict($_[0]) // '') =~ $loud }), "$at: in a replay");
    $screen->type('.');
    ok($screen->wait(sub { (verdict($_[0]) // '-') eq '' }), "$at: ... each interval its own");
    $screen->close;
}

# Many small ones of a name are more than a large one of another; who causes little is not named.
my @many = ('cpus 2', map({ "task 10$_ name=one$_" } 1 .. 9), map { "task 20$_ name=small" } 0 .. 9);
my $small = Script->new(@many);
my $wide = Screen->new(120, 40, $small->command(qw(-s software --engine cpu)));
$small->step('run 101 oncpu=0.2 page-faults=9000', map { "run 20$_ oncpu=0.01 page-faults=4000" } 0 .. 9);
ok($wide->wait(sub { (verdict($_[0]) // '') =~ /^49\.0k page faults a second, 82 % by small \(10 processes\)/ }), 'small ones of a name together');
for (1 .. 3) {
    $small->step(map { "run 10$_ oncpu=0.01 page-faults=8000" } 1 .. 9);
}
ok($wide->wait(sub { (verdict($_[0]) // '') =~ /^72\.0k page faults a second$/ }), 'nine that cause as much as each other: nobody');
$wide->close;

my $script = Script->new(@machine);
my $screen = Screen->new(80, 20, $script->command(qw(-s software --engine cpu)));
$script->step(loud_interval());
ok($screen->wait(qr/^ *101 .*\bpingpong/m), 'a low screen');
unlike($screen->text, qr/switches a second/, '... has no line for it');
$screen->close;
done_testing;
