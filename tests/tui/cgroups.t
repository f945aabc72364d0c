#!/usr/bin/env perl
# Cgroups on a terminal: as a tree, folded, and what one may use and does.
use Countertop;
use File::Path qw(make_path remove_tree);
use Screen;
use Script;

# A cgroup with a limit, in the hierarchy that has limits of tasks.
my $name = "limits-$$"; # short enough for the column
my ($limits) = grep { -e "$_/pids.max" || -e "$_/cgroup.subtree_control" && slurp("$_/cgroup.subtree_control") =~ /pids/ }
    map { (split ' ')[4] } grep { / - cgroup2? / } split /\n/, slurp('/proc/self/mountinfo');
$limits //= -d '/sys/fs/cgroup/pids' ? '/sys/fs/cgroup/pids' : undef;
my $limited = defined $limits && mkdir("$limits/$name") && open(my $most, '>', "$limits/$name/pids.max");
print {$most} '64' if $limited;
close $most if $limited;

END { rmdir "$limits/$name" if defined $limits }

my $script = Script->new('cpus 2', "task 10 name=rest cgroup=/", "task 20 name=one cgroup=/$name", "task 30 name=two cgroup=/$name",
    'task 40 name=deep cgroup=/top/mid/low');
my @ran = map { "run $_ oncpu=0." . $_ / 10 . " context-switches=$_" } 10, 20, 30, 40;
my $screen = Screen->new(120, 30, $script->command(qw(-s software --engine cpu --view cgroups --sort cgroup --exact)));
$script->step(@ran);
ok($screen->wait(qr/^ *1 .* low\s*$/m), 'rows of cgroups');
$screen->key('t');
$screen->wait(qr/^nothing ran/m); # it counts at once
$script->step(@ran);
ok($screen->wait(qr{^ *4 +\S+ +100 .* /\s*\n(?:.*\n)*.*├─ $name\s*\n.*└─ top\s*\n.*   └─ mid\s*\n.*      └─ low}m), 't: a tree, the root has all')
    or diag $screen->text;
$screen->key("Down") for 1 .. 3; # the first one shows the cursor
$screen->wait(qr/top/);
$screen->key('-');
ok($screen->wait(sub { $_[0] =~ /└─ \[\+\] top\s*$/m && $_[0] !~ /low/ }), '-: folded');
like($screen->text, qr/^ *1 +\S+ +40 .*\[\+\] top/m, '... with what is in it, once');
$screen->key('+');
ok($screen->wait(qr/low/), '+: unfolded');
$screen->key('Up');
$screen->key('Enter');
ok($screen->wait(qr{^cgroup +/\Q$name\E}m), 'Enter: its path') or diag $screen->text;
$script->step(@ran);
ok($screen->wait(qr/^tasks +two 30 30 %, one 20 20 %/m), '... what ran most in it') or diag $screen->text;
SKIP: {
    skip 'no cgroup with a limit of tasks can be made here', 1 if !$limited;
    ok($screen->wait(qr{^cgroup +/\Q$name\E; .*\b0 of 64 tasks}m), '... and its limits') or diag $screen->text;
}
$screen->key('q');
$screen->close;

# A container by its name.
my $id = 'c0ffee' . '0' x 58;
my $root = "$ENV{TMPDIR}/root-$$";
make_path("$root/var/lib/docker/containers/$id");
END { remove_tree($root) if defined $root }
open my $state, '>', "$root/var/lib/docker/containers/$id/config.v2.json" or die $!;
print {$state} '{"Name":"/web-1"}';
close $state;
$script = Script->new('cpus 2', "task 10 name=rest cgroup=/system.slice/docker-$id.scope");
$screen = Screen->new(120, 30, "COUNTERTOP_ROOT=$root " . $script->command(qw(-s software --view cgroups)));
$script->step('run 10 oncpu=0.5');
ok($screen->wait(qr/^ *1 .* web-1\s*$/m), 'a container by its name') or diag $screen->text;
$screen->key('Down');
$screen->key('Enter');
ok($screen->wait(qr{^cgroup +web-1: /system\.slice/docker-c0ffee}m), '... also where its details are') or diag $screen->text;
$screen->key('q');
$screen->close;

done_testing;
