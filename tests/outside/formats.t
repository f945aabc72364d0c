#!/usr/bin/env perl
# An interval has the same numbers in every format: recordings are replayed as JSON, CSV,
# OpenMetrics, text and on a terminal, and queried with sqlite3. Each is read by an independent
# reader (jq, Text::CSV, sqlite3, Prometheus), and compared cell by cell with jq's result.
use Countertop;
use Screen;
use HTTP::Tiny;
use IO::Socket::INET;
use List::Util qw(max sum0);
use Text::CSV;

my $dir = tempdir(CLEANUP => 1);
my $intervals = 3;

sub spew {
    my ($path, $text) = @_;
    open my $file, '>:raw', $path or die "$path: $!";
    print $file $text;
    close $file;
}

sub output {
    my $run = run(@_);
    die "@_: status $run->{status}: $run->{err}" if $run->{status} || $run->{err} ne '';
    return $run->{out};
}

# Numbers are the same however they are written; no number is ''.
sub value {
    my ($text) = @_;
    return !defined $text ? '' : $text =~ /^-?\d[\d.]*(?:[eE][+-]?\d+)?$/ ? 0 + $text : $text;
}

# Each reader returns {"interval kind id"}{field} with kind task, cpu, idle, unattributed, total.

sub by_jq {
    my ($file, @options) = @_;
    my $program = <<'END';
select(.type == "refresh") | .seq as $n |
def cells($kind; $id): (
    (.counts | to_entries[]),
    (.coverage | to_entries[] | .key |= "coverage:" + .),
    (.metrics // {} | to_entries[]),
    (to_entries[] | select(.key == ("oncpu", "comm", "user")))
) | [$n, $kind, $id, .key, .value];
(.tasks[] | cells("task"; "\(.pid)/\(.tid)")),
(.cpus[] | cells("cpu"; .cpu)),
(("idle", "unattributed", "total") as $book | .[$book] | cells($book; "")) | @tsv
END
    spew("$dir/json", output('countertop', '-b', '--format', 'json', '--replay', $file, @options));
    my %rows;
    for (split /\n/, output('jq', '-r', $program, "$dir/json")) {
        my ($n, $kind, $id, $field, $value) = split /\t/;
        $rows{"$n $kind $id"}{$field} = value($value);
    }
    return \%rows;
}

sub records {
    my ($text) = @_;
    my $reader = Text::CSV->new({binary => 1, strict => 1});
    open my $file, '<', \$text or die $!;
    $reader->header($file, {munge_column_names => 'none'});
    my @records;
    while (my $record = $reader->getline_hr($file)) {
        push @records, {map { $_ => value($record->{$_}) } keys %$record};
    }
    die 'no CSV: ' . $reader->error_diag if !$reader->eof;
    return @records;
}

sub by_csv {
    my ($file) = @_;
    my %rows;
    for my $row (records(output(qw(countertop -b -H --format csv --replay), $file))) {
        my $id = $row->{kind} eq 'task' ? "$row->{pid}/$row->{tid}" : $row->{cpu};
        # Coverage is told of all events here, elsewhere of those alone that were counted in part.
        delete @$row{grep { /^coverage:/ && $row->{$_} eq '1' } keys %$row};
        $rows{"$row->{seq} $row->{kind} $id"} = $row;
    }
    return \%rows;
}

sub by_sqlite {
    my ($file) = @_;
    my %id = (
        task_counts => sub { "task $_->{pid}/$_->{tid}" },
        cpu_counts => sub { "cpu $_->{cpu}" },
        summary => sub { "$_->{kind} " },
    );
    my %rows;
    for my $view (keys %id) {
        $rows{"$_->{interval} " . $id{$view}->()} = $_
            for records(output('sqlite3', '-csv', '-header', $file, "SELECT * FROM $view"));
    }
    return \%rows;
}

# Rows of those kinds with only those fields.
sub part {
    my ($rows, $kinds, @fields) = @_;
    my %part;
    for my $key (grep { /^\d+ (?:$kinds) / } keys %$rows) {
        $part{$key}{$_} = $rows->{$key}{$_} // '' for @fields;
    }
    return \%part;
}

# What counters of Prometheus grew by from text to text: {"interval kind name"}{event}, without what
# stayed as it was.
sub by_openmetrics {
    my (@texts) = @_;
    my (%rows, %before);
    for my $n (1 .. @texts) {
        my $text = $texts[$n - 1];
        my %event = reverse $text =~ /^countertop_event_info\{event="([^"]+)".*metric="(\w+)"/mg;
        while ($text =~ /^(countertop_)(tasks_)?(\w+)\{(cpu|kind)="(\w+)"(?:,command="(.*)")?\} (\S+)$/mg) {
            my ($label, $kind, $name, $value) = ($4, $5, $6 // '', $7);
            my $event = $event{"$1$3"} // next;
            $name =~ s/\\(.)/$1/g;
            $value = sprintf '%.0f', $value * 1e9 if $event eq 'task-clock'; # it is in seconds
            my $key = $label eq 'cpu' ? "cpu $kind" : "$kind $name";
            my $more = $value - ($before{"$key $event"} // 0);
            $before{"$key $event"} = $value;
            $rows{"$n $key"}{$event} = $more if $more;
        }
    }
    return \%rows;
}

# The same from rows of processes: sums of those with a name, and of what has none in the total.
sub by_command {
    my ($rows, @events) = @_;
    my %sums;
    for my $key (keys %$rows) {
        my ($n, $kind, $id) = $key =~ /^(\d+) (\w+) (.*)/;
        for my $event (@events) {
            my $count = $rows->{$key}{$event} || 0;
            my $name = $kind eq 'task' ? $rows->{$key}{comm} : $id;
            $sums{"$n $kind $name"}{$event} += $count if $kind ne 'total';
            # Estimates do not balance.
            next if $kind eq 'cpu' || exists $rows->{"$n total "}{"coverage:$event"};
            $sums{"$n other "}{$event} += $kind eq 'total' ? $count : -$count;
        }
    }
    for my $row (values %sums) {
        delete @$row{grep { !$row->{$_} } keys %$row};
    }
    delete @sums{grep { !%{$sums{$_}} } keys %sums};
    return \%sums;
}

# Cells of a row as people are shown them: the rules of view/format.h, with all digits.

sub decimal {
    my ($number, $decimals) = @_;
    return sprintf "%.${decimals}f", int($number * 10**$decimals + 0.5) / 10**$decimals;
}

# What has a unit has three digits, and one decimal at most: none if it is a whole number. Thousands have a prefix.
sub milliseconds {
    my ($number) = @_;
    return sprintf('%.2fk', $number / 1000) if $number >= 999.5;
    return $number && $number < 0.05 ? '<0.1' : decimal($number, $number < 9.95 && $number != int $number);
}

sub cells {
    my ($row, @events) = @_;
    my %estimate = map { $_ => ($row->{"coverage:$_"} // '') ne '' } @events;
    my @cells = decimal($row->{cpu_pct}, 1);
    for my $event (@events) {
        my $count = $row->{$event};
        $count = milliseconds($count / 1e6) if $event eq 'task-clock';
        push @cells, $count eq '' ? '-' : $count . ($estimate{$event} ? '~' : '');
    }
    if (exists $row->{ipc}) {
        my $missing = grep { $row->{$_} eq '' } qw(cycles instructions);
        my $mark = $estimate{cycles} || $estimate{instructions} ? '~' : '';
        push @cells, $missing ? '-' : $row->{ipc} eq '' ? 'n/a' : decimal($row->{ipc}, 2) . $mark;
    }
    return join ' ', @cells, $row->{comm} // ();
}

# The same of a table shown: {id}, the cells joined; without %COV, which is there when events took
# turns, and without HEAT and the sum of all CPUs.
sub table {
    my ($kind, $count, $text) = @_;
    my %lines;
    my ($titles, $table) = $text =~ /^([ ▲▼]*(?:CPU|PID) [^\n]*)\n(.*)/ms;
    for (split /\n/, $table // '') {
        my @cells = split ' ', $_, 2 + $count + ($titles =~ /%COV/) + ($kind eq 'task');
        last if !@cells || $cells[0] !~ /^(\d+|all)$/;
        my ($id, $second) = splice @cells, 0, 2;
        splice @cells, $count, 1 if $titles =~ /%COV/;
        $id .= "/$second" if $kind eq 'task';
        $lines{$id} = join(' ', @cells) =~ s/ +$//r if $id ne 'all';
    }
    return \%lines;
}

# What tables should show of an interval.
sub wanted {
    my ($rows, $n, $kind, @events) = @_;
    return {map { /^$n $kind (.*)/ ? ($1 => cells($rows->{$_}, @events)) : () } keys %$rows};
}

sub check_tables {
    my ($base, $file, $kind, @events) = @_;
    my $ipc = grep { $_ eq 'cycles' } @events;
    my $count = 1 + @events + $ipc;
    my $columns = join ' ', qw(pid tid cpu_pct), @events, $ipc ? 'ipc' : (), 'command';
    my $widths = join ' ', map { "$_:11" } @events;
    spew("$dir/table.ini", "[screen table]\nevents = " . join(',', @events) .
        "\ncolumns = $columns\nwidths = $widths\n");
    my @options = (qw(-s table --exact --show interval -W), $dir, '--replay', $file,
        $kind eq 'cpu' ? ('--view', 'cpus') : '-H');
    my @pages = split /\n\n/, output(qw(countertop -b), @options);
    my $screen = Screen->countertop(200, 50, @options);
    $screen->key('_'); # the table has all columns to itself
    for my $n (1 .. $intervals) {
        my $wanted = wanted($base, $n, $kind, @events);
        is_deeply(table($kind, $count, $pages[$n - 1]), $wanted, "... interval $n: ${kind}s as text");
        $screen->key('.') if $n > 1;
        # Ended tasks of one name are one row there.
        my $shown = $screen->reads(sub {
            my $rows = table($kind, $count, $_[0]);
            for my $name ($_[0] =~ /^ *\x{d7}\d+ .*?(\S+) +\(ended/mg) {
                $rows->{$_} //= $wanted->{$_} for grep { $wanted->{$_} =~ / \Q$name\E$/ } keys %$wanted;
            }
            return $rows;
        }, $wanted);
        is_deeply($shown, $wanted, '... on a terminal');
    }
    $screen->close;
}

# One recording, everywhere: its texts for Prometheus, and what jq read of processes.
sub check_recording {
    my ($name, $file) = @_;
    my $base = by_jq($file, '-H');
    my @events = split /\n/, output('jq', '-r', 'select(.events) | .events[].name', "$dir/json");
    is(max(map { /^(\d+)/ } keys %$base), $intervals, "$name: all intervals");
    my @coverage = map { "coverage:$_" } @events;
    my %fields = map { %$_ } @$base{grep { / task / } keys %$base};
    my $others = 'cpu|idle|unattributed|total';

    my $csv = by_csv($file);
    is_deeply(part($csv, 'task', keys %fields), part($base, 'task', keys %fields),
        '... tasks in CSV: all that is told of them');
    is_deeply(part($csv, $others, @events, @coverage), part($base, $others, @events, @coverage),
        '... CPUs and the books in CSV');
    my $sqlite = by_sqlite($file);
    my @known = (@events, qw(oncpu comm user));
    is_deeply(part($sqlite, 'task', @known), part($base, 'task', @known), '... tasks in SQL');
    # Counters of Prometheus make up in a later interval for what a group missed in one.
    my %scaled = map { map { /^coverage:(.*)/ ? ($1 => 1) : () } keys %$_ } values %$base;
    my @exact = grep { !$scaled{$_} } @events;
    is_deeply(part($sqlite, $others, @events), part($base, $others, @events), '... CPUs and the books in SQL');
    check_tables($base, $file, $_, @events) for qw(task cpu);

    my $processes = by_jq($file);
    my $out = output(qw(countertop -b --format openmetrics --replay), $file);
    my @texts = split /^# EOF\n/m, $out;
    my $counters = by_openmetrics(@texts);
    delete @$_{keys %scaled} for values %$counters;
    delete @$counters{grep { !%{$counters->{$_}} } keys %$counters};
    is_deeply($counters, by_command($processes, @exact),
        '... counters: commands, CPUs and the books');
    spew("$dir/text", "$texts[-1]# EOF\n");
    is(output('sh', '-c', "promtool check metrics <$dir/text"), '', '... promtool takes them');
    return ($processes, @texts);
}

# Events that take turns on the counters of another machine, tasks that were met by none of them, and
# names that CSV and labels have to quote.
my $turns = "$ENV{TOP}/tests/data/recording/turns.db";
my ($processes, @texts) = check_recording('turns', $turns);
my @tasks = map { $processes->{$_} } grep { / task / } keys %$processes;
for my $case (['estimates', sub { ($_->{'coverage:cycles'} // '') ne '' }],
        ['exact counts', sub { $_->{cycles} ne '' && !exists $_->{'coverage:cycles'} }],
        ['what was not counted', sub { $_->{cycles} eq '' }],
        ['a name with quotes', sub { $_->{comm} eq 'odd,"name" x' }]) {
    my ($what, $is) = @$case;
    ok((grep { $is->() } @tasks), "$what: there are such tasks");
}

# Software events of this machine, of tasks that come and go.
my $spin = start(qw(spin -n 2));
my $births = start('sh', '-c', 'while :; do sleep 0.1; done');
output(qw(countertop -b -n), $intervals, qw(-d 0.3 --engine cpu -e), '{minor-faults,task-clock}', '-p',
    "$spin->{pid},$births->{pid}", '--record', "$dir/here.db", '-o', '/dev/null');
stop($_) for $spin, $births;
check_recording('here', "$dir/here.db");

# Prometheus: its own importer reads the texts, each with the time at which it would have been read,
# and its server answers a query for IPC.
my $first = time - 600;
my $history = '';
for my $n (1 .. @texts) {
    my $at = $first + 15 * $n;
    $history .= $texts[$n - 1] =~ s/^(countertop_.*)$/$1 $at/mgr;
}
spew("$dir/history", "$history# EOF\n");
like(output('promtool', 'tsdb', 'create-blocks-from', 'openmetrics', "$dir/history", "$dir/tsdb"),
    qr/BLOCK ULID/, 'Prometheus imports the texts');
spew("$dir/prometheus.yml", "global: {}\n");
my $own = '127.0.0.1:' . IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
my $prometheus = start('sh', '-c', "exec prometheus --config.file=$dir/prometheus.yml " .
    "--storage.tsdb.path=$dir/tsdb --web.listen-address=$own >$dir/prometheus.log 2>&1");

# The values of a query by command, at the time of the last text.
sub query {
    my ($query) = @_;
    my $http = HTTP::Tiny->new(timeout => 100);
    my $asked = $http->www_form_urlencode({query => $query, time => $first + 15 * @texts});
    my $answer;
    wait_for(sub {
        $answer = $http->get("http://$own/api/v1/query?$asked");
        return $answer->{status} == 200;
    }) or diag $answer->{content};
    return {map { ($_->{metric}{command} // '') => $_->{value}[1] }
        @{(json_lines($answer->{content}))[0]{data}{result}}};
}
my %sum;
for my $key (grep { /^[2-9] task / } keys %$processes) {
    $sum{$processes->{$key}{comm}}{$_} += $processes->{$key}{$_} || 0 for qw(cycles instructions);
}
my $ipc = query('sum by (command) (rate(countertop_tasks_instructions_total{kind="task"}[1m])) / ' .
    'sum by (command) (rate(countertop_tasks_cycles_total{kind="task"}[1m]))');
for my $name ('calls', 'odd,"name" x') {
    my $wanted = $sum{$name}{instructions} / $sum{$name}{cycles};
    cmp_ok(abs(($ipc->{$name} // -1) - $wanted), '<', 1e-9, "IPC of '$name' in PromQL");
}
my $all = query('sum(countertop_tasks_page_faults_total) - sum(countertop_page_faults_total)');
is($all->{''}, 0, '... and all together have what all CPUs counted');
stop($prometheus);
done_testing;
