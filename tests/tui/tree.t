#!/usr/bin/env perl
# Sleeping tasks are in the tree as parents, in all ways to show it: option, key, switch, settings;
# in the present, the past, and a recording.
use Screen;

my $dir = tempdir(CLEANUP => 1);
my $parent = start_work('perl', '-e', '$0 = "sleepy"; my @pids = map { my $pid = fork // die;
    if (!$pid) { $0 = "lively"; alarm 600; 1 while 1 } $pid } 1 .. 2;
    open my $file, ">", "$ARGV[0].new" or die; print $file "@pids"; close $file;
    rename "$ARGV[0].new", $ARGV[0]; sleep 600', "$dir/family");
wait_for(sub { -e "$dir/family" }) or die 'no family';
open my $file, '<', "$dir/family" or die;
my @children = split ' ', readline $file;
END { kill KILL => @children if @children }

my $child = '(?:' . join('|', @children) . ')';
my $tree = qr/^\. *$parent .* sleepy *\n *$child .*- lively *\n *$child .*- lively *$/m;
my $flat = sub { $_[0] !~ / $parent .*sleepy/ && 2 == (() = $_[0] =~ /^ *$child [^-\n]* lively *$/mg) };

# Beside other work not both ran in each interval: steps back until they did.
sub back_to_flat {
    my ($screen) = @_;
    my $looked = '';
    return $screen->wait(sub {
        return 1 if $flat->($_[0]);
        my ($moment) = $_[0] =~ /\A(.*)/; # the line that says when it was
        $screen->type(',') if defined $moment && $moment ne $looked;
        $looked = $moment // '';
        return 0;
    });
}

mkdir "$dir/settings";
open my $settings, '>', "$dir/settings/settings.ini" or die;
print $settings "[settings]\ntree = yes\n";
close $settings;

for my $engine ('cpu', 'task') {
    my @watch = ('--ascii', '--engine', $engine, '-d', 0.3, '-s', 'software', '-p',
        join ',', $parent, @children);
    my $screen = Screen->countertop(80, 24, @watch, '--tree');
    ok($screen->wait($tree), "$engine: --tree has the parent that sleeps");
    $screen->key('t');
    ok($screen->wait($flat), "$engine: ... t ends it");
    $screen->close;
    $screen = Screen->countertop(80, 24, @watch, '-W', "$dir/settings");
    ok($screen->wait($tree), "$engine: a setting has it");
    $screen->close;

    $screen = Screen->countertop(80, 24, @watch, '--record', "$dir/$engine.db");
    for my $key ('t', 'F5') {
        ok($screen->wait($flat), "$engine: only those that run");
        $screen->key($key);
        ok($screen->wait($tree), "$engine: $key has it");
        $screen->key($key);
    }
    $screen->key('t');
    $screen->wait($tree);
    $screen->key('i');
    ok($screen->wait(qr/^  *$parent .*sleepy/m), "$engine: i has it for its own sake");
    $screen->key('i');
    ok($screen->wait($tree), "$engine: ... and then it is a parent again");
    $screen->key('t');
    $screen->wait($flat);

    $screen->key('F2');
    $screen->wait(qr/^>Columns/m);
    $screen->key('Down', 'Down', 'Down', 'Right');
    $screen->wait(qr/Display: what is set/);
    $screen->key('Down', 'Down', 'Down', 'Enter');
    ok($screen->wait(qr/processes below their parents +yes +F5/), "$engine: the switch of F2");
    $screen->key('Escape');
    $screen->wait(qr/^Enter open/m);
    $screen->key('Escape');
    ok($screen->wait($tree), "$engine: ... has it");
    $screen->key('t');
    $screen->wait($flat);

    $screen->type(',');
    $screen->wait(qr/PAST/);
    ok(back_to_flat($screen), "$engine: before, too, those that ran");
    $screen->key('t');
    ok($screen->wait(sub { $_[0] =~ /PAST/ && $_[0] =~ $tree }), "$engine: ... and t has it");
    $screen->close;

    $screen = Screen->countertop(80, 24, '--ascii', '--replay', "$dir/$engine.db");
    $screen->wait(qr/ lively/);
    $screen->type('$');
    $screen->wait(qr/interval (\d+) of \1\b/);
    ok(back_to_flat($screen), "$engine: so it is in a recording");
    $screen->key('t');
    ok($screen->wait($tree), "$engine: ... and t has it");
    $screen->close;
}

# Where idle tasks are listed already, the tree needs no refresh.
my @intervals;
for my $keys ('', 't') {
    my $screen = Screen->countertop(80, 24, qw(--ascii -i -d 3600 -s software --record), "$dir/keys$keys.db",
        '-p', join ',', $parent, @children);
    $screen->wait(qr/^ *$parent .* sleepy/m);
    if ($keys) {
        $screen->type($keys);
        ok($screen->wait(qr/- lively/), '-i: t has the tree');
    }
    $screen->close;
    push @intervals, 0 + (my @lines = split /\n/, qx($ENV{B}/countertop --replay $dir/keys$keys.db -b --format json));
}
is($intervals[1], $intervals[0], '... of the interval that is shown');

done_testing;
