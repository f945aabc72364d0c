# What tests in Perl share; they count with Test::More.
package Countertop;
use strict;
use warnings;
use Exporter 'import';
use File::Temp 'tempdir';
use JSON::PP;

our @EXPORT = qw(run countertop guest json_lines task sums);
my ($top, $build) = @ENV{qw(TOP B)};
$ENV{PATH} = "$build:$build/work:$ENV{PATH}";

# Runs a command; returns {out, err, status}, status as the shell gives it.
sub run {
    my @command = @_;
    my $dir = tempdir(CLEANUP => 1);
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$dir/out";
        open STDERR, '>', "$dir/err";
        exec @command or exit 127;
    }
    waitpid $pid, 0;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    return {out => slurp("$dir/out"), err => slurp("$dir/err"), status => $status};
}

sub slurp {
    open my $file, '<', $_[0] or die "$_[0]: $!";
    local $/;
    return scalar <$file> // '';
}

sub countertop {
    return run("$build/countertop", @_);
}

# Runs a shell script, given as text, in the emulated machine: guest($text, '--smp', 1) with the
# options of tests/pmu/guest. Skips the whole test where that machine is not built.
sub guest {
    my ($script, @options) = @_;
    if (!-x "$top/build-arm64/countertop") {
        print "1..0 # SKIP the emulated machine is built from Debian packages (make arm64)\n";
        exit 0;
    }
    my $file = File::Temp->new;
    print $file $script;
    $file->flush;
    return run("$top/tests/pmu/guest", @options, $file->filename);
}

# The objects of JSON Lines; numbers too large for a double keep all their digits.
sub json_lines {
    my $json = JSON::PP->new->allow_bignum;
    return map { $json->decode($_) } split /\n/, $_[0];
}

# The rows of a refresh whose comm is the given one.
sub task {
    my ($refresh, $comm) = @_;
    return grep { $_->{comm} eq $comm } @{$refresh->{tasks}};
}

# The ledger of an event: tasks + idle + unattributed, the total, and the sum over CPUs.
sub sums {
    my ($refresh, $event) = @_;
    my ($ledger, $cpus) = (0, 0);
    $ledger += $_->{counts}{$event} // 0
        for @{$refresh->{tasks}}, $refresh->{idle}, $refresh->{unattributed};
    $cpus += $_->{counts}{$event} // 0 for @{$refresh->{cpus}};
    return ($ledger, $refresh->{total}{counts}{$event}, $cpus);
}

1;
