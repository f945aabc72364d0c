#!/usr/bin/env perl
# The pictures of themes and of README.md show what the program draws now, and are small. `make pictures`
# makes them.
use Countertop;
use File::Basename;

my $folder = "$ENV{TOP}/themes";
my @themes = map { basename($_, '.theme') } sort glob "$folder/*.theme";
my @kept = map { s{^\Q$folder\E/|\.svg$}{}gr } sort(glob("$folder/*.svg"), glob "$folder/pictures/*.svg");
is_deeply([grep { !m{/} } @kept], \@themes, 'one of each theme');
my @shown = sort(slurp("$ENV{TOP}/README.md") =~ /\]\(themes\/([^)]*)\.svg\)/g);
is_deeply(\@shown, [sort 'dark', grep { m{/} } @kept], 'README.md shows the others');

my $run = run("$ENV{TOP}/tests/pictures", '--check');
is($run->{status}, 0, 'all can be drawn') or diag $run->{err};
is_deeply([sort split /\n/, $run->{out}], [sort map { "same $_" } @kept], 'they show what the program draws: make pictures')
    or diag $run->{err};
is_deeply([grep { -s "$folder/$_.svg" >= 100_000 } @kept], [], '... and are small');

done_testing;
