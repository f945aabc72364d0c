#!/usr/bin/env perl
# TOPDOWN: the top-down metrics of a row as parts of one cell. Here no processor has them: metrics of
# those names have known values.
use Screen;

my $dir = tempdir(CLEANUP => 1);
my $spin = start_work('spin', '-r');

sub write_screen {
    my (%part) = @_;
    open my $ini, '>', "$dir/td.ini" or die;
    print $ini "[metric td_${_}_pct]\nexpr = $part{$_} + 0 * context-switches\nunit = %\n" for sort keys %part;
    print $ini "[screen td]\nevents = context-switches\ncolumns = pid topdown cpu_pct command\nsort = cpu_pct\n";
    close $ini;
}

sub stack_is {
    my ($wanted, $name, @options) = @_;
    my $screen = Screen->countertop(80, 24, '-d', 0.3, '-W', $dir, '-s', 'td', '-p', $spin, @options);
    ok($screen->wait(qr/^ *$spin \Q$wanted\E +\d+\.\d spin/m), $name);
    $screen->close;
}

write_screen(retiring => 50, bad_spec => 10, frontend => 15, backend => 25);
stack_is('██████████▓▓▒▒▒░░░░░', 'four parts fill the cell');
stack_is('RRRRRRRRRRSSFFFBBBBB', '... in ASCII letters', '--ascii', '--no-color');
write_screen(retiring => 30, bad_spec => -2, frontend => 20, backend => 40);
stack_is('██████▒▒▒▒░░░░░░░░  ', 'what is left out stays free, and nothing is below 0');
write_screen(retiring => 100, bad_spec => 0, frontend => 60, backend => 40);
stack_is('██████████▒▒▒▒▒▒░░░░', 'estimates that are more than all are drawn to their scale');
write_screen(retiring => '0 * no-such-event + 30', bad_spec => 10, frontend => 20, backend => 40);
stack_is(' ' x 20, 'nothing where a part is not known');

done_testing;
