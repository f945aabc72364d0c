# Types random keys into the terminal for a while. Its actions and the program's options depend only
# on a seed. It quits only at the end: it never types keys that quit, nor y, which sends signals.
package Monkey;
use strict;
use warnings;
use Exporter 'import';
use File::Find;
use File::Path 'make_path';
use File::Temp 'tempdir';
use List::Util qw(max min);
use Pty;
use Slurp;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(monkey_round monkey_prepare);
my $top = $ENV{TOP};
my $patience = 60; # seconds that the end may take, of a program with sanitizers on a busy machine

# A user that nobody is, who can harm nobody else.
my $nobody = 64901;
my @as_nobody = $> == 0
    ? ('setpriv', "--reuid=$nobody", "--regid=$nobody", '--clear-groups', '--no-new-privs') : ();

my %named = (
    Space => ' ', Esc => "\e", Enter => "\r", Tab => "\t", 'Shift-Tab' => "\e[Z", Up => "\e[A",
    Down => "\e[B", Right => "\e[C", Left => "\e[D", Home => "\e[H", End => "\e[F",
    PgUp => "\e[5~", PgDn => "\e[6~", Ins => "\e[2~", Del => "\e[3~", Backspace => "\x7f",
    'Shift-Left' => "\e[1;2D", 'Shift-Right' => "\e[1;2C", 'Shift-F3' => "\e[1;2R",
    Semicolon => ';', Comma => ',', Hash => '#',
    F1 => "\eOP", F2 => "\eOQ", F3 => "\eOR", F4 => "\eOS", F5 => "\e[15~",
    map({ ("F$_" => "\e[" . ($_ + 11) . '~') } 6 .. 9), F11 => "\e[23~", F12 => "\e[24~",
);
my @moves = @named{qw(Up Down Left Right Home End PgUp PgDn Tab Backspace Del)};

# What may stand in a prompt, and some that makes no sense in any.
my @texts = (
    'cycles', 'page-faults', 'minor-faults:u', 'context-switches', '{cycles,instructions}', 'r01c2',
    'msr/tsc/', 'mem:0x1000:w', 'sched:sched_switch', 'no-such-event', 'task-clock', '{', 'L1-dcache',
    'cpu > 10', 'cpu > 0 and user = root', 'ipc < 0.5', 'faults >', 'not (pid = 1 or tid = 2)', '((((',
    'sh', 'perl', 'root', '1', '0', '0.1', '0.05', '7', '999999', '-1', '4194304', '1,2,sh', ',,',
    'mine', '../mine', 'a/b', 'other name', 'TERM', '15', 'rtm', 'faults / cycles', '1 / 0', 'e+1',
    "\xc3\xa9\xe6\x97\xa5\xe6\x9c\xac", "e\xcc\x81\xcc\x81", '%s%n', '"\'`$(', 'x' x 300,
);
my @partial = ("\e[", "\eO", "\e", "\e[<0;", "\e[<64;5;5", "\e[200~", "\e[201~", "\e[1;", "\e[?", "\e]0;",
    "\e[99999999999999~", "\e[M", "\eP", "\xe6", "\xe6\x97", "\xf0\x9f");

# Bytes that are never sent: ^C ^Z ^\ q y.
my $never = qr/[\x03\x1a\x1cqy]/;

# The bytes of all keys that a command of any pane has, each as often as it is there.
sub all_keys {
    my ($list) = @_;
    my @keys;
    for my $word (map { split / /, (split /  +/, $_, 4)[2] // '' } split /\n/, $list) {
        my $bytes = $named{$word} // ($word =~ /^\^(.)$/ ? chr(ord($1) & 0x1f) : $word);
        push @keys, $bytes if $word ne 'F10' && $word ne '(none)' && $bytes !~ $never;
    }
    return @keys;
}

# A byte that does not belong to a character as UTF-8 has it.
my $more = qr/[\x80-\xbf]/;
my $not_utf8 = qr/[\xc0\xc1\xf5-\xff]|[\xc2-\xdf](?!$more)|[\xe0-\xef](?!$more{2})|[\xf0-\xf4](?!$more{3})
    |(?<![\x80-\xff])$more/x;

sub spell {
    return $_[0] =~ s/([^ -\x7e])/sprintf '\\x%02x', ord $1/ger;
}

sub pick {
    return $_[rand @_];
}

# ---- What it does: each returns [what to say of it, bytes] ----

sub some_text {
    my $text = pick(@texts);
    return rand() < 0.2 ? substr $text, 0, rand length $text : $text;
}

# Below the least height that there was of late there is the line of keys, which quits.
sub some_mouse {
    my ($self) = @_;
    my $height = min(@{$self->{heights}}) - 1;
    return '' if $height < 1;
    my ($button, $x, $y) = (pick(0, 0, 0, 64, 65, 2, 35), 1 + int rand 200, 1 + int rand $height);
    return sprintf "\e[<%d;%d;%d%s", $button, $x, $y, pick('M', 'M', 'm') if rand() < 0.8;
    return "\e[M" . join '', map { chr 32 + $_ } $button, min($x, 79), min($y, 79);
}

sub some_bytes {
    return join '', map { chr int rand 256 } 1 .. 1 + rand 6;
}

sub some_paste {
    my $text = rand() < 0.3 ? some_bytes() : join pick(' ', "\n", ''), some_text(), some_text();
    return "\e[200~$text" . (rand() < 0.8 ? "\e[201~" : '');
}

sub typed {
    my ($self) = @_;
    my $end = pick("\r", "\r", "\r", "\t\r", "\e", '', '');
    return rand() < 0.5 ? some_text() . $end : pick(@{$self->{prompts}}) . some_text() . $end;
}

my @habits = (
    [45, sub { pick(@{$_[0]{keys}}) }],
    [14, sub { pick(@moves) x (1 + rand() ** 3 * 20) }],
    [14, \&typed],
    [6, sub { $named{Esc} }],
    [7, \&some_mouse],
    [3, \&some_paste],
    [3, \&some_bytes],
    [3, sub { pick(@partial) }],
);

sub some_input {
    my ($self) = @_;
    my $turn = rand 95;
    for (@habits) {
        my ($weight, $make) = @$_;
        next if ($turn -= $weight) >= 0;
        return $make->($self) =~ s/$never/-/gr;
    }
    die 'the weights do not add up';
}

sub resize {
    my ($self) = @_;
    my ($width, $height) = rand() < 0.2 ? (pick(1, 2, 10, 300), pick(1, 2, 3, 100))
        : (20 + int rand 180, 3 + int rand 60);
    $self->{pty}->resize($width, $height);
    $self->note("resize $width $height");
    push @{$self->{heights}}, $height;
    shift @{$self->{heights}} if @{$self->{heights}} > 4;
}

sub note {
    my ($self, $what) = @_;
    push @{$self->{done}}, $what;
    shift @{$self->{done}} if @{$self->{done}} > 50;
}

sub act {
    my ($self) = @_;
    my $turn = rand 100;
    if ($turn < 4) {
        $self->resize;
    } elsif ($turn < 5) { # Ctrl-S: the terminal takes nothing
        $self->{pty}->type("\x13");
        $self->note('^S');
    } elsif ($turn < 6) { # nobody reads
        sleep 0.2;
        $self->note('(pause)');
    } else {
        my $bytes = $self->some_input;
        $self->{pty}->type($bytes);
        $self->note(spell($bytes));
    }
    $self->{pty}->type("\x11") if rand() < 0.2;
    $self->{pty}->read(rand() < 0.1 ? 0.1 : 0.004);
}

# ---- The program ----

# What all rounds share: {build, directory, recording, keys}. The directory is for them alone, those
# who run there may write only below it.
sub monkey_prepare {
    my ($build) = @_;
    # The directory of other temporary files may be closed to a user that nobody is.
    my $directory = tempdir('countertop-XXXXXX', CLEANUP => 1, $> == 0 ? (DIR => '/tmp') : (TMPDIR => 1));
    chmod 0755, $directory;
    my $shared = {build => $build, directory => $directory, recording => "$directory/run.db"};
    system("$build/countertop", '-b', '-n', 4, '-d', 0.1, '-s', 'software', '--record', $shared->{recording},
        '-o', '/dev/null', '--no-config') == 0 or die "monkey: cannot record\n";
    chmod 0644, $shared->{recording};
    $shared->{keys} = [all_keys(scalar `$build/countertop --list-keys --no-config`)];
    die "monkey: no keys\n" if @{$shared->{keys}} < 40;
    return $shared;
}

# What stays as it was when a program with this input goes: everything but HOME.
sub files_in {
    my %files;
    find({no_chdir => 1, wanted => sub {
        my @stat = lstat or return;
        $files{$_} = join ' ', @stat[2, 7, 9];
    }}, @_);
    return \%files;
}

# Files of that user in places where all may write, but ours.
sub files_of_nobody {
    my ($directory) = @_;
    my @found;
    return () if $> != 0;
    for my $place (grep { -d } '/tmp', '/var/tmp', '/dev/shm', '/run/lock', $ENV{TMPDIR} // ()) {
        push @found, grep { index($_, $directory) != 0 && ((lstat)[4] // 0) == $nobody } glob "$place/* $place/.*";
    }
    return @found;
}

sub options {
    my ($self) = @_;
    my @options = ('-d', pick(0.05, 0.1, 0.3, 1));
    push @options, $_ for grep { rand() < 0.3 } qw(-H -i --tree --sticky -c --exact --ascii --no-mouse);
    push @options, '--view', pick(qw(tasks cpus users commands cgroups)) if rand() < 0.4;
    push @options, '--level', pick(qw(core socket type)) if rand() < 0.2;
    push @options, '--theme', pick(qw(light mono nord colour-blind)) if rand() < 0.3;
    push @options, '-s', pick(qw(software faults)) if rand() < 0.6;
    push @options, '-f', pick('e', 'cpu > 0') if rand() < 0.2;
    push @options, '--rewind', pick(0, 1) if rand() < 0.3;
    my $what = rand();
    return (@options, '--replay', $self->{recording}) if $what < 0.2;
    push @options, '--record', "$self->{home}/mine.db" if rand() < 0.2;
    return (@options, '--', 'sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; echo $i; done')
        if $what < 0.35;
    return (@options, '-u', $> == 0 ? $nobody : $>) if $what < 0.5;
    return (@options, '-p', 'sh,births') if $what < 0.6;
    return @options;
}

# Threads and processes that are born and die, as long as the round lives.
sub start_lives {
    my ($build) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    POSIX::setsid();
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    my $births = "$build/work/births";
    exec @as_nobody, 'nice', 'timeout', 600, 'sh', '-c',
        "while :; do $births -t -l 500 10; $births -l 300 5; sleep 0.05; done" or POSIX::_exit(127);
}

sub open_program {
    my ($self, $seed) = @_;
    my $term = pick(qw(xterm-256color xterm-256color tmux-256color linux vt100 screen));
    my $ascii = rand() < 0.3;
    my @options = $self->options;
    # As root on this machine it would be allowed more than is wanted: only to count.
    my @perfmon = $> == 0 && rand() < 0.7 ? qw(--inh-caps=+perfmon --ambient-caps=+perfmon) : ();
    my @command = (@as_nobody ? (@as_nobody, @perfmon) : (), "$self->{build}/countertop", @options);
    $self->{told} = "TERM=$term" . ($ascii ? ' LC_ALL=C ' : ' ') . join ' ', map { /[^\w\/=.+-]/ ? "'$_'" : $_ } @command;
    $self->{ascii} = $ascii;
    return Pty->start({width => 80, height => 24, directory => $self->{place}, environment => {
        HOME => $self->{home}, TMPDIR => $self->{home}, TERM => $term, LC_ALL => $ascii ? 'C' : 'C.UTF-8',
        PATH => "$self->{build}/work:$ENV{PATH}",
        # A library that sees a path writes its own reports; ours go where this user may write.
        ASAN_OPTIONS => "log_path=$self->{home}/report", UBSAN_OPTIONS => "log_path=$self->{home}/report:print_stacktrace=1",
    }}, @command);
}

# Leads it out of wherever it is, and quits.
sub quit {
    my ($self) = @_;
    my $pty = $self->{pty};
    my $end = time + $patience;
    $pty->resize(80, 24);
    until (defined $pty->ended || time > $end) {
        $pty->type("\x11");
        for (1 .. 10) {
            last if defined $pty->ended;
            $pty->type("\e");
            $pty->read(0.05);
        }
        $pty->type('q') if !defined $pty->ended;
        my $moment = time + 3;
        $pty->read(0.05) until defined $pty->ended || time > $moment;
    }
    $pty->read(0);
}

# The last of two sequences that undo each other has to be the second one.
sub left_on {
    my ($output, $on, $off) = @_;
    my ($last_on, $last_off) = (rindex($output, $on), rindex($output, $off));
    return $last_on > $last_off;
}

sub faults {
    my ($self, $before) = @_;
    my ($pty, @faults) = $self->{pty};
    my $status = $pty->ended;
    push @faults, defined $status ? "it ended with status $status" : 'it did not quit' if ($status // 1) != 0;
    push @faults, 'it quit before it was told to' if $self->{early};
    push @faults, map { "it reported:\n" . slurp_or_empty($_) } glob "$self->{home}/report*";
    push @faults, 'the mode of the terminal is not what it was' if $pty->mode ne $pty->{mode};
    for (['the other screen', "\e[?1049h", "\e[?1049l"], ['no cursor', "\e[?25l", "\e[?25h"],
         ['marks of pasted text', "\e[?2004h", "\e[?2004l"], ['the mouse', "\e[?1000h", "\e[?1000l"],
         ['the mouse', "\e[?1006h", "\e[?1006l"], ['an update', "\e[?2026h", "\e[?2026l"]) {
        my ($what, $on, $off) = @$_;
        push @faults, "it left $what on" if left_on($pty->{output}, $on, $off);
    }
    my $foreign = $self->{ascii} ? qr/[\x80-\xff]/ : $not_utf8;
    push @faults, 'it wrote bytes that are not of the locale: ' . spell($1)
        if $pty->{output} =~ /(.{0,60}$foreign.{0,20})/s;
    my $after = files_in(@{$self->{kept}});
    for my $file (sort keys %{{%$before, %$after}}) {
        push @faults, "it changed $file" if ($before->{$file} // '') ne ($after->{$file} // '');
    }
    push @faults, map { "it left $_" } files_of_nobody($self->{directory});
    return @faults;
}

# Types that many things, by this seed: what was wrong, '' if nothing. At most `seconds`.
sub monkey_round {
    my ($shared, $seed, $count, $seconds) = @_;
    srand $seed * 2_654_435_761 % 2 ** 32; # neighbours are to have nothing in common
    my $self = bless {%$shared, done => [], heights => [24]}, __PACKAGE__;
    my $round = "$shared->{directory}/$seed";
    @$self{qw(home place)} = ("$round/home", "$round/place");
    make_path($self->{home}, $self->{place});
    chmod 0777, $self->{home}, $self->{place};
    $self->{kept} = [$self->{place}, $self->{recording}];
    $self->{prompts} = ['e', "\eOS", "\eOR", '/', "\e[18~", 'd', 'W', 'w', '%', 'a', 'A', 'u', 'x', 'k', "\eOQ"];
    my $before = files_in(@{$self->{kept}});
    my $lives = start_lives($self->{build});
    my $end = time + $seconds;
    my @faults = eval {
        $self->{pty} = $self->open_program;
        my $start = time + $patience;
        # Before, the terminal itself would show what is typed.
        $self->{pty}->read(0.05)
            until $self->{pty}{output} =~ /\e\[/ || defined $self->{pty}->ended || time > $start;
        for (1 .. $count) {
            last if time > $end || ($self->{early} = defined $self->{pty}->ended);
            $self->act;
        }
        $self->quit;
        $self->faults($before);
    };
    push @faults, $@ if $@;
    kill KILL => -$lives, $lives;
    waitpid $lives, 0;
    $self->{pty}->close if $self->{pty};
    return '' if !@faults;
    return join '', "seed $seed: $self->{told}\n", (map { "  $_\n" } @faults),
        "  the last keys: @{$self->{done}}\n", '  it wrote at last: ',
        spell(substr($self->{pty} ? $self->{pty}{output} : '', -300)), "\n";
}

1;
