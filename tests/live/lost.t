#!/usr/bin/env perl
# The header reports lost records, throttled counters, and a permission to count that is withdrawn
# at run time.
use Screen;
use Storm;

my %sysctl = map { $_ => "/proc/sys/kernel/perf_event_$_" } qw(max_sample_rate paranoid);
my %saved;

sub set {
    my ($name, $value) = @_;
    if (!defined $saved{$name}) {
        open my $file, '<', $sysctl{$name} or die "$sysctl{$name}: $!";
        chomp($saved{$name} = readline $file);
    }
    open my $file, '>', $sysctl{$name} or return 0;
    print $file "$value\n";
    return close $file;
}

# Processes and threads born so far.
sub births {
    return slurp_or_empty('/proc/stat') =~ /^processes (\d+)/m ? $1 : 0;
}

my $owner = $$;

END {
    local $?;
    if ($$ == $owner) {
        set($_, $saved{$_}) for keys %saved;
    }
}

plan skip_all => 'only root can change what the kernel allows' if $> != 0;
chomp(my $cpus = `nproc`);
my $storm = start_work('pingpong', '-t', '-c', $cpus - 1, 1_000_000_000);

{
    my $screen = Screen->new(200, 50, "@first " .
        countertop_command(qw(-s software --engine cpu -d 0.5)));
    ok($screen->wait(qr/pingpong/), "it shows the load");
    # On a busy machine a build with sanitizers may lose some before it has a CPU.
    ok($screen->wait(sub { $_[0] =~ /pingpong/ && $_[0] !~ /\blost \d|throttled \d/ }),
        "nothing is lost");

    # Stopped in a storm until the rings overflow.
    my $pid = $screen->pid_of('countertop');
    stop_process($pid);
    await_overflow($storm);
    kill CONT => $pid;
    ok($screen->wait(qr/\blost [1-9]\d* records/), "the header shows lost records");
    like($screen->text, qr/\blost \d+ records at \d\d:\d\d:\d\d\b/, "... and when");
    my ($lost, %seen) = $screen->text =~ /\blost (\d+)/;
    my $stays = 1;
    $screen->wait(sub {
        $seen{$_[0] =~ /^ *(\d+ .*pingpong)/m ? $1 : ''} = 1; # a row's numbers are other ones in each frame
        $stays &&= $_[0] =~ /\blost (\d+) records/ && $1 >= $lost;
        return keys %seen > 4;
    });
    ok($stays, "... for some intervals");
    ok($screen->wait(sub { $_[0] =~ /pingpong/ && $_[0] !~ /\blost \d/ }),
        "... but not for good");

    set('max_sample_rate', 1) or die "max_sample_rate: $!";
    ok($screen->wait(qr/\bthrottled [1-9]\d* times/), "the header shows throttling");
    set('max_sample_rate', $saved{max_sample_rate});
    ok($screen->wait(sub { $_[0] =~ /pingpong/ && $_[0] !~ /throttled \d/ }),
        "... while it lasts");
    $screen->close;
}

SKIP: {
    my @nobody = qw(setpriv --reuid=65534 --regid=65534 --clear-groups --);
    skip 'user 65534 cannot run what was built here', 1
        if system "@nobody $ENV{B}/countertop --version >/dev/null 2>&1";
    set('paranoid', 0) or die "paranoid: $!";
    my $screen = Screen->new(200, 50, "@nobody " .
        countertop_command(qw(-s software --engine cpu -d 0.5)));
    ok($screen->wait(qr/pingpong/), 'a user who may counts everything');
    set('paranoid', 2);
    $screen->key('e');
    $screen->wait(qr/^Add event:/m);
    $screen->type('cpu-clock');
    $screen->key('Enter');
    ok($screen->wait(qr/cannot count 'cpu-clock'.*not permitted/),
        'permission withdrawn, another event is refused with the reason');
    $screen->key('Escape');
    ok($screen->wait(sub {
        my ($row) = grep { $_->{COMMAND} =~ /^pingpong/ } Screen::rows($_[0]);
        return $row && $row->{'ctxsw/s'} =~ /k$/;
    }), '... and what was counted goes on');
    is((grep { /cpu-clock/ } Screen::titles($screen->text)), 0,
        '... without a column for what is not');
}

# What a command's processes lost is still known when counting begins again with another event.
my $screen = Screen->new(200, 50, countertop_command(qw(-s software -d 0.3 --engine task -- brood -n 1000000 1)));
ok($screen->wait(qr/brood/), 'a command with many children');
my $pid = $screen->pid_of('countertop');
my $born = births();
stop_process($pid);
wait_for(sub { births() > $born + 6000 }) or die 'no children';
kill CONT => $pid;
ok($screen->wait(qr/\blost [1-9]\d* records/), '... and lost records');
$screen->key('e');
$screen->wait(qr/^Add event:/m);
$screen->type('minor-faults');
$screen->key('Enter');
my $wrong;
ok($screen->wait(sub {
    $wrong //= $1 if $_[0] =~ /\b(lost \d{15,})/;
    return $_[0] =~ /^ *PID .*minor/m && $_[0] !~ /\blost \d/;
}), '... also after another event was added');
is($wrong, undef, '... in each interval');
$screen->close;

done_testing;
