/* The C interface of pellucid, which denoises 3D point clouds.
 *
 * Functions that can fail return a PellucidStatus; pellucid_last_message says what was wrong, where, and what
 * to do. Handles are made by functions that take an address to put them at, and end with their ..._free.
 * A handle may be used by several threads as long as none of them changes it. Texts are UTF-8. */

#ifndef PELLUCID_H
#define PELLUCID_H

/* Made by cbindgen from crates/c/src; UPDATE_HEADER=1 cargo test -p pellucid-c makes it again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 What came of a call.
 */
typedef enum {
  /*
   Done.
   */
  PELLUCID_STATUS_OK = 0,
  /*
   An argument is missing, is no UTF-8, or names what is not there.
   */
  PELLUCID_STATUS_ARGUMENT = 1,
  /*
   A file or a cloud that cannot be used as it is, or an output that must not be written.
   */
  PELLUCID_STATUS_INPUT = 2,
  /*
   The work failed: a disk that is full, a file that cannot be read.
   */
  PELLUCID_STATUS_WORK = 3,
  /*
   The progress function returned false.
   */
  PELLUCID_STATUS_CANCELLED = 4,
  /*
   A fault of the library itself; please report it.
   */
  PELLUCID_STATUS_INTERNAL = 5,
} PellucidStatus;

/*
 A point cloud with its attributes, and what else its file held.
 */
typedef struct PellucidCloud PellucidCloud;

/*
 A denoised cloud and how it came about.
 */
typedef struct PellucidDenoised PellucidDenoised;

/*
 A method with its parameters, the seed, the number of threads and who watches.
 */
typedef struct PellucidOptions PellucidOptions;

/*
 Called now and then while a method runs, from a thread of the library, never twice at once: the share
 that is done (0 to 1), the step, the iteration (counted from 1; 0 where there is none), and the pointer
 that was given with it. Returns whether to continue; after false the run ends soon, as cancelled. It
 must not throw or jump out.
 */
typedef bool (*PellucidProgress)(double fraction, const char *step, size_t iteration, void *user);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the library, such as "0.1.0".
 */
const char *pellucid_version(void);

/*
 The table of methods as JSON: names, what they do, presets, parameters and defaults.
 */
const char *pellucid_methods(void);

/*
 Makes a cloud of `points` points; `xyz` has three numbers for each, one point after the other.

 # Safety
 `xyz` points to 3 * `points` numbers; the new handle is put at `out`.
 */
PellucidStatus pellucid_cloud_new(const double *xyz, size_t points, PellucidCloud **out);

/*
 Reads a file; its format is given by its extension and checked by its content.

 # Safety
 `path` is a text; the new handle is put at `out`.
 */
PellucidStatus pellucid_cloud_read(const char *path, PellucidCloud **out);

/*
 Writes a file, whole or not at all, in the format that its extension names. An existing file is
 replaced only if `overwrite`.

 # Safety
 `cloud` is a handle, `path` a text.
 */
PellucidStatus pellucid_cloud_write(const PellucidCloud *cloud, const char *path, bool overwrite);

/*
 The number of points; 0 for NULL.

 # Safety
 `cloud` is a handle or NULL.
 */
size_t pellucid_cloud_points(const PellucidCloud *cloud);

/*
 The positions, three numbers for each point; NULL for NULL. Valid until the cloud is changed or freed.

 # Safety
 `cloud` is a handle or NULL.
 */
const double *pellucid_cloud_positions(const PellucidCloud *cloud);

/*
 Moves all points of a cloud; `points` must be their number.

 # Safety
 `cloud` is a handle that nothing else uses meanwhile; `xyz` points to 3 * `points` numbers.
 */
PellucidStatus pellucid_cloud_set_positions(PellucidCloud *cloud, const double *xyz, size_t points);

/*
 The number of attributes; 0 for NULL.

 # Safety
 `cloud` is a handle or NULL.
 */
size_t pellucid_cloud_attributes(const PellucidCloud *cloud);

/*
 The name of an attribute, counted from 0; NULL if there are not as many. Valid until the cloud is
 changed or freed.

 # Safety
 `cloud` is a handle or NULL.
 */
const char *pellucid_cloud_attribute_name(const PellucidCloud *cloud, size_t index);

/*
 How many values each point has in an attribute.

 # Safety
 `cloud` is a handle, `name` a text; the number is put at `width`.
 */
PellucidStatus pellucid_cloud_attribute_width(const PellucidCloud *cloud, const char *name, size_t *width);

/*
 Copies an attribute, as double-precision numbers, one point after the other. `count` must be the number
 of points times the width of the attribute.

 # Safety
 `cloud` is a handle, `name` a text, and `values` points to `count` numbers.
 */
PellucidStatus pellucid_cloud_attribute(const PellucidCloud *cloud,
                                        const char *name,
                                        double *values,
                                        size_t count);

/*
 Adds an attribute in double precision, or replaces the one of that name.

 # Safety
 `cloud` is a handle that nothing else uses meanwhile, `name` a text, and `values` points to `width`
 numbers for each point.
 */
PellucidStatus pellucid_cloud_set_attribute(PellucidCloud *cloud,
                                            const char *name,
                                            const double *values,
                                            size_t width);

/*
 Frees a cloud; NULL is allowed.

 # Safety
 `cloud` is NULL, or a handle that was made by a function of this library for the caller and is not used
 again.
 */
void pellucid_cloud_free(PellucidCloud *cloud);

/*
 Moves the points of a cloud onto the surface they were measured from, with these options (NULL: those of
 the default method). The cloud that is given stays as it is. Number, order and attributes of the points
 stay; stored normals are not estimated again.

 # Safety
 `cloud` is a handle, `options` a handle or NULL; the new handle is put at `out`.
 */
PellucidStatus pellucid_denoise(const PellucidCloud *cloud,
                                const PellucidOptions *options,
                                PellucidDenoised **out);

/*
 The denoised cloud; NULL for NULL. It belongs to the result: do not free it, and do not use it after the
 result was freed.

 # Safety
 `denoised` is a handle or NULL.
 */
const PellucidCloud *pellucid_denoised_cloud(const PellucidDenoised *denoised);

/*
 How far each point moved, in the units of the cloud; not a number where a coordinate is none. NULL for
 NULL. Valid until the result is freed.

 # Safety
 `denoised` is a handle or NULL.
 */
const double *pellucid_denoised_displacements(const PellucidDenoised *denoised);

/*
 The estimated standard deviation of the noise per axis, in the units of the cloud; not a number if the
 method does not estimate it.

 # Safety
 `denoised` is a handle or NULL.
 */
double pellucid_denoised_noise(const PellucidDenoised *denoised);

/*
 What the run did and found out, as JSON; NULL for NULL. Valid until the result is freed.

 # Safety
 `denoised` is a handle or NULL.
 */
const char *pellucid_denoised_report(const PellucidDenoised *denoised);

/*
 Frees a result and its cloud; NULL is allowed.

 # Safety
 `denoised` is NULL, or a handle that is not used again.
 */
void pellucid_denoised_free(PellucidDenoised *denoised);

/*
 Makes options for a method (NULL: the default one) with a preset (NULL: its defaults).

 # Safety
 `method` and `preset` are texts or NULL; the new handle is put at `out`.
 */
PellucidStatus pellucid_options_new(const char *method, const char *preset, PellucidOptions **out);

/*
 Sets a parameter of the method. The value is written as JSON (30, 0.5, true, [1, 2]); anything else
 is a text. Ranges are checked when the method runs, since some depend on others.

 # Safety
 `options` is a handle that nothing else uses meanwhile, `name` and `value` are texts.
 */
PellucidStatus pellucid_options_set(PellucidOptions *options, const char *name, const char *value);

/*
 Sets the seed of everything random; it is 0 unless set.

 # Safety
 `options` is a handle that nothing else uses meanwhile.
 */
PellucidStatus pellucid_options_set_seed(PellucidOptions *options, uint64_t seed);

/*
 Sets the number of threads; 0, which holds unless set, means as many as there are cores. Results do not
 depend on it.

 # Safety
 `options` is a handle that nothing else uses meanwhile.
 */
PellucidStatus pellucid_options_set_threads(PellucidOptions *options, size_t threads);

/*
 Sets the function that is called while a method runs (NULL: none), and a pointer that it gets.

 # Safety
 `options` is a handle that nothing else uses meanwhile; `user` can be used from another thread for as
 long as a run with these options takes.
 */
PellucidStatus pellucid_options_set_progress(PellucidOptions *options, PellucidProgress progress, void *user);

/*
 Frees options; NULL is allowed.

 # Safety
 `options` is NULL, or a handle that is not used again.
 */
void pellucid_options_free(PellucidOptions *options);

/*
 What was wrong with the last call of this thread, where, and what to do; empty if it succeeded.

 It is valid until this thread calls a function that returns a status.
 */
const char *pellucid_last_message(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PELLUCID_H */
