#!/bin/sh
# The Makefile and tests/lib/deps: what each target builds, with how many jobs, and the messages
# when something is missing.
. "$TOP/tests/lib/tap.sh"

# What make is told here must not come from the make that runs the tests.
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES CPPFLAGS CFLAGS LDFLAGS PKG_CONFIG

# A build directory that is not there: all would be built.
would() {
    run make -sn -C "$TOP" B="$TMP/none" "$@"
}

# What `make check T=NAMES` would build; `make test` where there is a second word.
parts() {
    would "${2:-check}" T="$1"
    printf '%s\n' "$out" | awk -v main="$TMP/none" '
        function built(in_it, name) { if (index($0, " -o " in_it)) seen[name] = 1 }
        { built(main "/countertop ", "program"); built(main "/unit/", "unit"); built(main "/live/", "live"); built(main "/work/", "helpers") }
        / B=build-asan / { split($0, word, "build-asan OPT=.-O1 -g1 -fno-omit-frame-pointer. | \\\\")
            seen["asan(" word[2] ")"] = 1 }
        / B=build-fuzz / { seen["fuzz"] = 1 }
        / B=build-arm64 / { seen["arm64"] = 1 }
        /tests\/pmu\/sysroot/ { seen["sysroot"] = 1 }
        END { for (name in seen) print name }' | LC_ALL=C sort | tr '\n' ' '
}

is "$(parts unit)" 'unit ' 'unit tests need themselves'
is "$(parts unit/err_test)" 'unit ' '... also one of them'
is "$(parts cli/json.t)" 'helpers program ' 'tests of the command line need the program and what it watches'
is "$(parts tests/tui/)" 'helpers program ' '... those of the terminal, too'
is "$(parts 'unit cli')" 'helpers program unit ' 'names add up'
is "$(parts fuzz)" 'fuzz ' 'fuzzers need themselves'
is "$(parts asan/cli)" 'asan(build unit helpers) ' 'tests with sanitizers need a build with them'
is "$(parts 'asan fuzz')" 'asan(build unit helpers) fuzz ' '... and names add up'
is "$(parts '' test)" 'helpers program unit ' 'make test needs no other compiler and no emulated machine'
emulated=
if grep -qs '^ID=debian' /etc/os-release; then
    emulated='arm64 '
    is "$(parts pmu/ipc.t)" 'arm64 helpers program sysroot ' 'the emulated machine has its own'
else
    skip 'the emulated machine is made of Debian packages' 'the emulated machine has its own'
fi
is "$(parts '')" "${emulated}asan(build unit helpers) fuzz helpers live program ${emulated:+sysroot }unit " \
    'make check builds all'
unlike "$out" '(^|[ ;&|])git ' '... and nothing needs git'

would build helpers CPPFLAGS=-DGIVEN
is "$(printf '%s\n' "$out" | grep -E ' -o [^ ]*(\.o|/work/[a-z]+) ' | grep -vc -e '-DGIVEN')" 0 \
    'CPPFLAGS reach every compiler'
would V=1
like "$out" '^cc .* -c ' '... which is called without'

# A screen or a theme that is removed must not stay compiled in.
would -p build
like "$(printf '%s\n' "$out" | grep '/obj/embedded\.c:')" ' src/screens themes ' \
    'screens and themes are compiled in again when one of their files is removed'

# As many jobs as CPUs, but for those who say how many.
jobs() {
    printf 'include Makefile\nprobe:\n\t@echo $(filter -j%%,$(MAKEFLAGS))\n' >"$TMP/probe.mk"
    run env "$@" -s -C "$TOP" -f "$TMP/probe.mk" probe
    printf %s "$out$err"
}
is "$(jobs make)" "-j$(nproc)" 'as many jobs as CPUs'
is "$(jobs make -j3)" -j3 '... or as many as one says'
is "$(jobs MAKEFLAGS=-j3 make)" -j3 '... also in the environment'
printf 'include Makefile\nouter:\n\t@+$(MAKE) -C %s -f %s/probe.mk probe\n' "$TOP" "$TMP" >"$TMP/outer.mk"
run make -s -C "$TOP" -f "$TMP/outer.mk" outer
is "$out$err" "-j$(nproc)" '... and makes below share them'

# What is missing is said in one line, not by a compiler.
for missing in PKG_CONFIG CC; do
    run make -s -C "$TOP" B="$TMP/none" $missing="$TMP/absent"
    is "$status $(printf '%s\n' "$err" | grep -v '^make')" \
        "2 cannot build: packages are missing; 'make deps' installs them" "without $missing"
done

mkdir "$TMP/stub"
printf '#!/bin/sh\n' >"$TMP/stub/countertop"
chmod 755 "$TMP/stub/countertop"
run make -s -C "$TOP" -o build B="$TMP/stub" run PREFIX=/opt/x
is "$out$err" "that was $TMP/stub/countertop; 'make install' puts it into /opt/x/bin" \
    'make run says where the program is'

# ---- what is missing is installed ----

# Debian's apt-get, which does nothing but tell; and whoever is not root.
command=$(command -v make)
mkdir -p "$TMP/bin" "$TMP/tree/tests/lib"
cp "$TOP/tests/lib/deps" "$TMP/tree/tests/lib/"
deps=$TMP/tree/tests/lib/deps
cat >"$TMP/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$TMP/called"
case "\$*" in
    *download*prometheus) cp "$TMP/prometheus.deb" . ;;
    *download*nginx) cp "$TMP/nginx.deb" . ;;
    *download*golang*) cp "$TMP/golang-9.9-go.deb" . ;;
    *download*) exit 100 ;;
esac
END
printf '#!/bin/sh\necho 1000\n' >"$TMP/bin/id"
chmod 755 "$TMP/bin"/*
for program in sh dirname find sort grep nproc cat cp ls uname; do
    ln -s "$(command -v $program)" "$TMP/bin/"
done
if PATH=/usr/local/sbin:/usr/sbin:/sbin command -v sudo >/dev/null; then
    skip 'sudo is where it is always found' 'without sudo'
    skip 'sudo is where it is always found' '... nothing is called'
else
    run env PATH="$TMP/bin" "$command" -s -C "$TOP" deps
    zydis=
    case $(uname -m) in x86_64 | i?86) zydis=' libzydis-dev' ;; esac
    packages="gcc libc6-dev pkg-config libncurses-dev libsqlite3-dev libelf-dev libdw-dev zlib1g-dev libjansson-dev libiberty-dev$zydis libpfm4-dev"
    is "$status $(printf '%s\n' "$err" | grep -v '^make')" "2 deps: cannot install: run this as root:
    apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $packages" \
        'without sudo make deps says what root has to run'
    ok '... and tries nothing' test ! -e "$TMP/called"
fi

# Servers are taken out of packages that would start them.
if command -v dpkg-deb >/dev/null; then
    for made in prometheus/usr/bin/prometheus prometheus/usr/bin/promtool nginx/usr/sbin/nginx \
        golang-9.9-go/usr/lib/go-9.9/pkg/tool/any/pprof; do
        package=${made%%/*} program=${made##*/}
        mkdir -p "$TMP/$package/DEBIAN" "$TMP/${made%/*}"
        printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: none\n' \
            "$package" >"$TMP/$package/DEBIAN/control"
        echo "$program, fetched" >"$TMP/$made"
        chmod 755 "$TMP/$made"
    done
    dpkg-deb -b "$TMP/prometheus" "$TMP/prometheus.deb" >/dev/null
    dpkg-deb -b "$TMP/nginx" "$TMP/nginx.deb" >/dev/null
    dpkg-deb -b "$TMP/golang-9.9-go" "$TMP/golang-9.9-go.deb" >/dev/null
    # All other programs are as they are here.
    mkdir "$TMP/all"
    ln -s /bin/* /usr/bin/* "$TMP/all/" 2>/dev/null
    rm -f "$TMP/all/prometheus" "$TMP/all/promtool" "$TMP/all/nginx" "$TMP/all/go" "$TMP/all/apt-cache" "$TMP/all/sudo"
    printf '#!/bin/sh\necho "  Depends: golang-9.9-go"\n' >"$TMP/all/apt-cache"
    chmod 755 "$TMP/all/apt-cache"
    cp "$TMP/bin/apt-get" "$TMP/bin/id" "$TMP/all/" --remove-destination
    run env PATH="$TMP/all" sh "$deps" check
    is "$status$err" 0 'make check-deps fetches servers'
    is "$(cat "$TMP/tree/build-tools"/*)" 'nginx, fetched
pprof, fetched
prometheus, fetched
promtool, fetched' '... into the tree'
    unlike "$(cat "$TMP/called")" install '... and installs nothing'
    run env PATH="$TMP/all" sh "$deps" check
    is "$status$out$err" 0 '... and once only'
else
    skip 'no Debian packages here' 'make check-deps fetches servers'
fi
done_testing
