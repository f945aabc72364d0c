#include "app/host.h"
#include "system/cgroup.h"
#include "unit/test.h"

#include "fuzz/tree.h"

#define ID "4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e0a1b2c3d4f5e"

static void write_file(const char *path, const char *text)
{
    tree_write(path, text, strlen(text));
}

static void begin_tree(void)
{
    if (*tree_root)
        tree_remove();
    *tree_root = '\0';
}

/* Version 2 alone, as systemd mounts it, with two units, two slices of one name and a container. */
static int version_2(void **state)
{
    static const char *const directories[] = {
        "system.slice",
        "system.slice/ssh.service",
        "system.slice/docker-" ID ".scope",
        "user.slice",
        "user.slice/user-1000.slice/app.slice",
        "user.slice/user-1001.slice/app.slice",
    };
    begin_tree();
    write_file("/proc/self/mountinfo",
               "24 30 0:22 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
               "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 master:1 - cgroup2 cgroup2 rw\n"
               "torn line\n");
    write_file("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
        char path[512];
        snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.type", directories[i]);
        write_file(path, "domain\n");
        strcpy(strrchr(path, '/'), "/cgroup.controllers");
        write_file(path, "cpu\n");
    }
    write_file("/proc/10/cgroup", "0::/system.slice/ssh.service\n");
    write_file("/proc/11/cgroup", "0::/system.slice/docker-" ID ".scope/init\n");
    write_file("/proc/12/cgroup", "0::/\n");
    write_file("/proc/13/cgroup", "0::/system.slice/ssh.service2\n");
    write_file("/proc/14/cgroup", "0::/user.slice/system.slice/x\n");
    write_file("/proc/15/cgroup", "no colon\n1:cpu\n0:cpu:/a\n");
    return 0;
}

/* Version 1 with perf's controller among others, in a directory with a blank, and version 2
 * besides. */
static int version_1(void **state)
{
    begin_tree();
    write_file("/proc/self/mountinfo",
               "32 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
               "33 24 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
               "34 24 0:32 / /cg\\040v1/perf rw - cgroup cgroup rw,net_cls,perf_event\n"
               "35 24 0:33 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n");
    write_file("/cg v1/perf/release_agent", "");
    write_file("/cg v1/perf/docker/" ID "/cgroup.procs", "");
    write_file("/sys/fs/cgroup/cpu/docker/" ID "/cgroup.procs", "");
    write_file("/sys/fs/cgroup/unified/a.service/cgroup.type", "domain\n");
    write_file("/proc/20/cgroup", "5:cpu,cpuacct:/elsewhere\n3:net_cls,perf_event:/docker/" ID "\n"
                                  "1:name=systemd:/a.service\n0::/a.service\n");
    write_file("/proc/21/cgroup", "3:net_cls,perf_event:/\n1:name=systemd:/b.service\n0::/\n");
    write_file("/proc/22/cgroup", "3:net_cls,perf_event:/\n1:name=systemd:/b.service\n0::/c\n");
    return 0;
}

/* In a container without a namespace for cgroups: a part of the hierarchy is mounted as if it were
 * the whole, but paths are told from the top. */
static int container(void **state)
{
    begin_tree();
    write_file("/proc/self/mountinfo",
               "40 30 0:27 /docker/me /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    write_file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    write_file("/sys/fs/cgroup/cgroup.type", "domain\n");
    write_file("/sys/fs/cgroup/web/cgroup.type", "domain\n");
    write_file("/proc/30/cgroup", "0::/docker/me/web/worker\n");
    write_file("/proc/31/cgroup", "0::/docker/me\n");
    write_file("/proc/32/cgroup", "0::/docker/other/web\n");
    return 0;
}

static void expect_found(const char *given, const char *directory)
{
    struct err err = {""};
    char *found = cgroup_find(given, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(found, directory);
    free(found);
}

static void expect_refused(const char *given, const char *message)
{
    struct err err = {""};
    assert_null(cgroup_find(given, &err));
    assert_string_equal(err.text, message);
    assert_null(cgroup_find(given, NULL));
}

static void names_become_directories(void **state)
{
    static const char ssh[] = "/sys/fs/cgroup/system.slice/ssh.service";
    expect_found("system.slice/ssh.service", ssh);
    expect_found("/system.slice/ssh.service", ssh);
    expect_found("/sys/fs/cgroup/system.slice/ssh.service/", ssh);
    expect_found("system.slice//x/.././ssh.service", ssh);
    expect_found("ssh.service", ssh);
    expect_found("4f5e0a1b2c3d", "/sys/fs/cgroup/system.slice/docker-" ID ".scope");
    expect_found("/", "/sys/fs/cgroup/.");
    expect_found("/sys/fs/cgroup", "/sys/fs/cgroup/.");
    expect_found("../..", "/sys/fs/cgroup/.");
}

static void what_is_no_cgroup_is_refused(void **state)
{
    expect_refused("system.slice/sshd.service",
                   "unknown cgroup 'system.slice/sshd.service': expected a unit, a container "
                   "or a path below "
                   "'/sys/fs/cgroup'; nearest is 'system.slice/ssh.service'");
    expect_refused("nothing like it",
                   "unknown cgroup 'nothing like it': expected a unit, a container or a path below "
                   "'/sys/fs/cgroup'");
    expect_refused(
        "", "unknown cgroup '': expected a unit, a container or a path below '/sys/fs/cgroup'");
    struct err err;
    assert_null(cgroup_find("app.slice", &err));
    assert_non_null(
        strstr(err.text, "more than one cgroup 'app.slice': expected a path, such as "));
    write_file("/etc/passwd", "");
    expect_refused("/etc",
                   "cannot count '/etc': it is not in the hierarchy '/sys/fs/cgroup', which "
                   "perf counts by; expected a cgroup there");
}

static void processes_in_a_cgroup(void **state)
{
    static const char ssh[] = "/sys/fs/cgroup/system.slice/ssh.service";
    assert_true(cgroup_has(ssh, 10));
    assert_true(cgroup_has("/sys/fs/cgroup/system.slice", 10));
    assert_true(cgroup_has("/sys/fs/cgroup/system.slice", 11));
    assert_false(cgroup_has(ssh, 11));
    assert_false(cgroup_has(ssh, 12));
    assert_false(cgroup_has(ssh, 13));
    assert_false(cgroup_has("/sys/fs/cgroup/system.slice", 14));
    assert_false(cgroup_has("/sys/fs/cgroup/system.slice", 15));
    assert_false(cgroup_has("/sys/fs/cgroup/system.slice", 99));
    for (pid_t pid = 10; pid < 15; pid++)
        assert_true(cgroup_has("/sys/fs/cgroup/.", pid));
    assert_false(cgroup_has("/sys/fs/cgroup/.", 99));
    assert_false(cgroup_has("", 10));
}

static void the_root(void **state)
{
    assert_true(cgroup_is_root("/sys/fs/cgroup/."));
    assert_false(cgroup_is_root("/sys/fs/cgroup/system.slice"));
    assert_false(cgroup_is_root(""));
}

static void expect_path(pid_t pid, const char *expected)
{
    char path[CGROUP_PATH_SIZE];
    assert_true(cgroup_of(pid, path, sizeof(path)));
    assert_string_equal(path, expected);
}

static void paths_of_processes(void **state)
{
    char path[8];
    expect_path(10, "/system.slice/ssh.service");
    expect_path(12, "/");
    expect_path(15, "/");
    assert_true(cgroup_of(10, path, sizeof(path)));
    assert_string_equal(path, "/system");
    assert_false(cgroup_of(99, path, sizeof(path)));
    assert_string_equal(path, "");
}

static void perfs_own_hierarchy_comes_first(void **state)
{
    static const char docker[] = "/cg v1/perf/docker/" ID;
    expect_found("docker/" ID, docker);
    expect_found("4f5e0a1b2c3d", docker);
    expect_found(docker, docker);
    expect_refused("/sys/fs/cgroup/unified/a.service",
                   "cannot count '/sys/fs/cgroup/unified/a.service': it is not in the hierarchy "
                   "'/cg v1/perf', which perf counts by; expected a cgroup there");
    assert_true(cgroup_has(docker, 20));
    assert_false(cgroup_has(docker, 21));
    assert_true(cgroup_is_root("/cg v1/perf/."));
    expect_path(20, "/docker/" ID);
    expect_path(21, "/b.service");
    expect_path(22, "/c");
}

static void part_of_a_hierarchy(void **state)
{
    expect_found("web", "/sys/fs/cgroup/web");
    assert_true(cgroup_has("/sys/fs/cgroup/web", 30));
    assert_false(cgroup_has("/sys/fs/cgroup/web", 31));
    assert_false(cgroup_has("/sys/fs/cgroup/web", 32));
    assert_true(cgroup_has("/sys/fs/cgroup/.", 30));
    assert_true(cgroup_has("/sys/fs/cgroup/.", 31));
    assert_false(cgroup_has("/sys/fs/cgroup/.", 32));
    assert_false(cgroup_is_root("/sys/fs/cgroup/."));
}

static void nothing_mounted(void **state)
{
    write_file("/proc/self/mountinfo", "24 30 0:22 / /sys rw - sysfs sysfs rw\n");
    expect_refused("web", "cannot look for cgroup 'web': no hierarchy that perf counts by is "
                          "mounted: as root, run 'mount -t cgroup2 none /sys/fs/cgroup'");
    assert_false(cgroup_has("/sys/fs/cgroup/web", 30));
}

static void short_names(void **state)
{
    static const char *const names[][2] = {
        {"/", "/"},
        {"/system.slice/ssh.service", "ssh.service"},
        {"/system.slice/docker-" ID ".scope", "4f5e0a1b2c3d"},
        {"/docker/" ID, "4f5e0a1b2c3d"},
        {"/machine.slice/libpod-" ID ".scope/container", "4f5e0a1b2c3d"},
        {"/machine.slice/container", "container"},
        {"/docker/" ID "/system.slice", "system.slice"},
        {"/docker/" ID "0", ID "0"}, /* a digit too many */
        {"/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef", "pod0123456789ab"},
        {"/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice",
         "pod0123456789ab"},
        {"/kubepods-besteffort-pod0123.slice", "kubepods-besteffort-pod0123.slice"},
        {"/podman.service", "podman.service"},
        {"/sys/fs/cgroup/.", "/"},
        {"", "/"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char name[CGROUP_NAME_SIZE];
        cgroup_name(names[i][0], NULL, name, sizeof(name));
        assert_string_equal(name, names[i][1]);
    }
    char name[CGROUP_NAME_SIZE];
    cgroup_name("/docker/" ID, "web", name, sizeof(name));
    assert_string_equal(name, "web");
    cgroup_name("/machine.slice/libpod-conmon-" ID ".scope", "web", name, sizeof(name));
    assert_string_equal(name, "conmon-web");
}

static void expect_kernel_times(const char *path, const char *expected)
{
    struct cgroup_places places = {0};
    struct kernel_times times;
    char text[400] = "";
    cgroup_kernel_times(&places, path, &times);
    for (size_t i = CGROUP_TIME + 1; i < CGROUP_TIMES; i++) {
        uint64_t time;
        if (kernel_times_get(&times, i, &time))
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%llu ",
                     kernel_times_of_cgroup[i].column, (unsigned long long)time);
    }
    assert_string_equal(text, expected);
    cgroup_places_release(&places);
}

static void what_the_kernel_keeps(void **state)
{
    static const char service[] = "/sys/fs/cgroup/system.slice/ssh.service";
    char path[200];
    snprintf(path, sizeof(path), "%s/cpu.stat", service);
    write_file(path, "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 250\n");
    snprintf(path, sizeof(path), "%s/cpu.pressure", service);
    write_file(path, "some avg10=0.00 avg60=1.00 avg300=0.10 total=12\n"
                     "full avg10=0.00 avg60=1.00 avg300=0.10 total=11\n");
    snprintf(path, sizeof(path), "%s/io.pressure", service);
    write_file(path, "no numbers\n");
    expect_kernel_times("/system.slice/ssh.service", "throttled=250000 throttles=3 cpu_some=12000 "
                                                     "cpu_full=11000 ");
    write_file("/sys/fs/cgroup/system.slice/cpu.stat", "nr_throttled 5\nthrottled_usec 251\n");
    expect_kernel_times("/system.slice", "throttled=251000 throttles=5 ");
    expect_kernel_times("/user.slice", "");
    expect_kernel_times("/", "");
}

static bool service_cgroup(void *ctx, pid_t pid, char *path, size_t size)
{
    (void)ctx, (void)pid;
    snprintf(path, size, "/system.slice/ssh.service");
    return true;
}

static void limit_did(const char *path, unsigned throttles, unsigned us)
{
    char name[200], text[100];
    snprintf(name, sizeof(name), "/sys/fs/cgroup/%s/cpu.stat", path);
    snprintf(text, sizeof(text), "nr_throttled %u\nthrottled_usec %u\n", throttles, us);
    write_file(name, text);
}

static void expect_throttled(struct cgroup_watch *watch, uint64_t time, uint64_t count)
{
    static const struct view_lookup lookup = {.cgroup = service_cgroup};
    struct row process = {.pid = 1};
    struct frame frame = {.process_count = 1, .processes = &process};
    cgroup_watch_take(watch, &lookup, &frame);
    const struct cgroup_load *load = load_find_cgroup(&frame.load, "/system.slice/ssh.service");
    assert_int_equal(load ? load->kernel_times.time[CGROUP_THROTTLED] : 0, time);
    assert_int_equal(load ? load->kernel_times.time[CGROUP_THROTTLES] : 0, count);
    assert_int_equal(frame.load.cgroup_count, load ? 1 : 0);
    load_release(&frame.load);
}

/* In each interval the limit counts that held it back most in that one, its own or one above. */
static void limits_above(void **state)
{
    struct cgroup_watch watch = {0};
    limit_did("system.slice", 50, 5000000);
    limit_did("system.slice/ssh.service", 0, 0);
    expect_throttled(&watch, 0, 0); /* not known yet */
    limit_did("system.slice", 52, 5000700);
    limit_did("system.slice/ssh.service", 1, 100);
    expect_throttled(&watch, 700000, 2);
    limit_did("system.slice/ssh.service", 8, 900); /* that above is lifted */
    expect_throttled(&watch, 800000, 7);
    expect_throttled(&watch, 0, 0);
    cgroup_watch_release(&watch);
}

/* Version 1 says ns. */
static void what_version_1_keeps(void **state)
{
    write_file("/sys/fs/cgroup/cpu/a.service/cpu.stat",
               "nr_periods 7\nnr_throttled 3\nthrottled_time 250\n");
    write_file("/sys/fs/cgroup/unified/a.service/memory.pressure", "some avg10=0.00 total=4\n");
    expect_kernel_times("/a.service", "throttled=250 throttles=3 memory_some=4000 ");
}

static void count_odd(void *ctx, uint64_t id, const char *path)
{
    (void)id;
    *(int *)ctx += str_equal(path, "/..x") || strlen(path) == strlen("/d") * 50;
}

/* cgroup_each() has those in many others, and those whose names begin with dots. */
static void cgroups_with_odd_places(void **state)
{
    enum { DEPTH = 50 };
    char path[200] = "/sys/fs/cgroup";
    int found = 0;
    for (int i = 0; i < DEPTH; i++)
        strcat(path, "/d");
    strcat(path, "/cgroup.type");
    write_file(path, "domain\n");
    write_file("/sys/fs/cgroup/..x/cgroup.type", "domain\n");
    cgroup_each(count_odd, &found);
    assert_int_equal(found, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_become_directories, version_2),
        cmocka_unit_test_setup(what_is_no_cgroup_is_refused, version_2),
        cmocka_unit_test_setup(processes_in_a_cgroup, version_2),
        cmocka_unit_test_setup(the_root, version_2),
        cmocka_unit_test_setup(paths_of_processes, version_2),
        cmocka_unit_test_setup(perfs_own_hierarchy_comes_first, version_1),
        cmocka_unit_test_setup(part_of_a_hierarchy, container),
        cmocka_unit_test_setup(nothing_mounted, container),
        cmocka_unit_test_setup(what_the_kernel_keeps, version_2),
        cmocka_unit_test_setup(limits_above, version_2),
        cmocka_unit_test_setup(what_version_1_keeps, version_1),
        cmocka_unit_test_setup(cgroups_with_odd_places, version_2),
        cmocka_unit_test(short_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
