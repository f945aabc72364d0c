#!/usr/bin/env perl
# Completion by real bash, fish and zsh in a terminal: candidates, and the completed line.
use Countertop qw(countertop run);
use Screen;

my $dir = tempdir(CLEANUP => 1);
$ENV{XDG_CONFIG_HOME} = $dir;
my %script = (bash => "$dir/countertop.bash", fish => "$dir/countertop.fish", zsh => "$dir/_countertop");
for my $shell (sort keys %script) {
    my $run = countertop('--completion', $shell);
    is("$run->{status}$run->{err}", 0, "--completion $shell ends well and says nothing");
    open my $file, '>', $script{$shell} or die $!;
    print $file $run->{out};
    close $file;
    is(run($shell, '-n', $script{$shell})->{err}, '', "$shell can read it");
}
like(countertop('--completion', 'tcsh')->{err}, qr/'tcsh' for --completion: expected bash, fish or zsh/,
    'other shells are refused');

open my $rc, '>', "$dir/bashrc" or die $!;
print $rc "PS1='ready> '\nbind 'set show-all-if-ambiguous on'\nbind 'set page-completions off'\n"
    . "bind 'set completion-query-items 0'\nbind 'set bell-style none'\n. $script{bash}\n";
close $rc;
open $rc, '>', "$dir/.zshrc" or die $!;
print $rc "PS1='ready> '\nfpath=($dir \$fpath)\nautoload -Uz compinit\ncompinit -u -D\n"
    . "unsetopt beep list_beep\nsetopt auto_list\nunsetopt list_ambiguous auto_menu\nLISTMAX=9999\n";
close $rc;
open my $file, '>', "$dir/some-output.txt" or die $!;
close $file;
mkdir "$dir/some-folder";

my %command = (
    bash => "cd $dir && bash --noprofile --rcfile $dir/bashrc -i",
    fish => "cd $dir && HOME=$dir fish --no-config -i -C 'function fish_prompt; echo -n \"ready> \"; end; set -U fish_greeting; "
        . "set fish_autosuggestion_enabled 0; source countertop.fish'",
    zsh => "cd $dir && ZDOTDIR=$dir zsh -d -i",
);

# Types a line with a Tab at its end in a fresh line: what then is on the screen, from there on.
sub completes {
    my ($screen, $name, $line, @patterns) = @_;
    $screen->key('C-u', 'C-l');
    $screen->wait(qr/\A\s*ready> *\n*\z/);
    $screen->type($line);
    $screen->wait(sub { index($_[0], $line) >= 0 });
    $screen->key('Tab');
    for my $pattern (@patterns) {
        ok($screen->wait($pattern), "$name: $line<Tab>: $pattern");
    }
}

for my $shell (qw(bash fish zsh)) {
    my $screen = Screen->new(160, 50, $command{$shell});
    ok($screen->wait(qr/^ready>/m), "$shell is there");
    my @completes = ($screen, $shell);
    completes(@completes, 'countertop --list-s', qr/^ready> countertop --list-screens$/m);
    completes(@completes, 'countertop --no-', qr/--no-color/, qr/--no-mouse/, qr/--no-config/);
    completes(@completes, 'countertop --mode k', qr/^ready> countertop --mode kernel$/m);
    completes(@completes, 'countertop --mode=k', qr/^ready> countertop --mode=kernel$/m);
    completes(@completes, 'countertop --view c', qr/\bcpus\b/, qr/\bcommands\b/, qr/\bcgroups\b/);
    completes(@completes, 'countertop -b --format op', qr/--format openmetrics$/m);
    completes(@completes, 'countertop -s sof', qr/^ready> countertop -s software$/m);
    completes(@completes, 'countertop --theme high', qr/--theme high-contrast$/m);
    completes(@completes, 'countertop --sort faults', qr/--sort faults_per_s$/m);
    # A word that begins with a minus is an option for fish.
    my $between = $shell eq 'fish' ? '=' : ' ';
    completes(@completes, "countertop --sort$between-faults", qr/--sort$between-faults_per_s$/m);
    completes(@completes, 'countertop -e page-', qr/-e page-faults$/m);
    completes(@completes, 'countertop -e cpu-clock,page-', qr/-e cpu-clock,page-faults$/m);
    completes(@completes, 'countertop -u nobo', qr/-u nobody$/m);
    completes(@completes, 'countertop -b -o some-o', qr/-o some-output\.txt$/m);
    completes(@completes, 'countertop -W some-', qr/-W some-folder\/$/m);
    my $pid = start_named("nam$shell");
    completes(@completes, "countertop -p nam$shell" =~ s/..\z//r, qr/-p nam$shell$/m);
    completes(@completes, "countertop -p 1,$pid" =~ s/.\z//r, qr/\b1,$pid\b|\b$pid\b/);
    completes(@completes, 'countertop -b -- tou', qr/-- touch$/m);
    completes(@completes, 'countertop -b -- cat some-o', qr/-- cat some-output\.txt$/m);
    $screen->close;
}

done_testing;
