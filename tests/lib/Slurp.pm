# Whole files as bytes, and waiting.
package Slurp;
use strict;
use warnings;
use Exporter ();
use Time::HiRes qw(sleep time);

our @ISA = 'Exporter';
our @EXPORT = qw(slurp slurp_or_empty wait_for);
# Seconds that a condition may take: much more than it ever does, for slow machines and sanitizers.
our $patience = 100;

sub slurp {
    open my $file, '<', $_[0] or die "$_[0]: $!";
    local $/;
    return readline($file) // '';
}

# Of what may be gone by now, as files of /proc are.
sub slurp_or_empty {
    return eval { slurp($_[0]) } // '';
}

# True as soon as the condition is, false when the time is over.
sub wait_for {
    my ($condition) = @_;
    my $end = time + $patience;
    until ($condition->()) {
        return 0 if time > $end;
        sleep 0.02;
    }
    return 1;
}

1;
