#!/usr/bin/env perl
# Settings in the user's files: they apply to the terminal, the command line overrides them, and a
# mistake is reported with file and line.
use Countertop qw(countertop run);
use Screen;
use File::Path 'make_path';

my $home = tempdir(CLEANUP => 1);
my $dir = "$home/countertop";
make_path($dir, "$home/empty");
$ENV{XDG_CONFIG_HOME} = $home;

sub set_file {
    my ($name, $text) = @_;
    open my $file, '>', "$dir/$name" or die "$name: $!";
    print $file $text;
    close $file;
}

# ---- they count in the terminal ----

set_file('mine.ini', "; of mine\n[settings]\nview = users\ndelay = 0.2\nscreen = software\nno-color = yes\n"
    . "[keys]\npause = y\n");
my $screen = Screen->countertop(100, 24);
ok($screen->wait(sub { $_[0] =~ /every 0\.2 s/ && $_[0] =~ /ctxsw\/s.* USER *$/m }),
    'view, delay and screen are those of the file');
$screen->key('y');
ok($screen->wait(qr/paused/i), 'the key of the file pauses');
unlike($screen->colored, qr/\e\[[\d;]*3[1-7]m/, 'no-color is a setting');
$screen->close;

# One after the other in the order of the names, but settings.ini, which is written on demand, last.
set_file('settings.ini', "[settings]\nview = cpus\n");
set_file('z.ini', "[settings]\ndelay = 0.3\n");
$screen = Screen->countertop(100, 24);
ok($screen->wait(sub { $_[0] =~ /every 0\.3 s/ && $_[0] =~ /^\W*CPU .*ctxsw\/s/m }),
    'later files count more, settings.ini most');
$screen->close;
$screen = Screen->countertop(100, 24, '--view', 'commands', '-d', '0.4');
ok($screen->wait(sub { $_[0] =~ /every 0\.4 s/ && $_[0] =~ /^ *PROCS .*COMMAND/m }),
    'the command line counts most');
$screen->close;
unlink "$dir/settings.ini", "$dir/z.ini";

# What cannot be on every machine or screen is no mistake.
set_file('mine.ini', "[settings]\nscreen = topdown\nsort = branches\nidle = yes\ntheme = mono\n");
my $sleeper = start_work('sleep', 600);
for my $case (['--idle=no'], ['--no-config'], ['-W', "$home/empty"]) {
    $screen = Screen->countertop(100, 24, '-p', $sleeper, '-d', '0.1', @$case);
    ok($screen->wait(qr/^the one that is watched slept; i shows it/m), "@$case: idle rows are not shown");
    $screen->close;
}
$screen = Screen->countertop(100, 24, '-p', $sleeper, '-d', '0.1');
ok($screen->wait(qr/^ *$sleeper /m), 'without it they are');
$screen->close;

# ---- batch output is what the command line asks for ----

set_file('mine.ini', "[settings]\nview = users\nscreen = faults\nthreads = yes\n");
my $run = countertop('-b', '-n', 1, '-d', 0.05, '-s', 'software');
like($run->{out}, qr/^ *PID .*ctxsw/m, 'batch output does not depend on settings');

# ---- mistakes ----

for my $case (
    ["thme = dark", qr/unknown setting 'thme': did you mean 'theme'\?/],
    ["xyzzy = 1", qr/unknown setting 'xyzzy': see --manual/],
    ["batch = yes", qr/'batch' is no setting: it goes on the command line only/],
    ["pid = 1", qr/'pid' is no setting: /],
    ["idle = perhaps", qr/unknown value 'perhaps' for --idle: expected yes or no/],
    ["idle =", qr/no value for the setting 'idle'/],
    ["engine = cup", qr/unknown value 'cup' for --engine: expected auto, cpu or task; nearest is 'cpu'/],
    ["delay = 0", qr/bad value '0' for --delay: expected 0\.05 to 3600 seconds/],
    ["theme = drak", qr/.*'drak'.*'dark'/],
    ["screen = sofware", qr/no screen 'sofware': did you mean 'software'\?/],
    ["sort = cpu_pc", qr/no column 'cpu_pc': did you mean 'cpu_pct'\?/],
) {
    my ($text, $message) = @$case;
    set_file('mine.ini', "[settings]\n\n$text\n");
    $run = countertop('-b', '-n', 1);
    is("$run->{status}$run->{out}", 2, "'$text' ends with status 2");
    like($run->{err}, qr{^countertop: \Q$dir\E/mine\.ini:3: $message.*; --no-config starts without it\n\z},
        '... and one line that names file and line');
}
$run = countertop('--no-config', '-b', '-n', 1, '-d', 0.05);
is("$run->{status}$run->{err}", 0, '--no-config starts in spite of it');
$run = countertop('--help');
is("$run->{status}$run->{err}", 0, 'questions about the program are answered in spite of it');

# A flag that is a setting takes an answer; others still take none.
$run = countertop('--idle=yes', '--version');
is("$run->{status}$run->{err}", 0, '--idle=yes');
like(countertop('--idle=1')->{err}, qr/'1' for --idle: expected yes or no/, '... and no other answer');

# A HOME that is no directory is that of many service accounts.
my @once = qw(countertop -b -n 1 -d 0.05 --engine task -s software);
for my $home ('/dev/null', '/dev/null/none', "$dir/loop", 'no path', '') {
    symlink 'loop', "$dir/loop";
    for my $variables ([HOME => $home, XDG_CONFIG_HOME => ''], [XDG_CONFIG_HOME => $home]) {
        local %ENV = (%ENV, @$variables);
        $run = run(@once);
        is("$run->{status}$run->{err}", 0, "@$variables: as if there were no files");
    }
}

# Where files are looked for unasked, one that cannot be read is told, and the others count.
{
    unlink glob("$dir/*.ini"), "$dir/loop";
    set_file('a.ini', "\xef\xbb\xbf[screen own]\nevents = page-faults\ncolumns = page-faults\n");
    mkdir "$dir/folder.ini";
    system('mkfifo', "$dir/pipe.ini");
    symlink 'nowhere', "$dir/link.ini";
    mkdir "$dir/dark.theme";
    my $told = "countertop: cannot read '$dir/folder.ini': it is no readable file\n"
        . "countertop: cannot read '$dir/link.ini': No such file or directory\n"
        . "countertop: cannot read '$dir/pipe.ini': it is a named pipe\n";
    $run = run(@once, qw(-s own --theme dark));
    is("$run->{status} $run->{err}", "0 $told", 'files that cannot be read end nothing');
    $run = run(@once, '-W', $dir);
    is("$run->{status} $run->{err}", "2 " . ($told =~ s/\n\K.*//sr), '... but with -W they do');
    rmdir "$dir/$_" for 'folder.ini', 'dark.theme';
    unlink "$dir/$_" for 'a.ini', 'pipe.ini', 'link.ini';
}

# The files of another user's HOME are not read where they cannot be.
SKIP: {
    skip 'not root', 2 if $>;
    set_file('closed.ini', "[settings]\ndelay = 7\n");
    chmod 0600, "$dir/closed.ini";
    chmod 0755, $home;
    my @other = ('setpriv', '--reuid=65534', '--clear-groups', 'countertop', '--list-screens');
    $run = run(@other);
    is("$run->{status} $run->{err}", "0 countertop: cannot read '$dir/closed.ini': Permission denied\n",
        'a file that one may not read is told');
    chmod 0700, $home;
    $run = run(@other);
    is("$run->{status}$run->{err}", 0, 'a directory that one may not read is no mistake');
}

done_testing;
