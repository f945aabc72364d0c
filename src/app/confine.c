#include "app/program.h"
#include "system/sandbox.h"

/* SQLite opens files beside the recording, by its name without links. */
static void allow_recording(int rules, const char *path)
{
    AUTO_FREE char *real = realpath(path, NULL);
    char *name;
    for (size_t i = 0; real && (name = db_beside(real, i)); i++) {
        path_rules_add(rules, name, PATH_READ);
        free(name);
    }
    path_rules_add(rules, path, PATH_READ);
    path_rules_add(rules, "/dev/null", PATH_READ); /* instead of a log that is not there */
}

/* Files that are links to others count as if they were in the directory themselves. */
static void allow_folder(int rules, const char *path, enum path_access access)
{
    AUTO_FOLDER DIR *folder = opendir(path);
    path_rules_add(rules, path, access);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_type != DT_LNK)
            continue;
        AUTO_FREE char *name = mem_printf("%s/%s", path, entry->d_name);
        path_rules_add(rules, name, PATH_READ);
    }
}

/* The user's files, or those that are installed. NULL: none. */
static void allow_files(int rules, const char *path, enum path_access access)
{
    if (!path)
        return;
    AUTO_FREE char *events = mem_printf("%s/events", path);
    allow_folder(rules, path, access);
    allow_folder(rules, events, PATH_READ);
}

/* The directory of a file that is replaced. */
static void allow_folder_of(int rules, const char *path)
{
    AUTO_FREE char *target = file_target(path, NULL);
    char *slash = target ? strrchr(target, '/') : NULL;
    if (slash)
        slash[slash == target] = '\0';
    if (target)
        path_rules_add(rules, slash ? target : ".", PATH_WRITE);
}

static void allow_output(int rules, const struct options *options)
{
    struct stat status;
    if (!options->output)
        return;
    if (!options->recordings && options_format(options)->replaces) {
        allow_folder_of(rules, options->output);
    } else if (stat(options->output, &status) < 0) {
        file_close(file_create(options->output, O_WRONLY | O_CREAT | O_NONBLOCK, false, NULL));
    }
    path_rules_add(rules, options->output, PATH_WRITE);
}

/* A theme may be a path, also in the user's files. */
static void allow_theme(int rules, const struct options *options)
{
    struct config config;
    config_init(&config);
    if (!options->no_config) /* mistakes are told when the files are loaded */
        config_load(&config, options->directory, NULL);
    for (size_t i = 0; i < config.count; i++)
        if (str_equal(config.settings[i].spec->name, "theme"))
            path_rules_add(rules, config.settings[i].value, PATH_READ);
    if (options->theme)
        path_rules_add(rules, options->theme, PATH_READ);
    config_release(&config);
}

static void allow_user(int rules, const struct options *options)
{
    AUTO_FREE char *user = definitions_directory(options->directory), *themes = home_directory();
    if (user && !options->batch) {
        AUTO_FREE char *settings = mem_printf("%s/" CONFIG_OWN_FILE, user);
        file_make_directory(user, NULL); /* a failure is told when something is written there */
        allow_folder_of(rules, settings);
    }
    allow_files(rules, user, options->batch ? PATH_READ : PATH_WRITE);
    allow_files(rules, themes, PATH_READ);
    if (!options->batch)
        allow_theme(rules, options);
}

/* Directories of a variable with colons between them, or one. */
static void allow_variable(int rules, const char *name)
{
    AUTO_FREE char *value = mem_strdup(getenv(name));
    char *rest = value, *path;
    while ((path = strsep(&rest, ":")))
        if (*path)
            path_rules_add(rules, path, PATH_READ);
}

/* What the program and its libraries read wherever they run: the processor and its PMUs, terminals,
 * names of users, locales; programs, since the disassembler may be one. */
static void allow_system(int rules)
{
    static const char *const programs[] = {"/usr", "/lib",       "/lib64",
                                           "/bin", "/nix/store", "/gnu/store"};
    static const char *const read[] = {
        "/proc/self",        "/proc/cpuinfo",      "/proc/stat",       "/proc/sys",
        "/sys/bus",          "/sys/devices",       "/etc/passwd",      "/etc/group",
        "/etc/localtime",    "/etc/nsswitch.conf", "/etc/ld.so.cache", "/etc/terminfo",
        "/etc/locale.alias", "/var/lib/sss",       "/dev/urandom",     "/run/systemd/userdb"};
    static const char *const written[] = {"/dev/null", "/proc/self/fd/0", "/proc/self/fd/1",
                                          "/proc/self/fd/2"};
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        path_rules_add(rules, programs[i], PATH_EXECUTE);
    for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
        path_rules_add(rules, read[i], PATH_READ);
    for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
        path_rules_add(rules, written[i], PATH_WRITE);
    allow_variable(rules, "TERMINFO");
    allow_variable(rules, "TERMINFO_DIRS");
    const char *home = getenv("HOME");
    AUTO_FREE char *own = home ? mem_printf("%s/.terminfo", home) : NULL;
    if (own)
        path_rules_add(rules, own, PATH_READ);
}

bool confine_show(const struct options *options)
{
    int rules = path_rules_new(false);
    if (rules < 0)
        return false;
    AUTO_FREE char *share = home_share();
    allow_system(rules);
    allow_files(rules, share, PATH_READ);
    allow_user(rules, options);
    allow_output(rules, options);
    if (options->replay)
        allow_recording(rules, options->replay);
    if (options->baseline)
        allow_recording(rules, options->baseline);
    for (size_t i = 0; options->recordings && i < options->compared_count; i++)
        allow_recording(rules, options->compared[i]);
    return path_rules_enter(rules);
}

bool confine_read(const char *recording)
{
    int rules = path_rules_new(false);
    allow_recording(rules, recording);
    return path_rules_enter(rules);
}
