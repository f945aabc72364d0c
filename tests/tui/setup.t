#!/usr/bin/env perl
# F2: columns of the screen and its metrics; changes are visible in the table above, and saved
# changes apply at the next start.
use Screen;

my $config = $ENV{XDG_CONFIG_HOME} = tempdir(CLEANUP => 1);
my $directory = "$config/countertop";

# The line of titles, without the mark of the one that sorts.
sub titles {
    my ($text) = @_;
    my ($line) = $text =~ /^(.*\bPID\b.*COMMAND.*)$/m;
    return ($line // '') =~ s/[▼▲v^<>](?=[%A-Z])|[<>]| +$//gr;
}

my $spin = start_work('spin', '-r');
my @watch = ('-p', $spin, '--engine', 'cpu');

sub try_columns {
    my ($screen) = @_;
    $screen->key('F2');
    ok($screen->wait(sub { $_[0] =~ /^>Columns +Columns of screen 'software' *$/m && titles($_[0]) }),
       'F2 shows the columns, below the table');
    my $usual = titles($screen->text);
    like($usual, qr{^ *PID USER +P +%CPU ctxsw/s migr/s faults/s (?:TREND +(?:S +THR +%SYS (?:us/ctxsw )?)?)?COMMAND$},
        '... as they are');
    $screen->key('Right', 'Down', 'Down', 'Down');
    ok($screen->wait(qr/^a add|Enter edit/m), 'Right goes to the lines');

    for (['>', '<'], [']', '['], ['F8', 'F7']) {
        my ($right, $left) = @$_;
        $screen->key($right);
        ok($screen->wait(sub { titles($_[0]) =~ m{P ctxsw/s +%CPU migr/s} }), "$right moves it to the right");
        $screen->key($left);
        ok($screen->wait(sub { titles($_[0]) eq $usual }), "$left moves it to the left");
    }
    $screen->key('+', '+');
    ok($screen->wait(sub { titles($_[0]) eq $usual =~ s/ (?=%CPU)/   /r }), '+ makes it wider');
    $screen->key('-');
    ok($screen->wait(sub { titles($_[0]) eq $usual =~ s/ (?=%CPU)/  /r }), '- makes it narrower');
    $screen->key('=');
    ok($screen->wait(sub { titles($_[0]) eq $usual }), '= makes it as wide as usual');

    $screen->key('a');
    ok($screen->wait(qr/Add: .*\n.* tid +TID/), 'a lists other columns');
    unlike($screen->text, qr/^\W*\w* +ctxsw_per_s/m, '... not those shown');
    $screen->type('no such');
    ok($screen->wait(qr/no other column has all these words/), 'words may find none');
    $screen->key('C-u');
    $screen->type('minor SECOND');
    ok($screen->wait(qr/Add: minor SECOND.*\n.* minor_faults_per_s +minor\/s/), '... or some');
    ok($screen->wait(qr/would count\s+(?:\w+\s+)?minor-faults/), 'what it needs is told');
    $screen->key('Enter');
    ok($screen->wait(sub { titles($_[0]) =~ m{%CPU minor/s ctxsw/s} }),
       'Enter adds it, and counts that');
    ok($screen->wait(qr/^>Columns +Columns of screen 'software', changed *$/m), 'the screen is changed');
    $screen->key('x');
    ok($screen->wait(sub { titles($_[0]) !~ m{minor/s} }), 'x removes it');
    $screen->key('a', 'Escape');
    ok($screen->wait(qr/changed *$/m), 'Esc adds none');
    $screen->key('End', 'x');
    ok($screen->wait(sub { $_[0] !~ /COMMAND/ }), 'the last one, too');
    $screen->key('u');
    ok($screen->wait(sub { titles($_[0]) eq $usual && $_[0] !~ /, changed/ }), 'u undoes all');
    $screen->key('Home');
}

sub try_metrics {
    my ($screen) = @_;
    my $row = sub { my ($value) = @_; return qr/^ *$spin .* \Q$value\E /m };
    $screen->key('Enter');
    ok($screen->wait(qr/^'pid' is no metric/m), 'a fact has no expression');
    $screen->key('Down', 'Down', 'Down', 'e');
    ok($screen->wait(qr/^cpu_pct: oncpu \/ interval \* 100 *$/m), 'e edits that of a metric');
    $screen->key('C-u');
    $screen->type('4200');
    ok($screen->wait($row->('4200.0')), 'what is typed is seen at once');
    $screen->key('Escape');
    ok($screen->wait(sub { $_[0] !~ $row->('4200.0') && $_[0] !~ /^cpu_pct:/m }), 'Esc takes it back');
    $screen->key('Enter');
    $screen->answer(qr/^cpu_pct:/m, '4200');
    ok($screen->wait(sub { $_[0] =~ /^cpu_pct = 4200 *$/m && $_[0] =~ $row->('4200.0') }), 'Enter sets it');
    $screen->key('e');
    $screen->answer(qr/^cpu_pct:/m, '1 +* 2');
    ok($screen->wait(qr/^expected a number.*at column 4: 1\s\+\^\*\s2/ms), 'a mistake has its place');
    ok($screen->wait($row->('4200.0')), '... and the old one stays');
    $screen->key('C-u');
    $screen->type('oncpu');
    ok($screen->wait(qr/unit '%' of metric 'cpu_pct' does not fit/), 'nor does what has another unit');
    $screen->key('Escape', 'u');
    ok($screen->wait(sub { $_[0] !~ $row->('4200.0') }), 'u takes it back, too');

    $screen->key('n');
    $screen->answer(qr/^New metric:/m, 'cpu');
    ok($screen->wait(qr/there is a column 'cpu': choose another name/), 'n makes a new one, with a name of its own');
    $screen->answer(qr/^New metric:/m, "own");
    $screen->answer(qr/^Unit:/m, 'parsec');
    ok($screen->wait(qr/no unit 'parsec': expected/), '... a unit there is');
    $screen->answer(qr/^Unit:/m, 'percent');
    $screen->answer(qr/^own:/m, '10 * 421 + 0 * minor-faults');
    ok($screen->wait(sub { $_[0] =~ $row->('4210.0') && titles($_[0]) =~ /own (?:TREND .*)?COMMAND/ }),
       '... and an expression');
}

sub try_saving {
    my ($screen) = @_;
    $screen->key('W');
    $screen->answer(qr/^Save screen as:/m, 'own');
    ok($screen->wait(qr/^wrote \S+\/own\.ini: 'countertop\s-s\sown'/m), 'W saves the screen');
    my $text = slurp_or_empty("$directory/own.ini");
    like($text, qr/^\[metric own\]\nunit = %\nexpr = 10 \* 421 \+ 0 \* minor-faults\n/, '... with the metric');
    like($text, qr/^columns = .*own command$|^columns = .*own\ncolumns = command$/m, '... and the columns');
    my $again = Screen->countertop(80, 24, @watch, '-s', 'own');
    ok($again->wait(qr/^ *$spin .* 4210\.0 /m), '-s shows it');
    $again->close;
}

sub try_mouse {
    my ($screen) = @_;
    $screen->press($screen->place(qr/(?<=^ )Themes/));
    ok($screen->wait(sub { $_[0] =~ /^>Themes/m && $_[0] =~ /Themes, on / }), 'a press on a sectishowns it');
    $screen->press($screen->place(qr/(?<= )nord /));
    ok($screen->wait(qr/^Enter take/m), '... on a line chooses it');
    $screen->press($screen->place(qr/(?<= )nord /), 0, 2); # at once: two that are apart are not one
    ok($screen->wait(qr/ nord +in use; /), '... two do what Enter does');
    $screen->press($screen->place(qr/(?<=^ )Columns/));
    ok($screen->wait(qr/^>Columns/m), 'another section');
}

my $screen = Screen->countertop(80, 24, @watch, '-d', 0.2, '-s', 'software');
$screen->wait(qr/^ *$spin /m) or die;
try_columns($screen);
try_metrics($screen);
try_saving($screen);
try_mouse($screen);
$screen->close;

done_testing;
