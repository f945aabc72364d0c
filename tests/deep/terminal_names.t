#!/usr/bin/env perl
# What others name reaches no terminal as it is: file names, names of recorded hosts and events, mistakes
# in their files, and what the user names: in text, comparisons and messages.
use Countertop qw(:DEFAULT write_file);
use File::Copy;

my $dir = tempdir(CLEANUP => 1);
# A colour, a change of direction (U+202E), a control character of 8 bits (U+009B), and the same as a byte.
my $evil = "e\e[31mv\xe2\x80\xaei\xc2\x9bl\x9b";
my $harm = qr/[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\xbf]/;

sub harmless {
    my ($what, $wanted, @command) = @_;
    my $run = run(@command);
    my $all = "$run->{out}$run->{err}";
    like($all, $wanted, "$what is named");
    my ($found) = $all =~ /([^\n]{0,40}$harm)/;
    is($found && $found =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger, undef, '... harmless for a terminal');
}

my @batch = qw(countertop -b --no-config -s software);
my $program = "$dir/$evil";
copy("$ENV{B}/work/shares", $program) or die $!;
chmod 0755, $program;
harmless('the file of a function', qr/^faults_seventy \(e/m, @batch, qw(--sample page-faults --annotate faults_seventy --), $program, qw(faults 20));
harmless('a process that is not there', qr/no process is called/, @batch, qw(-n 1 -d 0.05 -p), $evil);
harmless('a file that is not there', qr/cannot read/, 'countertop', '-b', '--replay', "$dir/none/$evil");
mkdir "$dir/$_" for 'config', 'config/countertop', 'config/countertop/events';
write_file("$dir/config/countertop/events/x.json", $evil);
{
    local $ENV{XDG_CONFIG_HOME} = "$dir/config";
    harmless('a mistake in an event file', qr/x\.json:1: no JSON/, qw(countertop --list-events faults));
}
SKIP: {
    skip "'sqlite3' is not installed", 8 if run(qw(sh -c), 'command -v sqlite3')->{status};
    my $file = "$dir/run.db";
    for my $column ('runs host', 'runs engine', 'events name', 'runs notice') {
        copy("$ENV{TOP}/tests/data/recording/demo.db", $file) or die $!;
        my ($table, $name) = split ' ', $column;
        next if run('sqlite3', $file, "UPDATE $table SET $name = CAST(x'" . unpack('H*', $evil) . "' AS TEXT)")->{status};
        harmless("$column of a recording", qr/\?\[31mv/, 'countertop', qw(-b --no-config --replay), $file);
        harmless("... in a comparison", qr/recordings/, 'countertop', qw(--no-config --compare), $file, "$ENV{TOP}/tests/data/recording/demo.db");
    }
}
done_testing;
