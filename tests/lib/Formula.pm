# Expressions of metrics, ours and perf's (tools/perf/Documentation/perf-list.txt, util/expr.y), as
# numbers. Made for tests: a mistake in one dies.
package Formula;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(formula);

my @binary = (['|'], ['^'], ['&'], ['<', '>'], ['+', '-'], ['*', '/', '%']); # from weak to strong

# The value of an expression. `name` gives that of a name (an event, another metric, #variable).
sub formula {
    my ($text, $name) = @_;
    my @tokens;
    for ($text) {
        while (/\G\s*(?=\S)/gc) {
            push @tokens,
                /\G'([^']*)'/gc                                              ? {name => $1}
                : /\G((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w.])/gc         ? {number => $1}
                : /\G(0x[0-9a-f]+)/gc                                        ? {name => $1}
                : /\G(#?[A-Za-z_](?:[\w.:]|\\[-,=]|(?<=[a-z])-(?=[a-z])|@(?:[^@\s]*@)?)*)/gc ? {name => $1 =~ s/\\//gr}
                : /\G([-+*\/()<>|&^%,])/gc                                   ? {sign => $1}
                :                                                              die "no token: $text";
        }
    }
    my $state = {tokens => \@tokens, name => $name, text => $text};
    my $value = choice($state);
    die "left over in $text" if @tokens;
    return $value;
}

sub sign {
    my ($state, @signs) = @_;
    my $next = $state->{tokens}[0] // return;
    return if !defined $next->{sign} || !grep { $_ eq $next->{sign} } @signs;
    return (shift @{$state->{tokens}})->{sign};
}

sub word {
    my ($state, $word) = @_;
    my $next = $state->{tokens}[0] // return;
    return if ($next->{name} // '') ne $word;
    return shift @{$state->{tokens}};
}

# A if C else B
sub choice {
    my ($state) = @_;
    my $value = operation($state, 0);
    return $value if !word($state, 'if');
    my $condition = operation($state, 0);
    word($state, 'else') or die "no else in $state->{text}";
    my $otherwise = choice($state);
    return $condition ? $value : $otherwise;
}

sub operation {
    my ($state, $level) = @_;
    return operand($state) if $level == @binary;
    my $left = operation($state, $level + 1);
    while (defined(my $sign = sign($state, @{$binary[$level]}))) {
        my $right = operation($state, $level + 1);
        $left =
              $sign eq '+' ? $left + $right
            : $sign eq '-' ? $left - $right
            : $sign eq '*' ? $left * $right
            : $sign eq '/' ? $left / $right
            : $sign eq '<' ? ($left < $right ? 1 : 0)
            : $sign eq '>' ? ($left > $right ? 1 : 0)
            : $sign eq '|' ? $left | $right
            : $sign eq '&' ? $left & $right
            : $sign eq '^' ? $left ^ $right
            :                $left % $right;
    }
    return $left;
}

sub operand {
    my ($state) = @_;
    return -operand($state) if sign($state, '-');
    if (sign($state, '(')) {
        my $value = choice($state);
        sign($state, ')') or die "no ) in $state->{text}";
        return $value;
    }
    my $token = shift @{$state->{tokens}} // die "too short: $state->{text}";
    return $token->{number} if defined $token->{number};
    my $name = $token->{name} // die "unexpected $token->{sign} in $state->{text}";
    return $state->{name}->($name) if !sign($state, '(');
    my @arguments;
    do { push @arguments, choice($state) } while sign($state, ',');
    sign($state, ')') or die "no ) in $state->{text}";
    return $arguments[1] ? $arguments[0] / $arguments[1] : 0 if $name eq 'd_ratio';
    return (sort { $a <=> $b } @arguments)[$name eq 'max' ? -1 : 0] if $name =~ /^(?:min|max)$/;
    return $arguments[0] if $name eq 'strcmp_cpuid_str';
    die "no function $name";
}

1;
