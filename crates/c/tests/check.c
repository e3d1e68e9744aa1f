/* Every kind of failure, seen from C: the code, the message, and nothing lost or used twice.
 * Run by tests/examples.rs with the address and undefined-behavior sanitizers: check FOLDER */
#include <pellucid.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(PellucidStatus got, PellucidStatus wanted, const char *words, int line) {
    const char *message = pellucid_last_message();
    if (got != wanted || strstr(message, words) == NULL || (wanted == PELLUCID_STATUS_OK && *message)) {
        fprintf(stderr, "line %d: status %d, message \"%s\"; expected %d and \"%s\"\n", line, (int)got,
                message, (int)wanted, words);
        exit(1);
    }
}
#define EXPECT(call, status, words) expect((call), PELLUCID_STATUS_##status, (words), __LINE__)
#define HOLDS(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static bool cancel_soon(double fraction, const char *step, size_t iteration, void *user) {
    (void)fraction, (void)step, (void)iteration;
    return ++*(int *)user < 3;
}

static void clouds(const char *folder) {
    const double xyz[6] = {0, 0, 0, 1, 2, 3}, moved[6] = {1, 1, 1, 2, 2, 2};
    PellucidCloud *cloud = (PellucidCloud *)xyz;
    EXPECT(pellucid_cloud_new(NULL, 2, &cloud), ARGUMENT, "xyz is NULL");
    HOLDS(cloud == NULL);
    EXPECT(pellucid_cloud_new(xyz, 2, NULL), ARGUMENT, "out is NULL");
    EXPECT(pellucid_cloud_new(xyz, (size_t)-1, &cloud), ARGUMENT, "more than memory can hold");
    EXPECT(pellucid_cloud_new(NULL, 0, &cloud), OK, "");
    HOLDS(pellucid_cloud_points(cloud) == 0);
    pellucid_cloud_free(cloud);

    EXPECT(pellucid_cloud_new(xyz, 2, &cloud), OK, "");
    HOLDS(pellucid_cloud_points(cloud) == 2 && memcmp(pellucid_cloud_positions(cloud), xyz, sizeof xyz) == 0);
    EXPECT(pellucid_cloud_set_positions(cloud, moved, 1), ARGUMENT, "1 positions were given");
    EXPECT(pellucid_cloud_set_positions(cloud, moved, 2), OK, "");
    HOLDS(memcmp(pellucid_cloud_positions(cloud), moved, sizeof moved) == 0);

    size_t width = 0;
    double values[4] = {0};
    const double given[4] = {1, 2, 3, 4};
    EXPECT(pellucid_cloud_attribute_width(cloud, "uv", &width), ARGUMENT, "no attribute \"uv\"; it has: none");
    EXPECT(pellucid_cloud_set_attribute(cloud, "uv", given, 0), ARGUMENT, "width of 0");
    EXPECT(pellucid_cloud_set_attribute(cloud, "\xff", given, 2), ARGUMENT, "not UTF-8");
    EXPECT(pellucid_cloud_set_attribute(cloud, "uv", given, 2), OK, "");
    EXPECT(pellucid_cloud_attribute_width(cloud, "uv", &width), OK, "");
    HOLDS(width == 2 && pellucid_cloud_attributes(cloud) == 1);
    HOLDS(strcmp(pellucid_cloud_attribute_name(cloud, 0), "uv") == 0);
    HOLDS(pellucid_cloud_attribute_name(cloud, 1) == NULL);
    EXPECT(pellucid_cloud_attribute(cloud, "uv", values, 2), ARGUMENT, "has 4 values, 2 were asked for");
    EXPECT(pellucid_cloud_attribute(cloud, "uv", values, 4), OK, "");
    HOLDS(memcmp(values, given, sizeof given) == 0);

    char path[4096];
    snprintf(path, sizeof path, "%s/two.ply", folder);
    EXPECT(pellucid_cloud_write(cloud, path, false), OK, "");
    EXPECT(pellucid_cloud_write(cloud, path, false), INPUT, "two.ply");
    EXPECT(pellucid_cloud_write(cloud, path, true), OK, "");
    PellucidDenoised *result = NULL;
    EXPECT(pellucid_denoise(cloud, NULL, &result), INPUT, "needs at least");
    HOLDS(result == NULL);
    pellucid_cloud_free(cloud);
    EXPECT(pellucid_cloud_read(path, &cloud), OK, "");
    /* PLY has no pairs: the attribute comes back as one or two. */
    HOLDS(pellucid_cloud_points(cloud) == 2 && pellucid_cloud_attributes(cloud) >= 1);
    pellucid_cloud_free(cloud);
    EXPECT(pellucid_cloud_read("no such file.ply", &cloud), INPUT, "no such file.ply");
    HOLDS(cloud == NULL);
}

static void options(void) {
    PellucidOptions *options = NULL;
    EXPECT(pellucid_options_new("nls", NULL, &options), ARGUMENT, "no method \"nls\"");
    EXPECT(pellucid_options_new("mls", "fast", &options), ARGUMENT, "no preset \"fast\"");
    EXPECT(pellucid_options_new("mls", NULL, &options), OK, "");
    EXPECT(pellucid_options_set(options, "nieghbors", "3"), ARGUMENT, "no parameter \"nieghbors\"");
    EXPECT(pellucid_options_set(options, NULL, "3"), ARGUMENT, "name is NULL");
    EXPECT(pellucid_options_set(NULL, "iterations", "3"), ARGUMENT, "options is NULL");
    EXPECT(pellucid_options_set(options, "iterations", "-3"), OK, "");
    const double xyz[3] = {0, 0, 0};
    PellucidCloud *cloud = NULL;
    PellucidDenoised *result = NULL;
    EXPECT(pellucid_cloud_new(xyz, 1, &cloud), OK, "");
    EXPECT(pellucid_denoise(cloud, options, &result), ARGUMENT, "iterations");
    EXPECT(pellucid_denoise(NULL, options, &result), ARGUMENT, "cloud is NULL");
    pellucid_cloud_free(cloud);
    pellucid_options_free(options);
}

static void cancelled(void) {
    double xyz[3 * 900];
    for (int i = 0; i < 900; i++) {
        xyz[3 * i] = i % 30, xyz[3 * i + 1] = i / 30, xyz[3 * i + 2] = (i * 7919 % 13) * 0.05;
    }
    int calls = 0;
    PellucidCloud *cloud = NULL;
    PellucidOptions *options = NULL;
    PellucidDenoised *result = NULL;
    EXPECT(pellucid_cloud_new(xyz, 900, &cloud), OK, "");
    EXPECT(pellucid_options_new("mls", NULL, &options), OK, "");
    EXPECT(pellucid_options_set(options, "iterations", "50"), OK, "");
    EXPECT(pellucid_options_set_threads(options, 2), OK, "");
    EXPECT(pellucid_options_set_progress(options, cancel_soon, &calls), OK, "");
    EXPECT(pellucid_denoise(cloud, options, &result), CANCELLED, "cancelled");
    HOLDS(result == NULL && calls == 3);
    EXPECT(pellucid_options_set_progress(options, NULL, NULL), OK, "");
    EXPECT(pellucid_options_set(options, "iterations", "1"), OK, "");
    EXPECT(pellucid_denoise(cloud, options, &result), OK, "");
    HOLDS(strstr(pellucid_denoised_report(result), "\"method\":\"mls\"") != NULL);
    HOLDS(strstr(pellucid_denoised_report(result), "\"iterations\":1") != NULL);
    HOLDS(pellucid_denoised_displacements(result)[450] >= 0);
    pellucid_denoised_free(result);
    pellucid_options_free(options);
    pellucid_cloud_free(cloud);
}

int main(int count, char **arguments) {
    HOLDS(count == 2);
    HOLDS(strstr(pellucid_methods(), "\"name\":\"auto\"") != NULL && strchr(pellucid_version(), '.') != NULL);
    clouds(arguments[1]);
    options();
    cancelled();
    /* NULL is no handle, and there is nothing to free. */
    HOLDS(pellucid_cloud_points(NULL) == 0 && pellucid_cloud_positions(NULL) == NULL);
    HOLDS(pellucid_cloud_attributes(NULL) == 0 && pellucid_cloud_attribute_name(NULL, 0) == NULL);
    HOLDS(pellucid_denoised_cloud(NULL) == NULL && pellucid_denoised_report(NULL) == NULL);
    HOLDS(pellucid_denoised_displacements(NULL) == NULL && isnan(pellucid_denoised_noise(NULL)));
    pellucid_cloud_free(NULL);
    pellucid_options_free(NULL);
    pellucid_denoised_free(NULL);
    puts("checked");
    return 0;
}
