#!/usr/bin/env perl
# --demo list tells what there is to count, and --demo NAME --verify counts it: what is known exactly
# is counted exactly, and what cannot be counted here says why.
use Countertop;

my @as_nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);

# ---- the list ----

my $list = countertop(qw(--demo list --format json));
is("$list->{status}$list->{err}", 0, '--demo list ends well');
my @listed = json_lines($list->{out});
my %workload = map { $_->{name} => $_ } @listed;
cmp_ok(scalar(@listed), '>', 15, 'there are workloads');
is_deeply([grep { !$_->{teaches} || !$_->{events} } @listed], [], 'each teaches something, with events');
is_deeply([grep { $_->{measurable} xor !defined $_->{reason} } @listed], [],
    'what is not measurable here has a reason');
is_deeply([grep { !$workload{$_} } qw(scalar vector frontend stream alias4k alias4k-not tlb-huge inline)], [],
    'what the table of workloads is to have, it has');
my ($page) = json_lines(countertop(qw(--check --format json))->{out});
my $hardware = $page->{result} eq 'hardware';
is(!!$workload{loop}{measurable}, !!$hardware, 'instructions are measurable where --check says so');
is(!!$workload{faults}{measurable}, !!1, 'page faults are');
my $text = countertop(qw(--demo list));
is_deeply([$text->{out} =~ /^(\S+)/mg], [map({ $_->{name} } @listed), 'tour', 'all'], 'the text has the same');
like($text->{out}, qr/^faults +page faults: .*\n +page-faults/m, '... what it teaches, and events');
is_deeply([grep { length > 80 && !/: / } split /\n/, $text->{out}], [], '... in 80 columns, but for reasons');

# ---- the self-test ----

sub verify {
    my ($name, @wrapper) = @_;
    my $run = run(@wrapper, qw(countertop --demo), $name, qw(--verify --format json));
    is($run->{err}, '', "$name: nothing on standard error");
    my @checks = json_lines($run->{out});
    is_deeply([map { join ' ', sort keys %$_ } @checks],
        [map { 'cause expected high low measured name type verdict what' } @checks], '... the keys');
    is($run->{status}, grep({ $_->{verdict} eq 'fail' } @checks) ? 1 : 0, '... the status');
    return @checks;
}

# Exact, whatever else runs.
my %exact = (faults => 3, $page->{cpus} > 1 ? (migrate => 1) : ());
for my $name (sort keys %exact) {
    my @checks = verify($name);
    is(scalar(@checks), $exact{$name}, "$name: all its checks");
    for my $check (@checks) {
        # A page that the kernel took back meanwhile is one more fault.
        my $more = $check->{what} =~ /^page-faults/ ? $check->{high} - $check->{expected} : 0;
        my $over = $check->{measured} - $check->{expected};
        ok($check->{verdict} eq 'pass' && $over >= 0 && $over <= $more, "$name: $check->{what}") or diag explain $check;
    }
}
# The hardware half: numbers where there are counters, a reason where there are none.
for my $check (verify('loop'), verify('mul')) {
    next if $hardware;
    is($check->{verdict}, 'not measurable', "$check->{name}: $check->{what} is not measurable");
    is($check->{measured}, undef, '... missing is null, never 0');
    like($check->{cause}, qr/^no hardware counters/, '... with the reason');
}
my $run = countertop(qw(--demo faults --verify));
is($run->{status}, 0, 'as text');
like($run->{out}, qr/^workload +counted +expected +measured verdict$/m, '... a table');
like($run->{out}, qr/^faults +page-faults, ledger +1024 +1024 pass$/m, '... with the numbers');
like($run->{out}, qr/^3 pass, 0 fail, 0 not measurable, 0 too noisy$/m, '... and a sum');

# Without rights: what a user may count is right, too.
SKIP: {
    skip 'needs root', 1 if $> != 0;
    my %verdict = map { ("$_->{name} $_->{what}" => $_) } verify('faults', @as_nobody);
    is($verdict{'faults page-faults'}{verdict}, 'pass', 'a user counts page faults');
    my $other = $verdict{'faults page-faults, ledger'};
    is($other->{verdict}, 'not measurable', '... not those of all tasks') if $page->{limits}{perf_event_paranoid} > 0;
    like($other->{cause}, qr/perf_event_paranoid/, '... and is told why') if $page->{limits}{perf_event_paranoid} > 0;
}

# ---- its processes ----

# The children of a process.
sub children {
    open my $file, '<', "/proc/$_[0]/task/$_[0]/children" or return;
    return split ' ', readline($file) // '';
}

# Without a terminal a workload is a process like any other, with its events.
my $counted = refresh_when(sub { grep { $_->{comm} eq 'faults' && $_->{counts}{'page-faults'} } @{$_[0]{tasks}} },
    qw(-d 0.2 --no-config --demo faults));
ok($counted, 'a workload in batch mode, with its event');
ok(wait_for(sub { !kill 0, $counted->{tasks}[0]{pid} }), '... ends with the program');

my $program = start(qw(countertop --demo pingpong --verify));
my $worker;
ok(wait_for(sub { ($worker) = children($program->{pid}) }), 'a workload is a child process');
kill KILL => $program->{pid};
ok(wait_for(sub { !-e "/proc/$worker" }), '... that ends with its parent, however that ends');
stop($program);

# ---- mistakes ----

for (
    [[qw(--demo fautls --verify)], qr/^countertop: unknown workload 'fautls': see --demo list; nearest is 'faults'$/],
    [[qw(--verify)], qr/^countertop: --verify needs --demo: see --help all$/],
    [[qw(-b --demo fautls)], qr/^countertop: unknown workload 'fautls': see --demo list; nearest is 'faults'$/],
    [[qw(--demo faults)], qr/^countertop: standard input and output are not a terminal: use -b /],
    [[qw(-b --demo tour)], qr/^countertop: the tour needs a terminal: -b \(--batch\) has none$/],
    [[qw(--demo all)], qr/^countertop: --demo all needs --verify; one is shown with --demo NAME$/],
    [[qw(--demo faults -p 1)], qr/^countertop: --pid cannot be used with --demo: see --help all$/],
    [[qw(--demo faults -- ls)], qr/^countertop: --demo cannot be used with a command after '--': see --help all$/],
    [[qw(--demo list --format csv)], qr/^countertop: --demo has the formats text and json: see --help all$/],
) {
    my ($arguments, $message) = @$_;
    my $run = countertop(@$arguments);
    is($run->{status}, 2, "@$arguments is wrong usage");
    like($run->{err}, $message, '... with a message');
}
done_testing;
