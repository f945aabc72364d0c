#!/usr/bin/env perl
# Containers have the names that their runtimes keep in files: in the view, in JSON, CSV and recordings,
# and for -G. Files that are none of a runtime's do no harm.
use Countertop qw(:DEFAULT cgroup_make);
use File::Path 'make_path';
use POSIX 'mkfifo';
use Script;

my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
my $root = "$dir/root";
my $storage = '/var/lib/containers/storage/overlay-containers';
my $tasks = '/run/containerd/io.containerd.runtime.v2.task';

# A container's id, from its number.
sub id {
    return sprintf('%012x', 0xabc0000 + $_[0]) . 'e' x 52;
}

sub state_file {
    my ($path, $text) = @_;
    make_path("$root$path" =~ s{/[^/]*$}{}r);
    open my $out, '>:raw', "$root$path" or die "$root$path: $!";
    print $out $text;
    close $out;
}

sub docker {
    my ($number, $text) = @_;
    state_file('/var/lib/docker/containers/' . id($number) . '/config.v2.json', $text);
}

sub bundle {
    my ($space, $number, %notes) = @_;
    my $notes = join ',', map { qq("$_":"$notes{$_}") } sort keys %notes;
    state_file("$space/" . id($number) . '/config.json', qq({"ociVersion":"1.1.0","annotations":{$notes},"hostname":"h"}));
}

# In the forms in which these programs write them.
docker(1, '{"StreamConfig":{},"State":{"Running":true},"ID":"' . id(1) . '","Config":{"Env":["A=\\"Name\\":\\"/no\\""]},' .
    '"Name":"/web-1","Driver":"overlay2","HostConfig":{"RestartPolicy":{"Name":"no"}}}');
docker(2, '{"Name":"/k8s_nginx_shop-7d_prod_0d1-2_0"}');
docker(3, '{"Name":"/k8s_POD_shop-7d_prod_0d1-2_0"}');
state_file("$storage/containers.json", '[{"id":"' . id(4) . '","names":["db","second"],"image":"i"},{"id":"' . id(5) .
    '","names":["k8s_proxy_edge-1_kube-system_0d1-2_3"]},{"id":"short","names":["none"]},{"id":1,"names":"x"},7]');
state_file("$storage/volatile-containers.json", '[{"id":"' . id(6) . '","names":["brief"]}]');
state_file('/run/containers/storage/overlay-containers/volatile-containers.json', '[{"id":"' . id(7) . '","names":["gone-soon"]}]');
bundle("$tasks/k8s.io", 8, 'io.kubernetes.cri.container-type' => 'container', 'io.kubernetes.cri.container-name' => 'cart',
    'io.kubernetes.cri.sandbox-name' => 'shop-8e', 'io.kubernetes.cri.sandbox-namespace' => 'prod');
bundle("$tasks/k8s.io", 9, 'io.kubernetes.cri.container-type' => 'sandbox', 'io.kubernetes.cri.sandbox-name' => 'shop-8e');
bundle("$tasks/default", 10, 'nerdctl/name' => 'by-hand');
bundle('/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io', 11, 'io.kubernetes.cri.container-name' => 'cart',
    'io.kubernetes.cri.sandbox-name' => 'small');

# Where nobody should look for a name, or none is.
docker(20, '{"Name":"/torn');
docker(21, '{"Name":"/one","Name":"/two"}');
docker(22, '{"Name":"/rest"} x');
docker(23, '[["Name","/list"]]');
docker(24, '{"Name":7}');
docker(25, '');
docker(26, "{\"Name\":\"/\xff\"}");
docker(27, '{"Name":"/"}');
docker(28, '[' x 100_000);
docker(29, '{"Name":"/nul\\u0000l"}');
state_file('/var/lib/docker/containers/' . id(30) . '/other', '');
mkfifo("$root/var/lib/docker/containers/" . id(30) . '/config.v2.json', 0644) or die "fifo: $!";
docker(31, '');
truncate "$root/var/lib/docker/containers/" . id(31) . '/config.v2.json', 3 << 40 or die "3 TB: $!";
make_path("$root/var/lib/docker/containers/" . id(32));
symlink 'config.v2.json', "$root/var/lib/docker/containers/" . id(32) . '/config.v2.json' or die "loop: $!";
make_path("$root/var/lib/docker/containers/" . id(33) . '/config.v2.json');
bundle("$tasks/k8s.io", 34, 'io.kubernetes.cri.container-name' => 'of no pod');

# Names with what a terminal obeys, or that are long.
docker(40, '{"Name":"/a\\u001b[31m\\u202eb\\nc"}');
docker(41, '{"Name":"/' . ('x' x 100_000) . '"}');

my %path = (
    (map { $_ => '/system.slice/docker-' . id($_) . '.scope' } 1 .. 3, 20 .. 34, 40, 41),
    4 => '/machine.slice/libpod-' . id(4) . '.scope/container',
    5 => '/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef/crio-' . id(5),
    6 => '/machine.slice/libpod-' . id(6) . '.scope',
    7 => '/machine.slice/libpod-conmon-' . id(7) . '.scope',
    8 => '/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-' . id(8) . '.scope',
    9 => '/kubepods/pod01234567-89ab-cdef-0123-456789abcdef/' . id(9),
    10 => '/system.slice/nerdctl-' . id(10) . '.scope',
    11 => '/kubepods/cri-containerd-' . id(11),
    50 => '/system.slice/ssh.service',
    51 => '/system.slice/docker-' . id(1) . '0.scope',
);
my %name = (1 => 'web-1', 2 => 'shop-7d/nginx', 3 => 'shop-7d', 4 => 'db', 5 => 'edge-1/proxy', 6 => 'brief', 7 => 'gone-soon',
    8 => 'shop-8e/cart', 9 => 'shop-8e', 10 => 'by-hand', 11 => 'small/cart', 40 => 'a?[31m?b?c', 41 => 'x' x 400);

my @numbers = sort { $a <=> $b } keys %path;
# What countertop writes with those files.
sub shown {
    my (@options) = @_;
    local $ENV{COUNTERTOP_ROOT} = $root;
    my $script = Script->new(map({ "task $_ name=t cgroup=$path{$_}" } @numbers),
        map({ "run $_ oncpu=0.01 context-switches=$_" } @numbers), 'next');
    my $run = $script->run(qw(-b -n 1 -s software --no-color), @options);
    is("$run->{status} $run->{err}", '0 ', "@options: no failure");
    return $run->{out};
}

# The names in the view of cgroups, by the number of context switches.
sub names_in_view {
    my ($text) = @_;
    my %found;
    for (split /\n/, $text) {
        $found{$1} = $2 if /^ +1 +\S+ +(\d+)\b.* (\S+)$/;
    }
    return \%found;
}

my $view = names_in_view(shown(qw(--view cgroups --exact)));
my %expected = (%name, (map { $_ => substr id($_), 0, 12 } 20 .. 34), 7 => 'conmon-gone-soon', 50 => 'ssh.service',
    51 => 'docker-' . id(1) . '0.scope');
delete $expected{41};
delete @$view{41, 51};
delete $expected{51};
is_deeply($view, \%expected, 'the view has names, or short ids where there are none');

# Names by path in lines of JSON: of rows of cgroups, and of tasks.
sub names_in_json {
    my ($text) = @_;
    my (undef, @refreshes) = json_lines($text);
    my %groups = map { $_->{name} => $_->{container} } grep { exists $_->{container} } @{$refreshes[0]{groups}};
    my %tasks = map { $_->{cgroup} => $_->{container} } grep { exists $_->{container} } @{$refreshes[0]{tasks}};
    return (\%groups, \%tasks);
}
my %by_path = map { $path{$_} => $name{$_} } keys %name;

sub has_names {
    my ($what, $text) = @_;
    my ($groups, $tasks) = names_in_json($text);
    is_deeply($groups, \%by_path, "$what: cgroups have the names of containers, and only these");
    is_deeply($tasks, \%by_path, '... tasks, too');
}
has_names('JSON', shown(qw(--view cgroups --format json)));
my @csv = map { [split /,/, $_, -1] } split /\n/, shown(qw(--view cgroups --format csv));
my %column = map { $csv[0][$_] => $_ } 0 .. $#{$csv[0]};
my %csv = map { $_->[$column{'context-switches'}] => $_->[$column{container}] }
    grep { $_->[0] eq 'task' && $_->[$column{container}] ne '' } @csv;
is_deeply(\%csv, \%name, 'CSV has them in the rows of tasks');
is((grep { $_->[0] eq 'group' && $_->[$column{container}] ne '' } @csv), scalar(keys %name), '... and of cgroups');
is((grep { @$_ != @{$csv[0]} } @csv), 0, '... each line has a field for each column');

# A recording keeps them; where it is shown, no file of a runtime is read.
my $file = "$dir/containers.db";
shown('--record', $file);
sub replayed {
    my (@options) = @_;
    local $ENV{COUNTERTOP_ROOT} = "$dir/nothing";
    return countertop(qw(-b --no-color --replay), $file, @options)->{out};
}
has_names('recorded', replayed(qw(--view cgroups --format json)));
$view = names_in_view(replayed(qw(--view cgroups --exact -s software)));
is($view->{8}, 'shop-8e/cart', '... in the view');
is($view->{7}, 'conmon-gone-soon', '... also of what watches one');
my $sql = qq{sqlite3 $file "SELECT name FROM containers WHERE path = '$path{6}'"};
is(`$sql`, "brief\n", '... in a table');
system 'cp', $file, "$dir/unnamed.db";
system 'sqlite3', "$dir/unnamed.db", 'DELETE FROM containers';
{
    local $ENV{COUNTERTOP_ROOT} = $root;
    my $run = countertop(qw(-b --no-color -s software --replay), "$dir/unnamed.db", qw(--view cgroups --exact));
    is(names_in_view($run->{out})->{6}, substr(id(6), 0, 12), 'without them ids are shown, not what containers of here are called');
}
system 'cp', $file, "$dir/bad.db";
system 'sqlite3', "$dir/bad.db", q(UPDATE containers SET name = 'x' || char(27) || '[2J');
unlike(countertop(qw(-b --replay), "$dir/bad.db", qw(--view cgroups --format json))->{out}, qr/\e|\\u001b/,
    '... names in a recording are cleaned');

# -G finds a container by its name, below a cgroup of this test.
SKIP: {
    my ($top, $why) = cgroup_make('containers', 'libpod-' . id(4) . '.scope', 'libpod-' . id(4) . '.scope/container',
        'libpod-conmon-' . id(4) . '.scope', 'docker-' . id(1) . '.scope', 'crio-' . id(5));
    skip $why, 7 if !$top;
    symlink $_, "$root$_" or die "$_: $!" for '/proc', '/sys';
    local $ENV{COUNTERTOP_ROOT} = $root;
    my $short = $top =~ s{.*/}{/}r;
    for (['web-1', 'docker-' . id(1) . '.scope'], ['db', 'libpod-' . id(4) . '.scope'], ['edge-1/proxy', 'crio-' . id(5)],
        ['conmon-db', 'libpod-conmon-' . id(4) . '.scope'], [substr(id(4), 0, 12), 'libpod-' . id(4) . '.scope']) {
        my ($name, $found) = @$_;
        unlink "$dir/one.db";
        my $run = countertop(qw(-b -n 1 -d 0.1 --engine task -e page-faults -G), $name, '--record', "$dir/one.db");
        like($run->{err} . `sqlite3 $dir/one.db 'SELECT cgroup FROM sessions'`, qr{^\S*\Q$short/$found\E$}, "-G $name");
    }
    my $inside = start('sh', '-c', 'echo $$ >"$0/cgroup.procs"; echo there; while :; do :; done', "$top/docker-" . id(1) . '.scope');
    next_line($inside);
    my $run = countertop(qw(-b -n 1 -d 0.1 --engine task -e page-faults --format json -p), $inside->{pid}, '--filter', 'cgroup == "web-1"');
    my (undef, $refresh) = json_lines($run->{out});
    is_deeply([map { [$_->{pid}, $_->{container}] } @{$refresh->{tasks}}], [[$inside->{pid}, 'web-1']],
        'where cgroups are read from /proc, their containers have names, too; also in filters');
    stop($inside);
    $run = countertop(qw(-b -n 1 -G web-7));
    like($run->{err}, qr/unknown cgroup 'web-7'/, '-G says where no container has that name');
}

done_testing;
