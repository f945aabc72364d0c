# Whole files as bytes.
package Slurp;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(slurp slurp_or_empty);

sub slurp {
    open my $file, '<', $_[0] or die "$_[0]: $!";
    local $/;
    return readline($file) // '';
}

# Of what may be gone by now, as files of /proc are.
sub slurp_or_empty {
    return eval { slurp($_[0]) } // '';
}

1;
