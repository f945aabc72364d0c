# The main() of a unit test FILE that has none: runs each function `static void NAME(void **state)`,
# between setup() and teardown() if the file or a header of tests/unit has them, all between begin() and end().
function look(path, line, parts) {
    while ((getline line < path) > 0) {
        if (line ~ /^#include "unit\//) {
            split(line, parts, "\"")
            look("tests/" parts[2])
        } else if (line ~ /^static (inline )?int (setup|teardown|begin|end|main)\(void/) {
            sub(/.* int /, "", line)
            sub(/\(.*/, "", line)
            has[line] = line
        } else if (line ~ /^int main\(void\)$/) {
            has["main"] = "main"
        } else if (line ~ /^static void [a-z0-9_]+\(void \*\*state\)$/) {
            sub(/^static void /, "", line)
            sub(/\(.*/, "", line)
            cases[++count] = line
        }
    }
    close(path)
}

function name_of(what) {
    return what in has ? what : "NULL"
}

BEGIN {
    look(FILE)
    printf "#include \"%s\"\n", substr(FILE, 7)
    if ("main" in has)
        exit
    print "int main(void)\n{\n    const struct CMUnitTest tests[] = {"
    for (i = 1; i <= count; i++)
        printf "        cmocka_unit_test_setup_teardown(%s, %s, %s),\n", cases[i], name_of("setup"), name_of("teardown")
    printf "    };\n    return cmocka_run_group_tests(tests, %s, %s);\n}\n", name_of("begin"), name_of("end")
}
