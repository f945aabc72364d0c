# A private terminal for a test: a tmux server with one pane, to type into and read from. `use Screen` is
# also what `use Countertop` is besides its own names, and `use utf8`.
package Screen;
use strict;
use warnings;
use utf8;
use Encode 'decode';
use Countertop ();
use Exporter ();
use File::Temp 'tempdir';
use IO::Handle;
use IPC::Open2 'open2';
use POSIX qw(setsid WNOHANG);
use Slurp;
use Test::More ();
use Time::HiRes qw(sleep time);

our @ISA = 'Exporter';
our @EXPORT = qw(start_work end_work start_named countertop_command runs wait_for);
my ($top, $build) = @ENV{qw(TOP B)};
$ENV{PATH} = "$build:$build/work:$ENV{PATH}";
my (%open, @work); # what has to end with the test
my $servers = 0;
$ENV{TMUX_TMPDIR} = tempdir(CLEANUP => 1);
binmode STDERR, ':encoding(UTF-8)';

sub import {
    utf8->import;
    Countertop::share(@_);
}

# Whether a process of one's own runs. What has ended may wait for seconds until its parent asks for it,
# as init does in some containers: kill() still finds it then.
sub runs {
    my ($pid) = @_;
    return defined readlink "/proc/$pid/exe";
}

# Runs a sub, which does not return, in a process that lives until the end of the test. It has a
# session of its own: the scheduler shares CPUs out by sessions (autogroups, sched(7)), and has been
# seen to let one starve for a minute when another had many busy and short processes. Its share is a
# third of those in which a screen is waited for.
sub start_process {
    my ($run) = @_;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        setsid;
        if (open my $share, '>', '/proc/self/autogroup') {
            print $share 5; # a nice value
            CORE::close $share;
        }
        alarm 1500; # should the test not come to its end
        $run->();
    }
    push @work, $pid;
    return $pid;
}

# Starts a program that ends with the test, however that ends, or by end_work; returns its pid.
sub start_work {
    my @command = @_;
    return start_process(sub { exec qw(setpriv --pdeathsig KILL), @command or die "setpriv: $!" });
}

# Ends such programs, all if none is named. What the test itself has waited for is over, and its number
# may be another process's by now.
sub end_work {
    my @pids = grep { waitpid($_, WNOHANG) == 0 } @_ ? @_ : @work;
    kill KILL => @pids;
    waitpid $_, 0 for @pids;
}

# A process with that command line, in bytes, and a name that is its beginning, when it has them.
sub start_titled {
    my ($title, $run) = @_;
    my $pid = start_process(sub {
        $0 = $title;
        $run->();
    });
    wait_for(sub { slurp_or_empty("/proc/$pid/comm") ne slurp_or_empty("/proc/$$/comm") });
    return $pid;
}

# A process that runs in every interval, with any name, in characters.
sub start_named {
    my ($name) = @_;
    utf8::encode($name);
    return start_titled($name, sub {
        while () {
            my $turns = 10_000;
            1 while $turns--;
            sleep 0.009;
        }
    });
}

sub countertop_command {
    # A recording stands still, so that tests move in it.
    my @still = (grep { $_ eq '--replay' } @_) && !(grep { $_ eq '--play' || $_ eq '-b' } @_) ? ('--play', 0) : ();
    return join ' ', 'countertop', map { "'$_'" } @still, @_;
}

# Screen->new(width, height, command): the command runs in a shell of its own.
sub new {
    my ($class, $width, $height, $command) = @_;
    my $self = bless {socket => "countertop-$$-" . ++$servers}, $class;
    # The pane outlives the command, so that what it wrote at its end is to be seen.
    local $ENV{TMUX};
    delete $ENV{TMUX};
    open my $answer, '-|', 'tmux', '-u', '-L', $self->{socket}, '-f', '/dev/null', 'new-session', '-d',
        '-P', '-F', '#{pid}', '-x', $width, '-y', $height, "$command; read wait" or die "tmux: $!";
    chomp(my $server = readline($answer) // die "no tmux\n");
    $open{$self->{socket}} = {server => $server};
    return $self;
}

# Screen->countertop(width, height, arguments...)
sub countertop {
    my ($class, $width, $height, @arguments) = @_;
    return $class->new($width, $height, countertop_command(@arguments));
}

# An interactive shell with a prompt that is easy to know, and text on the screen before anything else.
sub shell {
    my ($class, $width, $height) = @_;
    my $self = $class->new($width, $height, "PS1='ready> ' sh");
    $self->wait(qr/^ready>/m) or die "no shell";
    return $self;
}

# A press of the left button, or a turn of the wheel, at a cell from 1; `times` of them at once, so
# that two are quick on a busy machine, too.
sub press {
    my ($self, $x, $y, $button, $times) = @_;
    $self->type(sprintf("\e[<%d;%d;%dM", $button // 0, $x, $y) x ($times // 1));
}

# The first place of a pattern, as soon as it is there: column and line from 1.
sub place {
    my ($self, $pattern) = @_;
    my @place;
    my $find = sub {
        my $y = 0;
        for my $line (split /\n/, $_[0]) {
            $y++;
            return @place = ($-[0] + 1, $y) if $line =~ $pattern;
        }
        return 0;
    };
    $self->wait($find) or die "no $pattern to press";
    return @place;
}

# Presses where a pattern stands until the screen matches another: what is pressed may have moved
# since it was seen.
sub press_until {
    my ($self, $pattern, $wanted) = @_;
    for (1 .. 5) {
        $self->press($self->place($pattern));
        my $end = time + 5;
        wait_for(sub { $self->text =~ $wanted || time > $end });
        return 1 if $self->text =~ $wanted;
    }
    return $self->wait($wanted);
}

# Runs a command of tmux and returns what it prints. The commands of a screen go through one client in
# control mode (tmux(1), CONTROL MODE): a process for each look at the screen took half of a CPU.
sub tmux {
    my ($self, @command) = @_;
    $self->connect if !$self->{client};
    my ($in, $out) = @{$self->{client}};
    my $line = join ' ', map { "'" . s/'/'\\''/gr =~ s/\n/'\\n'/gr . "'" } @command;
    utf8::encode($line) if utf8::is_utf8($line);
    print $in "$line\n";
    # Blocks that answer no command of ours have the flag 0.
    my ($number, $output);
    while (defined(my $answer = readline $out)) {
        if (!defined $number) {
            ($number, $output) = ($1, '') if $answer =~ /^%begin \d+ (\d+) 1$/;
        } elsif ($answer =~ /^%(?:end|error) \d+ $number /) {
            return decode('UTF-8', $output);
        } else {
            $output .= $answer;
        }
    }
    delete $self->{client}; # the server has ended
    return '';
}

sub connect {
    my ($self) = @_;
    local $ENV{TMUX};
    delete $ENV{TMUX};
    # Nothing but the pipes of its own: who waits for the end of the test's output does not wait for it.
    my $pid = open2(my $out, my $in, qw(sh -c), 'exec "$@" 2>/dev/null', 'sh',
        'tmux', '-u', '-L', $self->{socket}, '-C', 'attach-session', '-f', 'ignore-size,no-output');
    $self->{client} = [$in, $out];
    $open{$self->{socket}}{client} = $pid;
    $in->autoflush;
}

sub close {
    my ($self) = @_;
    local ($?, $SIG{PIPE}) = (0, 'IGNORE');
    my $open = delete $open{$self->{socket}} // return;
    if ($open->{client}) {
        # Processes of start_named() have its pipes, too, so it would not see their end.
        kill KILL => $open->{client};
        waitpid $open->{client}, 0;
    }
    system('tmux', '-L', $self->{socket}, 'kill-server');
    # tmux 3.5 has been seen to stay, waiting for its client.
    my $end = time + 5;
    sleep 0.01 while runs($open->{server}) && time < $end;
    kill KILL => $open->{server} if runs($open->{server});
}

sub DESTROY {
    $_[0]->close;
}

# Keys by tmux's names (F1, Enter, Escape, C-l, Down ...); text is typed letter by letter.
sub key {
    my ($self, @keys) = @_;
    $self->tmux('send-keys', @keys);
}

sub type {
    my ($self, $text) = @_;
    $self->tmux('send-keys', '-l', '--', $text);
}

# Waits for a prompt, and answers it with a text in place of what it begins with.
sub answer {
    my ($self, $prompt, $text) = @_;
    $self->wait($prompt) or return 0;
    $self->key('C-u');
    $self->type($text);
    $self->key('Enter');
    return 1;
}

sub resize {
    my ($self, $width, $height) = @_;
    $self->tmux('resize-window', '-x', $width, '-y', $height);
}

sub text {
    return $_[0]->tmux('capture-pane', '-p');
}

# With the sequences that colour it.
sub colored {
    return $_[0]->tmux('capture-pane', '-p', '-e');
}

# The first line that matches, as {reverse, background}: how its first letter is shown. Sequences
# hold on beyond the ends of lines.
sub style_of {
    my ($self, $pattern) = @_;
    my %style = (reverse => 0, background => 0);
    for my $line (split /\n/, $self->colored) {
        my %first;
        while ($line =~ /\G(?:\e\[([\d;]*)m|([^\e]))/g) {
            if (!defined $1) {
                %first = %style if !%first && $2 ne ' ';
                next;
            }
            my @codes = split /;/, $1 eq '' ? '0' : $1;
            while (defined(my $code = shift @codes)) {
                splice @codes, 0, 2 if $code == 38;
                %style = (reverse => 0, background => 0) if $code == 0;
                $style{reverse} = 1 if $code == 7;
                $style{background} = 0 if $code == 49;
                $style{background} = $code if $code =~ /^(?:4[0-7]|10[0-7])$/;
                $style{background} = 'n' . (splice @codes, 0, 2)[1] if $code == 48;
            }
        }
        return \%first if $line =~ s/\e\[[\d;]*m//gr =~ $pattern;
    }
    return {};
}

# Whether the row of that pid is under the cursor: unlike the others, which have no background.
sub is_selected {
    my ($self, $pid) = @_;
    my $style = $self->style_of(qr/^[*>+.]? *$pid /);
    return $style->{reverse} || $style->{background};
}

# Moves the cursor to the row of a pid by its digits, as soon as there is one: under load a task may
# not run in an interval.
sub choose {
    my ($self, $pid) = @_;
    return wait_for(sub {
        $self->key('Home');
        $self->type($pid);
        for (1 .. 10) {
            return 1 if $self->is_selected($pid);
            sleep 0.03;
        }
        return 0;
    });
}

# Until the screen matches a pattern, or a sub says yes to it. Tells what it saw if it never does.
sub wait {
    my ($self, $wanted) = @_;
    my $text = '';
    my $found = wait_for(sub {
        $text = $self->text;
        return ref $wanted eq 'CODE' ? $wanted->($text) : $text =~ $wanted;
    });
    if ($found) {
        $self->settle;
    } else {
        print STDERR $text =~ s/^/#   /gmr;
    }
    return $found;
}

# What a sub reads from the screen, as soon as that is what is expected; or what it read last. A table
# is not whole when its first lines are there.
sub reads {
    my ($self, $read, $expected) = @_;
    my $same = ref $expected eq 'HASH' ? \&Test::More::eq_hash : \&Test::More::eq_array;
    my $seen;
    $self->wait(sub { $same->($seen = $read->($_[0]), $expected) });
    return $seen;
}

# Waits until nothing has changed for 10 ms, and the program waits: a terminal shows a frame's first lines
# before its last ones, and who waited for a title would look for the line of keys too early. Not for ever,
# since some programs never rest.
sub settle {
    my ($self) = @_;
    my $last = $self->text;
    for (1 .. 50) {
        my $rests = $self->rests;
        sleep 0.01;
        my $text = $self->text;
        return if $text eq $last && $rests;
        $last = $text;
    }
}

# Whether the thread that draws waits for something; also if there is no program. A shell is not the program
# as long as it has a child.
sub rests {
    my ($self) = @_;
    my $pid = $self->{shell} //= $self->tmux('display-message', '-p', '#{pane_pid}') =~ s/\s//gr;
    while (slurp_or_empty("/proc/$pid/comm") =~ /^(?:ba|da)?sh$/) {
        my ($child) = slurp_or_empty("/proc/$pid/task/$pid/children") =~ /(\d+) *$/;
        $pid = $child // last;
    }
    return slurp_or_empty("/proc/$pid/stat") !~ /\) [RD] /;
}

# The pane's terminal, as ps names it.
sub tty {
    my ($self) = @_;
    my ($tty) = $self->tmux('display-message', '-p', '#{pane_tty}') =~ m{^/dev/(\S+)};
    return $tty;
}

# The text of a screen on which nothing is to move, once all of it is there and its programs wait: a busy
# machine may stop the terminal for longer within a frame than settle() waits.
sub still {
    my ($self) = @_;
    my $tty = $self->tty;
    my ($text, $since) = ('', time);
    wait_for(sub {
        my $now = $self->text;
        ($text, $since) = ($now, time) if $now ne $text || `ps -L -t $tty -o stat=` =~ /^[RD]/m;
        return time - $since > 0.3;
    });
    return $text;
}

# The pid of the program of that name in the pane.
sub pid_of {
    my ($self, $name) = @_;
    my $tty = $self->tty;
    my $pid;
    wait_for(sub { ($pid) = `ps -t $tty -o pid=,comm=` =~ /^ *(\d+) \Q$name\E$/m });
    return $pid // die "no $name in the pane";
}

# The titles as they stand, with their marks.
sub titles {
    my ($text) = @_;
    my ($line) = $text =~ /^(.*\bCOMMAND\b.*?)(?: +>)?$/m; # and a mark of hidden columns
    return split ' ', $line // '';
}

# The rows of the table as [{title => cell, ...}, ...].
sub rows {
    my ($text) = @_;
    $text =~ s/^(.{90,}?) *│.*/$1/mg; # a row beside the table
    my ($titles, $table) = $text =~ /^([^\n]*\bCOMMAND\b[^\n]*)\n(.*)/ms;
    my $trend = index $titles // '', 'TREND'; # its cells may be blank
    my @texts; # columns whose titles and cells have spaces
    push @texts, [$-[1], length $1] while ($titles // '') =~ /\b((?:TAKEN BY|WAITS FOR) *)/g;
    my @titles = map { s/^[<>▼▲v^](?=.)//r =~ s/[<>▼▲]$//r } map { split /(?<=.)[<>]/ } titles($text =~ s/(TAKEN|WAITS) (?=BY|FOR)/$1_/gr);
    my @rows;
    for my $line (split /\n/, $table // '') {
        substr($line, $trend, 8) =~ tr/ /./ if $trend > 0 && length $line > $trend + 8;
        for my $text (grep { length $line > $_->[0] + $_->[1] } @texts) {
            my ($cell, $gap) = substr($line, $text->[0], $text->[1]) =~ /^(.*?)( *)$/;
            substr($line, $text->[0], $text->[1]) = $cell =~ tr/ /_/r . $gap;
        }
        my @cells = split ' ', $line, scalar @titles;
        next if @cells < @titles || $cells[0] !~ /^\d+$/;
        my %row;
        @row{@titles} = @cells;
        $row{COMMAND} =~ s/ {2,}.*//; # the command line of a wide screen
        push @rows, \%row;
    }
    return @rows;
}

sub pids {
    return map { $_->{PID} } rows($_[0]);
}

# Ending by a signal is an end like any other: nothing is left behind.
$SIG{$_} = sub { exit 1 } for qw(HUP INT PIPE TERM);
my $owner = $$;

END {
    local $?;
    return if $$ != $owner;
    end_work();
    (bless {socket => $_}, __PACKAGE__)->close for keys %open;
}

1;
