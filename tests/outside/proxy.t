#!/usr/bin/env perl
# The manual's example of a proxy, as it stands but for paths and the port: nginx encrypts, asks for a
# password, and reads the metrics from a socket in the file system.
use Countertop;
use IO::Socket::INET;
use Time::HiRes 'sleep';

sub has {
    return run('sh', '-c', "command -v $_[0]")->{status} == 0;
}
for (qw(nginx openssl)) {
    plan skip_all => "'$_' is not here (make test-deps)" if !has($_);
}
plan skip_all => 'nginx does not run here' if run('nginx', '-v')->{status};
my $dir = tempdir(CLEANUP => 1);
my $port = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;

my $page = slurp("$ENV{TOP}/src/cli/countertop.1");
my ($example) = $page =~ /^\.EX\n(server \{\n.*?\n\})\n\.EE$/ms;
ok($example, 'the manual has an example') or done_testing, exit;
is($example =~ s{/etc/nginx/}{$dir/}g, 3, '... with a certificate, its key and users');
is($example =~ s{listen 9465 ssl}{listen 127.0.0.1:$port ssl}, 1, '... a port');
is($example =~ s{/run/countertop\.socket}{$dir/socket}, 1, '... and a socket');

my $made = run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', 2,
    '-keyout', "$dir/countertop.key", '-out', "$dir/countertop.crt");
is($made->{status}, 0, 'a certificate');
chomp(my $hash = run('openssl', 'passwd', '-apr1', 'secret')->{out});
my %files = ('countertop.users' => "prometheus:$hash\n", 'nginx.conf' => <<END);
daemon off;
pid $dir/pid;
@{[$> == 0 ? 'user root;' : '']}
events {}
http {
    access_log off;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;
    $example
}
END
for (keys %files) {
    open my $file, '>', "$dir/$_" or die $!;
    print $file $files{$_};
    close $file;
}
open my $old, '>&', \*STDERR or die $!;
open STDERR, '>', "$dir/messages" or die $!;
my $server = start(qw(countertop -b -s software -d 0.1 --listen), "unix:$dir/socket");
my $proxy = start('nginx', '-e', "$dir/error", '-c', "$dir/nginx.conf");
open STDERR, '>&', $old;

# The status of an answer over TLS, and all of it.
sub ask {
    my ($header) = @_;
    my $request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n$header\r\n";
    my $out = run('sh', '-c', "printf '%b' '$request' | openssl s_client -quiet -verify_return_error " .
        "-CAfile $dir/countertop.crt -verify_hostname localhost -connect 127.0.0.1:$port -ign_eof")->{out};
    return ($out =~ m{\AHTTP/1\.1 (\d+) } ? $1 : '', $out);
}
my ($status, $text) = ('', '');
my $password = 'Authorization: Basic cHJvbWV0aGV1czpzZWNyZXQ=' . "\r\n";
for (1 .. 300) {
    ($status, $text) = ask($password);
    last if $text =~ /^countertop_refreshes_total/m;
    sleep 0.1;
}
is($status, 200, 'who has the password is answered') or diag slurp("$dir/error");
like($text, qr/^countertop_refreshes_total [1-9].*^# EOF$/ms, '... with the metrics, whole');
is((ask(''))[0], 401, 'who has none is not');
is((ask("Authorization: Basic cHJvbWV0aGV1czp3cm9uZw==\r\n"))[0], 401, '... nor who has another');
stop($server);
is((ask($password))[0], 502, 'without countertop the proxy says so');
stop($proxy);
done_testing;
