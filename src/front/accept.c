#include "front/accept.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char BLANKS[] = " \t";

/* Takes the next part off a list, without blanks around it; NULL after the last. */
static char *next_part(char **list, const char *separator)
{
    char *part = strsep(list, separator);
    if (!part)
        return NULL;
    part += strspn(part, BLANKS);
    size_t length = strlen(part);
    while (length && strchr(BLANKS, part[length - 1]))
        part[--length] = '\0';
    return part;
}

/* The value of a parameter `key=value`, without quotes; NULL if the key differs. */
static char *accept_value_of(char *parameter, const char *key)
{
    size_t length = strlen(key);
    if (strncasecmp(parameter, key, length) != 0 || parameter[length] != '=')
        return NULL;
    char *value = parameter + length + 1;
    if (*value == '"') {
        value++;
        value[strcspn(value, "\"")] = '\0';
    }
    return value;
}

/* The weight of a media range, 0 to 1; 0 for unknown versions of OpenMetrics. */
static double weight(char *parameters, bool openmetrics)
{
    double weight = 1;
    char *parameter, *value;
    while ((parameter = next_part(&parameters, ";"))) {
        if ((value = accept_value_of(parameter, "q")))
            weight = str_to_double(value, &weight) && weight >= 0 && weight <= 1 ? weight : 0;
        else if (openmetrics && (value = accept_value_of(parameter, "version")) &&
                 strcmp(value, "1.0.0") != 0 && strcmp(value, "0.0.1") != 0)
            return 0;
    }
    return weight;
}

bool accept_openmetrics(const char *accept)
{
    char *copy = mem_strdup(accept ? accept : ""), *list = copy, *range;
    double openmetrics = 0, plain = 0;
    while ((range = next_part(&list, ","))) {
        char *type = next_part(&range, ";");
        bool wanted = strcasecmp(type, "application/openmetrics-text") == 0;
        double *best = wanted ? &openmetrics : &plain;
        if (!wanted && strcasecmp(type, "text/plain") != 0)
            continue;
        double found = weight(range, wanted);
        *best = found > *best ? found : *best;
    }
    free(copy);
    return openmetrics > 0 && openmetrics >= plain;
}
