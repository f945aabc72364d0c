#!/usr/bin/env perl
# = in the functions view and --baseline: what each function takes since then, and which change is not by chance.
use Countertop;
use Screen;
use File::Copy 'copy';

# Two recordings whose samples are made: in each interval 60, 30 and 10 ms of three functions, and 50, 40 and 10.
my $dir = tempdir(CLEANUP => 1);
my $made = sub { run('sqlite3', "$dir/$_[0].db", "PRAGMA journal_mode = DELETE", 'SELECT count(*) FROM profiles')->{out} };
wait_for(sub {
    unlink glob "$dir/*";
    my $run = countertop(qw(-b -d 0.05 --view functions --sample cpu-clock -o /dev/null --record), "$dir/then.db",
        '--', "$ENV{B}/work/thirds", 60, 30, 10, 3000);
    my $names = run('sqlite3', "$dir/then.db", q{SELECT count(DISTINCT function) FROM profile_rows
        WHERE function IN (SELECT id FROM functions WHERE name LIKE 'burn_%')});
    return $names->{out} == 3 && $made->('then') =~ /^(\d+)$/m && $1 >= 12;
});
copy("$dir/then.db", "$dir/now.db") or die "now.db: $!";
for (['then', 60, 30], ['now', 50, 40]) {
    my ($name, $first, $second) = @$_;
    my $run = run('sqlite3', "$dir/$name.db", "UPDATE intervals SET length = 100000000;
        CREATE TEMP TABLE made AS SELECT p.interval, s.* FROM profiles p, (SELECT r.pid, r.tid, f.id AS function,
            min(r.stack) AS stack, CASE f.name WHEN 'burn_first' THEN $first WHEN 'burn_second' THEN $second ELSE 10 END AS ms
            FROM profile_rows r JOIN functions f ON f.id = r.function WHERE f.name LIKE 'burn_%' GROUP BY f.id) s;
        DELETE FROM profile_rows;
        INSERT INTO profile_rows (interval, pid, tid, function, stack, samples, weight)
            SELECT interval, pid, tid, function, stack, ms + interval % 2, (ms + interval % 2) * 1000000 FROM made ORDER BY interval;
        UPDATE profiles SET first = (SELECT min(id) FROM profile_rows r WHERE r.interval = profiles.interval),
            last = (SELECT max(id) FROM profile_rows r WHERE r.interval = profiles.interval);");
    is($run->{err}, '', "$name: a recording of known functions");
}
my $changes = sub { +{map { /^ *[\d.]+ +(\S+) .* burn_(\w+)$/ ? ($2 => $1) : () } split /\n/, $_[0]} };

my $screen = Screen->new(120, 30, countertop_command('--replay', "$dir/now.db", '--baseline', "$dir/then.db", qw(--view functions)));
ok($screen->wait(qr/\[Functions\].* change from then\.db, mean of \d+; 0 new, 0 gone/), '--baseline: functions are compared with those of the recording');
$screen->type('$');
my %wanted = (first => qr/^-1[67]%\*$/, second => qr/^\+3[23]%\*$/, third => qr/^(?:=|[+-]\d\.\d%)$/);
ok($screen->wait(sub {
    my $read = $changes->($_[0]);
    return 3 == grep { ($read->{$_} // '') =~ $wanted{$_} } keys %wanted;
}), '60/30/10 against 50/40/10: one takes less and one more, which is not by chance; the third is not marked');
$screen->type('=');
ok($screen->wait(sub { $changes->($_[0])->{first} =~ /^\d+$/ }), '=: numbers again');
$screen->close;

# Without a recording: the intervals before the key are compared with those after it.
$screen = Screen->new(120, 30, countertop_command('--replay', "$dir/now.db", qw(--view functions)));
ok($screen->wait(qr/\[Functions\].*\breplay\b/), 'another replay');
$screen->type('$');
ok($screen->wait(sub { ($changes->($_[0])->{first} // '') =~ /^5[01]$/ }), '... at its end');
$screen->type('=');
ok($screen->wait(qr/change from \d\d:\d\d:\d\d, mean of \d+; 0 new, 0 gone/), '=: a baseline of the last intervals');
$screen->close;

# Two functions that are one in the comparison are no row that is gone.
for my $name ('then', 'now') {
    copy("$dir/$name.db", "$dir/${name}_parts.db") or die "$name: $!";
    run('sqlite3', "$dir/${name}_parts.db", "UPDATE functions SET name = 'burn_first.cold' WHERE name = 'burn_third'");
}
$screen = Screen->new(120, 30, countertop_command('--replay', "$dir/now_parts.db", '--baseline', "$dir/then_parts.db", qw(--view functions)));
ok($screen->wait(qr/burn_first\.cold$/m), 'a part of a function');
$screen->type('$');
ok($screen->wait(qr/change from then_parts\.db, mean of \d+; 0 new, 0 gone/), '... which was the same function before: none is gone');
$screen->close;
done_testing;
