/* Denoises a file: denoise IN OUT [METHOD]
 *
 *     cc denoise.c $(pkg-config --cflags --libs pellucid) -o denoise
 */
#include <pellucid.h>
#include <stdio.h>

/* The share that was done at the last call; a run only goes forward. */
struct progress {
    double fraction;
    size_t calls;
};

static bool show(double fraction, const char *step, size_t iteration, void *user) {
    struct progress *progress = user;
    progress->calls++;
    if (fraction >= progress->fraction + 0.1) {
        progress->fraction = fraction;
        fprintf(stderr, "%3.0f %% %s, iteration %zu\n", 100 * fraction, step, iteration);
    }
    return true; /* false would end the run */
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: denoise IN OUT [METHOD]\n");
        return 2;
    }
    struct progress progress = {0, 0};
    PellucidCloud *noisy = NULL;
    PellucidOptions *options = NULL;
    PellucidDenoised *result = NULL;

    PellucidStatus status = pellucid_cloud_read(arguments[1], &noisy);
    if (status == PELLUCID_STATUS_OK)
        status = pellucid_options_new(count > 3 ? arguments[3] : NULL, NULL, &options);
    if (status == PELLUCID_STATUS_OK)
        status = pellucid_options_set_progress(options, show, &progress);
    if (status == PELLUCID_STATUS_OK)
        status = pellucid_denoise(noisy, options, &result);
    if (status == PELLUCID_STATUS_OK)
        status = pellucid_cloud_write(pellucid_denoised_cloud(result), arguments[2], false);

    if (status == PELLUCID_STATUS_OK)
        printf("%zu points, noise %g\n", pellucid_cloud_points(noisy), pellucid_denoised_noise(result));
    else
        fprintf(stderr, "error %d: %s\n", (int)status, pellucid_last_message());
    if (status == PELLUCID_STATUS_OK && progress.calls == 0)
        fprintf(stderr, "no progress was reported\n");

    pellucid_denoised_free(result);
    pellucid_options_free(options);
    pellucid_cloud_free(noisy);
    return status == PELLUCID_STATUS_OK ? 0 : 1;
}
