#!/usr/bin/env perl
# Completion for bash, fish and zsh is written; bash's is tried without a terminal.
use Countertop;

my $dir = tempdir(CLEANUP => 1);
my %script = map { $_ => "$dir/$_" } qw(bash fish zsh);
for my $shell (sort keys %script) {
    my $run = countertop('--completion', $shell);
    is("$run->{status}$run->{err}", 0, "--completion $shell ends well and says nothing");
    Countertop::write_file($script{$shell}, $run->{out});
}
is(run('bash', '-n', $script{bash})->{err}, '', 'bash can read it');
like(countertop('--completion', 'tcsh')->{err}, qr/'tcsh' for --completion: expected bash, fish or zsh/,
    'other shells are refused');

# What bash offers for the last of some words.
sub offered {
    my @words = @_;
    my $line = join ' ', @words;
    my $run = run('bash', '-c', '. "$1"; shift; COMP_LINE=$1; COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); '
        . 'COMP_CWORD=$(($# - 1)); _countertop countertop; printf "%s\n" "${COMPREPLY[@]}"', 'bash', $script{bash}, $line, @words);
    return sort split /\n/, $run->{out};
}

# Every option of the help is offered.
my @options = countertop(qw(--help all))->{out} =~ /^  (?:-., |    )(--[a-z-]+)/mg;
is_deeply([offered('countertop', '--')], [sort '--', @options], 'bash: all options');
is_deeply([offered(qw(countertop --mode k))], ['kernel'], '... values of an option');
is_deeply([offered(qw(countertop -s sof))], ['software'], '... names of screens');
is_deeply([offered(qw(countertop -e page-))], ['page-faults'], '... names of events');
my $specs = do { open my $zsh, '<', $script{zsh} or die $!; local $/; readline $zsh };
is_deeply([grep { $specs !~ /\Q$_\E=?\[/ } @options], [], 'zsh: all options');

done_testing;
