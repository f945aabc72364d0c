#!/usr/bin/env perl
# The manual page in the tree is current with the program's tables, complete, and valid.
use Countertop;
use Encode 'decode';
use File::Find;

my $page = "$ENV{TOP}/src/cli/countertop.1";
$ENV{XDG_CONFIG_HOME} = '/nonexistent';

my $run = countertop('--manual');
is("$run->{status}$run->{err}", 0, '--manual ends well and says nothing');
my $text = $run->{out};
ok(slurp($page) eq $text, "the page in the tree is the same: 'make manual' writes it");

my $lint = run('mandoc', '-Tlint', '-Wstyle', $page);
is($lint->{out}, '', 'mandoc finds nothing wrong');
my $groff = run('groff', '-man', '-ww', '-Tutf8', '-P-cbou', '-rLL=78n', $page);
is("$groff->{status}$groff->{err}", 0, 'groff neither');
my $shown = decode('UTF-8', $groff->{out});
is_deeply([$shown =~ /^([A-Z][A-Z ]+)$/mg],
    ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'READING A ROW', 'FUNCTIONS AND CODE', 'COLUMNS', 'OPTIONS', 'EVENTS',
     'FILTERS', 'EXAMPLES', 'KEYS', 'MESSAGES', 'CONFIGURATION', 'ENGINES', 'PERMISSIONS', 'COST', 'PROMETHEUS',
     'SECURITY', 'EXIT STATUS', 'FORMATS', 'COMMANDS', 'EXPERIMENTS', 'RECORDINGS', 'ALARMS', 'ENVIRONMENT', 'COMING FROM OTHER TOOLS', 'FILES', 'SEE ALSO'],
    'it has its parts');

# ---- all there is ----

sub part {
    my ($name) = @_;
    my ($part) = $shown =~ /^\Q$name\E\n(.*?)(?=^[A-Z])/ms;
    return $part;
}

my $help = countertop(qw(--help all))->{out};
my @options = $help =~ /^  (?:-., |    )(--[a-z-]+)/mg;
my $told = part('OPTIONS');
is_deeply([grep { $told !~ /^ +(?:-., )?\Q$_\E(?= |$)/m } @options], [], 'every option');
my @keys = split /\n/, countertop('--list-keys')->{out};
my $keys = part('KEYS') =~ s/\s+/ /gr;
is_deeply([grep { my ($pane, $command, $list) = /^(\S+) +(\S+)  +(\S+(?: \S+)*)  /;
        $keys !~ /\(pane \Q$pane\E\)/ || $keys !~ /\Q$list ($command)\E/ } @keys],
    [], 'every key');

# Columns and metrics by title and name; each at the beginning of a line, where a search for it ends.
my $columns = part('COLUMNS');
my @columns = map { /^(\w+) +(?<=.{21})(.{10,}?) / ? ["$1", $2 =~ s/ +\z//r] : () } split /\n/, countertop('--list-columns')->{out};
cmp_ok(@columns, '>', 100, 'there are columns');
is_deeply([grep { my ($name, $title) = @$_; $columns !~ /^ +\Q$title\E \($name\)(?: |$)/m } @columns], [], 'every column and metric');
is_deeply([grep { $columns !~ /^ +\S.* \($_\)(?: |$)/m } map { /^\[metric ([^\]@]+)/mg } map { slurp($_) } glob "$ENV{TOP}/src/screens/*.ini"],
    [], '... also those of other processors');
my @formats = split /, | or /, $help =~ s/\n {20,}/ /gr =~ /--format FORMAT +(.*?);/ ? $1 =~ s/ \([^)]*\)//gr : '';
cmp_ok(@formats, '>=', 6, 'there are formats');
my $formats = part('FORMATS');
is_deeply([grep { $formats !~ /^ +\Q$_\E(?: |$)/m } @formats], [], 'every format') or diag "@formats";

my $environment = part('ENVIRONMENT');
my (%variable, $sources);
find({no_chdir => 1, wanted => sub {
    return if !/\.(?:c|txt)$/;
    my $source = slurp($_);
    $variable{$1} = 1 while $source =~ /getenv\("(\w+)"\)/g;
    $sources .= $source =~ s/"\s+"//gr;
}}, "$ENV{TOP}/src");
is_deeply([grep { $environment !~ /\b$_\b/ } sort keys %variable], [], 'every variable');

# Messages are found by their words: they are those of the program.
my ($messages) = slurp("$ENV{TOP}/src/cli/countertop.1.in") =~ /^\.SH MESSAGES\n(.*?)^\.SH/ms;
my @messages = map { s/\\\(aq/'/gr =~ s/\\-/-/gr } $messages =~ /^\.TP\n\.B (.+)$/mg;
cmp_ok(@messages, '>=', 15, 'there are messages');
is_deeply([grep { index($sources, /^no hardware counters \((.*)\)/ ? $1 : $_) < 0 } @messages], [], 'every message is one of the program');

my ($roles) = slurp("$ENV{TOP}/themes/dark.theme") =~ /\[roles\]\n(.*)/s;
my $configuration = part('CONFIGURATION') =~ s/\x{2010}\s+//gr;
is_deeply([grep { $configuration !~ /\b\Q$_\E[,.]/ } $roles =~ /^([a-z-]+) =/mg], [], 'every role');

# Its settings are settings, and its example works.
my ($settings) = $configuration =~ /^((?: +\S+ = .*\n)+)(?=\s+Keys$)/m;
my @settings = $settings =~ /^ +(\S+) =/mg;
cmp_ok(@settings, '>=', 14, 'there are settings');
my ($example) = $configuration =~ /^( +\[settings\]\n.*?)\n\n/ms;
my $dir = File::Temp::tempdir(CLEANUP => 1);
open my $file, '>', "$dir/example.ini" or die $!;
print $file $example =~ s/^ +//gmr;
close $file;
my $listed = countertop('-W', $dir, '--list-screens');
like($listed->{out}, qr/^mine\b/m, 'the screen of the example') or diag $listed->{err};
$listed = countertop('-W', $dir, '--list-keys');
like($listed->{out}, qr/^table +quit +\^Q q /m, 'the keys of the example') or diag $listed->{err};

done_testing;
