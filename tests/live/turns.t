#!/usr/bin/env perl
# A thousand programs, while screens with and without switch records take turns: another event tells
# births and ends from then on, and each is told once.
use Countertop;
use Screen;

my ($lives, $turns) = (1000, 10);
my $dir = tempdir(CLEANUP => 1);
my $file = "$dir/births.db";
my $screen = Screen->countertop(120, 40, qw(--engine cpu -d 0.5 -s waits --record), $file, '--debug', "$dir/log");
ok($screen->wait(qr/%RUN/), 'a screen with waits');
my $shell = start('sh', '-c', "i=0; while [ \$i -lt $lives ]; do /bin/true; i=\$((i + 1)); done
    echo done; read end");
for my $turn (1 .. $turns) {
    $screen->type(']');
    $screen->wait(sub { $_[0] !~ /%RUN/ }) or die 'no other screen';
    $screen->type('[');
    $screen->wait(qr/%RUN/) or die 'no screen with waits';
}
next_line($shell);
my ($run, @refreshes);
my $told = sub {
    $run = countertop(qw(-b --format json --replay), $file);
    @refreshes = grep { $_->{type} eq 'refresh' } json_lines($run->{out});
    my @rows = grep { ($_->{ppid} // 0) == $shell->{pid} } map { @{$_->{tasks}} } @refreshes;
    my (%ends, @told);
    for my $row (grep { $_->{exited} } @rows) {
        # The last slice of one that ended just before a refresh may come after it.
        push @told, [$row->{tid}, $row->{comm}] if !$ends{$row->{tid}}++ || $row->{oncpu} == 0;
    }
    return \@told;
};
my $ended;
ok(wait_for(sub { @{$ended = $told->()} >= $lives }), 'all programs are recorded') or diag scalar(@$ended), ' of them';
$screen->type('q');
$screen->wait(qr/\A\s*\z/);
$ended = $told->();
is(scalar(@$ended), $lives, 'each program has one end') or diag "status $run->{status}: $run->{err}";
is(keys %{{map { $_->[0] => 1 } @$ended}}, $lives, '... of its own');
is((grep { $_->[1] ne 'true' } @$ended), 0, '... and the name that it had after exec');
my @openings = grep { / open type 1 config 0x9 pid -1 cpu / } split /\n/, slurp_or_empty("$dir/log");
cmp_ok(@openings, '>=', $turns, 'while switch records began and ended');
finish($shell);
done_testing;
