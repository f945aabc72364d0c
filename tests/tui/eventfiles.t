#!/usr/bin/env perl
# F7 shows events of an event file with all that the file says; a metric of it is a column.
use Countertop;
use Screen;

my $own = tempdir(CLEANUP => 1);
mkdir "$own/events" or die "$own: $!";
open my $file, '>', "$own/events/own.json" or die "$own: $!";
print $file <<'END';
[
    {"EventName": "KETTLE.BOILED", "EventCode": "0x3c", "UMask": "0x2", "BriefDescription": "Water that boiled",
     "PublicDescription": "Counts each kettle once, whatever its size."},
    {"MetricName": "quarter", "MetricExpr": "page\\-faults * 25 / page\\-faults", "ScaleUnit": "1%"}
]
END
close $file;
open my $ini, '>', "$own/own.ini" or die "$own: $!";
print $ini "[screen own]\nevents = page-faults\ncolumns = page-faults quarter\n";
close $ini;

start_work('sh', '-c', 'while :; do /bin/true; done'); # has page faults
my $screen = Screen->countertop(100, 30, '-W', $own, '-s', 'own', '-d', 0.3);
ok($screen->wait(qr/^.* quarter\b/m), 'a metric of the file is a column');
ok($screen->wait(qr/ 25\.0 /), '... with values');
$screen->key('F7');
$screen->wait(qr/^Search events: /m);
$screen->type('kettle');
ok($screen->wait(qr/^event file '\Q$own\E\/events\/own\.json'\n \S+ +KETTLE\.BOILED +Water that boiled$/m),
    'the catalogue has the event below its file');
ok($screen->wait(qr/^terms +event=0x3c,umask=0x2$/m), '... its terms');
like($screen->text, qr/^description +Counts each kettle once, whatever its size\.$/m, '... and its description');
$screen->close;
done_testing;
