#!/usr/bin/env perl
# --list-keys: every command of every pane with its keys and help, with the bindings of [keys].
use Countertop;
use File::Path 'make_path';

my $home = tempdir(CLEANUP => 1);
make_path("$home/countertop");
$ENV{XDG_CONFIG_HOME} = $home;

# [{pane, command, keys => [...], help}, ...] of what it writes.
sub keys_of {
    my $run = countertop('--list-keys', @_);
    is("$run->{status}$run->{err}", 0, "--list-keys @_ ends well and says nothing");
    my @lines;
    for (split /\n/, $run->{out}) {
        my ($pane, $command, $keys, $help) = /^(\S+) +(\S+)  +(\S+(?: \S+)*)  +(\S.*)$/ or die "crooked: $_";
        push @lines, {pane => $pane, command => $command, help => $help,
            keys => $keys eq '(none)' ? [] : [split / /, $keys]};
    }
    return @lines;
}

sub keys_for {
    my ($pane, $command, @lines) = @_;
    my ($line) = grep { $_->{pane} eq $pane && $_->{command} eq $command } @lines;
    return join ' ', @{$line->{keys}};
}

sub set_keys {
    my ($text) = @_;
    open my $file, '>', "$home/countertop/mine.ini" or die "mine.ini: $!";
    print $file "[keys]\n$text";
    close $file;
}

my @all = keys_of();
cmp_ok(@all, '>=', 45, 'there are many commands');
is(keys_for('table', 'quit', @all), 'q F10', 'a command with its keys');
is(keys_for('catalogue', 'toggle', @all), 'Enter', 'one of another pane');
is(keys_for('any', 'down', @all), 'Down j', 'one of every pane');
my ($quit) = grep { $_->{command} eq 'quit' } @all;
is($quit->{help}, 'leave', 'with what it does');

# Terminals and desktops keep function keys for themselves: F10 opens menus, F11 fills the screen.
is_deeply([map { "$_->{pane} $_->{command}" } grep { !grep { !/F\d+$/ } @{$_->{keys}} } @all], [],
    'each command has a key that is no function key');

set_keys("quit = ^Q F5\nfilter = ;x\n" =~ s/;x/Semicolon x/r);
my @mine = keys_of();
is(keys_for('table', 'quit', @mine), '^Q F5', 'keys of a file');
is(keys_for('table', 'filter', @mine), 'Semicolon x', '... one that begins comments by its name');
is(keys_for('table', 'remove-event', @mine), '', 'what had one of them by default loses it');
is(keys_for('any', 'down', @mine), 'Down j', 'all others are as they were');
is_deeply([keys_of('--no-config')], \@all, '--no-config: the default ones');
set_keys("pause =\n");
is(keys_for('any', 'pause', keys_of()), '', 'a command without keys');
set_keys("back = ^B\n");
@mine = keys_of();
is_deeply([map { "@{$_->{keys}}" } grep { $_->{command} eq 'back' } @mine],
    [('^B') x grep { $_->{command} eq 'back' } @all], 'a command in every pane that has it');

# ---- mistakes ----

for my $case (
    ["quit = q\nfliter = x\n", 3, qr/unknown command 'fliter': did you mean 'filter'\?/],
    ["quit = q\nxyzzy = x\n", 3, qr/unknown command 'xyzzy': see --list-keys/],
    ["quit = Foo\n", 2, qr/unknown key 'Foo': expected a character/],
    ["filter = x\n\nquit = y x\n", 4,
        qr/the key 'x' is bound to both 'filter' and 'quit' in the pane 'table'/],
    ["back = x\n", 2, qr/no key is left for 'back' in the pane 'prompt': where text is typed/],
    ["quit =\n", 2, qr/no key is left for 'quit' in the pane 'table'/],
) {
    my ($text, $line, $message) = @$case;
    set_keys($text);
    for my $arguments (['--list-keys'], ['-b', '-n', 1]) {
        my $run = countertop(@$arguments);
        is("$run->{status}$run->{out}", 2, "$message: @$arguments ends with status 2");
        like($run->{err}, qr{^countertop: \Q$home\E/countertop/mine\.ini:$line: $message.*; --no-config starts without it\n\z},
            '... and one line that names file and line');
    }
}
set_keys("filter = q F5\nback = ^X q\n");
is(keys_for('table', 'filter', keys_of()), 'q F5', 'the same key in other panes is no mistake');

done_testing;
