#!/usr/bin/env perl
# What counts for a socket: its memory controllers as one, its power. A recording whose counts are
# known, with other names for its events, is what such a machine would have recorded.
use Countertop;
use File::Copy;

my $dir = tempdir(CLEANUP => 1);

sub sqlite {
    my ($file, $sql) = @_;
    my $run = run('sqlite3', $file, $sql);
    is($run->{status}, 0, 'sqlite3') or BAIL_OUT($run->{err});
}

# The recording with these names, in a file.
sub recording {
    my ($file, $known_as, %names) = @_;
    my $sql = join ' ', map { "UPDATE events SET name = '$names{$_}' WHERE name = '$_';" } sort keys %names;
    copy("$ENV{TOP}/tests/data/recording/turns.db", "$dir/$file") or BAIL_OUT("turns.db: $!");
    sqlite("$dir/$file", "$sql UPDATE runs SET known_as = '$known_as';");
    return "$dir/$file";
}

my @read = ('uncore_imc_0/cas_count_read/', 'uncore_imc_10/cas_count_read/');
my @write = ('uncore_imc_0/cas_count_write/', 'uncore_imc_10/cas_count_write/');
my $memory = recording('memory.db', 'GenuineIntel-6-8F', 'cycles:u' => $read[0], 'instructions:u' => $read[1],
    'cycles:k' => $write[0], 'instructions:k' => $write[1]);
my (undef, @refreshes) = refreshes('--replay', $memory);
my $compared = 0;
for my $refresh (@refreshes) {
    for my $row (@{$refresh->{cpus}}) {
        my %sum = (socket_read => 0, socket_write => 0);
        $sum{socket_read} += $row->{counts}{$_} // 'nan' for @read;
        $sum{socket_write} += $row->{counts}{$_} // 'nan' for @write;
        $sum{socket_memory} = $sum{socket_read} + $sum{socket_write};
        for my $metric (grep { $sum{$_} == $sum{$_} } sort keys %sum) {
            my $expected = $sum{$metric} * 64 / $refresh->{interval} / 1e9;
            cmp_ok(abs($row->{metrics}{$metric} - $expected), '<=', 1e-6 * $expected,
                "$refresh->{seq}, CPU $row->{cpu}: $metric is 64 bytes for each access of each controller");
            $compared += $expected > 0;
        }
    }
}
cmp_ok($compared, '>=', 6, 'intervals of which it is known');
my $text = countertop('-b', '--replay', $memory, '-s', 'bandwidth');
is($text->{status}, 0, 'its screen fits that recording') or diag $text->{err};
like($text->{out}, qr/^ *CPU +.* RD GB\/s +WR GB\/s +MEM GB\/s/m, '... with these columns');
unlike($text->{out}, qr/cas_count|coverage_pct.*cas/, '... and none for each controller');
like($text->{out}, qr/^ +0 .* 0\.50~ +\d+\.\d\d~ +\d+\.\d\d~ +\d+\.\d\d~/m, '... and numbers');

# Power that the machine has no sensor for has no column.
my %power = ('page-faults' => 'power/energy-pkg/', 'cycles:u' => 'power/energy-cores/',
    'instructions:u' => 'power/energy-ram/', 'instructions:k' => 'power/energy-psys/',
    'cycles:k' => 'power_core/energy-core/');
my $power = recording('power.db', 'GenuineIntel-6-8F', %power);
my $titles = sub { (countertop('-b', '--replay', $power, '-s', 'energy')->{out} =~ /^( *CPU .*)/m)[0] };
like($titles->(), qr/ PKG W +CORES W +CORE W +RAM W +SYS W/, 'power: all that there is');
for my $row (map { @{$_->{cpus}} } (refreshes('--replay', $power))[1]) {
    my $joules = ($row->{counts}{'power_core/energy-core/'} // next) / 2**32;
    my $interval = (refreshes('--replay', $power))[1]{interval};
    cmp_ok(abs($row->{metrics}{core_watts} - $joules / $interval), '<=', 1e-6 * $joules / $interval,
        "CPU $row->{cpu}: the power of its core");
}
sqlite($power, "UPDATE events SET encoding = NULL, state = 1 WHERE name GLOB 'power/energy-[cp]*s*/'");
like($titles->(), qr/ PKG W +CORE W +RAM W/, '... a part has no column where the PMU does not list it');
unlike($titles->(), qr/CORES|SYS/, '... and no other sign');
sqlite($power, "UPDATE events SET encoding = NULL, state = 1 WHERE name GLOB 'power_core/*'");
unlike($titles->(), qr/CORE/, '... that of a core, too');
sqlite($power, "UPDATE events SET state = 1 WHERE name = 'power/energy-ram/'");
unlike($titles->(), qr/RAM/, '... nor has what the kernel refuses, though it has a code');
sqlite($power, "UPDATE events SET state = 2 WHERE name = 'power/energy-ram/'");
like($titles->(), qr/RAM W/, '... but what it denies has one: another user may count it');
sqlite($power, "UPDATE events SET state = 1 WHERE name = 'power/energy-ram/'");
sqlite($power, "UPDATE events SET encoding = NULL, state = 1 WHERE name = 'power/energy-pkg/'");
like($titles->(), qr/ PKG W +RAM W/, '... nothing is left out where what the screen requires is not counted, either');
done_testing;
