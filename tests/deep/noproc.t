#!/usr/bin/env perl
# Without /proc neither tasks nor countertop's own cost are known: both are reported as unknown, not
# as 0.
use Countertop;

my @without = (qw(unshare -m --propagation private sh -c),
    'mount -t tmpfs none /proc && exec "$@"', 'sh');
if (my $options = $ENV{ASAN_OPTIONS}) {
    # A leak sanitizer needs the tasks in /proc; and a sanitizer reads its options there, so they stay.
    $without[-2] = 'exec 3</proc/self/environ && mount -t tmpfs none /proc && mkdir /proc/self &&
        cat <&3 >/proc/self/environ && exec "$@" 3<&-';
    unshift @without, 'env', "ASAN_OPTIONS=$options:detect_leaks=0";
}
plan skip_all => 'no mounts of its own can be had (unshare -m)' if run(@without, 'true')->{status};
my $told = "/proc is not mounted, and shows no tasks: as root, run 'mount -t proc proc /proc'";

my $run = run(@without, qw(countertop -b -n 2 -d 0.1 --format json));
is($run->{status}, 0, 'it goes on') or diag $run->{err};
my ($header, @refreshes) = json_lines($run->{out});
is(index($header->{notice}, $told), 0, 'the notice begins with it') or diag $header->{notice};
is_deeply([map { ($_->{self}{descriptors}, $_->{self}{rss_bytes}) } @refreshes], [(undef) x 4],
    'its own descriptors and memory are not known');
$run = run(@without, qw(countertop -b -n 1 -d 0.1 --format csv));
my ($names, @rows) = map { [split /,/, $_, -1] } split /\n/, $run->{out};
my ($total) = grep { $_->[0] eq 'total' } @rows;
my %cell;
@cell{@$names} = @$total;
is("$cell{self_descriptors}|$cell{self_rss_bytes}", '|', '... in CSV neither');
unlike(run(@without, qw(countertop -b -n 1 -d 0.1 --format openmetrics))->{out},
    qr/^countertop_self_(descriptors|resident)/m, '... and are no metrics');
like(run(@without, qw(countertop -b -n 1 -d 0.1))->{out}, qr/^\Q$told\E/m, 'the text says why');

my $page = run(@without, qw(countertop --check))->{out};
like($page, qr/^capabilities +-\nrestrictions +no \/proc$/m, '--check: what it cannot know');
like($page, qr/^  processes of others:\n    \Q$told\E$/m, '... and why');
my ($object) = json_lines(run(@without, qw(countertop --check --format json))->{out});
is($object->{capabilities}, undef, '... in JSON too');

# With it there are numbers.
my (undef, $refresh) = refreshes(qw(-n 1 -d 0.1));
cmp_ok($refresh->{self}{rss_bytes}, '>', 1e6, 'elsewhere they are known');

done_testing;
