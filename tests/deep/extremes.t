#!/usr/bin/env perl
# Recordings with extreme numbers: each is shown as far as possible, or refused with a message, and
# none causes undefined behaviour (the build with sanitizers detects that).
use Countertop;
use File::Copy 'copy';

my $dir = tempdir(CLEANUP => 1);
my ($least, $most) = ('(-9223372036854775807 - 1)', '9223372036854775807');
my $spin = start('spin');
refreshes('-n', 6, '-d', 0.1, '--record', "$dir/run.db", '-s', 'software', '-p', $spin->{pid},
    qw(--engine cpu)); # until it has a row in `tasks`
stop($spin);

sub sql {
    my $run = run('sqlite3', @_);
    die "sqlite3 @_: $run->{err}" if $run->{status} || $run->{err} ne '';
    return split /\n/, $run->{out};
}

sub copy_with {
    my ($sql) = @_;
    copy("$dir/run.db", "$dir/copy.db") or die "copy.db: $!";
    sql("$dir/copy.db", $sql);
    return "$dir/copy.db";
}

# What a program says that ends well, or is refused.
sub sound {
    my ($run) = @_;
    return $run->{err} eq '' if $run->{status} == 0;
    return $run->{status} =~ /^[12]\z/ && $run->{err} =~ /^countertop: [^\n]+\n\z/;
}

my (@wrong, $shown);
for my $table (qw(runs sessions event_sets events intervals processes tasks task_packs texts
    cpu_rows)) {
    my @columns = sql("$dir/run.db",
        "SELECT name || ' ' || type FROM pragma_table_info('$table') WHERE type IN ('INTEGER', 'REAL')");
    for (@columns) {
        my ($column, $type) = split;
        for my $value ($type eq 'REAL' ? (-1e308, 1e308) : ($least, $most)) {
            # A key is changed in one row, all others are.
            my $one = $column eq 'id' ? " WHERE id = (SELECT max(id) FROM $table)" : '';
            my $file = copy_with("UPDATE OR IGNORE $table SET $column = $value$one");
            my @formats = (['csv'], ['text', '--show', 'total'], ['json'])[$shown++ % 3]->@*;
            my $run = countertop('-b', '-i', '--format', @formats, '--replay', $file);
            push @wrong, "$table.$column = $value: @formats: status $run->{status}: $run->{err}"
                if !sound($run);
        }
    }
}
is(join("\n", @wrong), '', "$shown recordings with an odd number are shown, or refused");
cmp_ok($shown, '>', 100, '... many');

# The run that is the least there is: its tasks are told apart as those of any other.
my $first = "UPDATE runs SET id = $least; UPDATE sessions SET run = $least; UPDATE tasks SET run = $least";
my (undef, @live) = refreshes('--replay', "$dir/run.db");
my (undef, @refreshes) = refreshes('--replay', copy_with($first));
cmp_ok(map({ scalar @{$_->{tasks}} } $refreshes[1]), '>', 0, 'the least number of a run has tasks');
is_deeply(\@refreshes, \@live, '... and is shown as any other');

# Nothing goes on behind the greatest number.
for my $table (qw(intervals task_packs cpu_rows processes tasks)) {
    my $file = copy_with("UPDATE $table SET id = $most WHERE id = (SELECT max(id) FROM $table)");
    my $run = countertop(qw(-b -n 1 -d 0.1 --record), $file);
    is("$run->{status}$run->{err}", "1countertop: cannot record to '$file': it is damaged; " .
        "choose another name, or --force replaces it\n", "a recording that ends with it: $table");
}
done_testing;
