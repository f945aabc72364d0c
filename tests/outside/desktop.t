#!/bin/sh
# What desktops and software centres read is valid, by their own tools.
. "$TOP/tests/lib/tap.sh"

build=${B#"$TOP"/}
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES PREFIX DESTDIR
run make -C "$TOP" -o build B="$build" DESTDIR="$TMP" PREFIX=/usr APP_ID=org.example.countertop \
    APP_URL=https://example.org/countertop install
is "$status" 0 'make install succeeds'
run desktop-file-validate "$TMP/usr/share/applications/countertop.desktop"
is "$status$out$err" 0 'the entry of menus is valid'
run appstreamcli validate --no-net "$TMP/usr/share/metainfo/org.example.countertop.metainfo.xml"
is "$status" 0 'the metadata is valid'
done_testing
