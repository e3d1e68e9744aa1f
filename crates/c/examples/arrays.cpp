// Denoises points in memory and gives them an attribute: arrays OUT
//
// OUT gets the denoised positions as they are in memory, three doubles for each point. Handles are
// owned by unique_ptr, failures are exceptions:
//
//     c++ -std=c++11 arrays.cpp $(pkg-config --cflags --libs pellucid) -o arrays
#include <pellucid.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

struct Free {
    void operator()(PellucidCloud *cloud) const { pellucid_cloud_free(cloud); }
    void operator()(PellucidOptions *options) const { pellucid_options_free(options); }
    void operator()(PellucidDenoised *result) const { pellucid_denoised_free(result); }
};
using Cloud = std::unique_ptr<PellucidCloud, Free>;
using Options = std::unique_ptr<PellucidOptions, Free>;
using Result = std::unique_ptr<PellucidDenoised, Free>;

void check(PellucidStatus status) {
    if (status != PELLUCID_STATUS_OK) throw std::runtime_error(pellucid_last_message());
}

Cloud make_cloud(const std::vector<double> &xyz) {
    PellucidCloud *cloud = nullptr;
    check(pellucid_cloud_new(xyz.data(), xyz.size() / 3, &cloud));
    return Cloud(cloud);
}

Options make_options(const char *method) {
    PellucidOptions *options = nullptr;
    check(pellucid_options_new(method, nullptr, &options));
    return Options(options);
}

Result denoise(const Cloud &noisy, const Options &options) {
    PellucidDenoised *result = nullptr;
    check(pellucid_denoise(noisy.get(), options.get(), &result));
    return Result(result);
}

// A wavy sheet with some noise from a small generator; only sums, so that every machine makes the same.
std::vector<double> sheet(int side) {
    std::vector<double> xyz;
    unsigned state = 1;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            state = state * 1664525u + 1013904223u;
            double noise = (state >> 8) / 16777216.0 - 0.5;
            double wave = (i % 16 < 8 ? i % 8 : 8 - i % 8) * 0.125;
            xyz.insert(xyz.end(), {double(i), double(j), wave + noise});
        }
    }
    return xyz;
}

}  // namespace

int main(int count, char **arguments) try {
    if (count != 2) {
        std::cerr << "usage: arrays OUT\n";
        return 2;
    }
    Cloud noisy = make_cloud(sheet(40));
    std::vector<double> heights(pellucid_cloud_points(noisy.get()), 0.5);
    check(pellucid_cloud_set_attribute(noisy.get(), "height", heights.data(), 1));

    Options options = make_options("mls");
    check(pellucid_options_set(options.get(), "iterations", "3"));
    check(pellucid_options_set_seed(options.get(), 7));
    Result result = denoise(noisy, options);

    const PellucidCloud *clean = pellucid_denoised_cloud(result.get());
    const size_t points = pellucid_cloud_points(clean);
    double farthest = 0;
    for (size_t i = 0; i < points; i++)
        farthest = std::fmax(farthest, pellucid_denoised_displacements(result.get())[i]);
    std::cout << points << " points, " << pellucid_cloud_attributes(clean) << " attribute \""
              << pellucid_cloud_attribute_name(clean, 0) << "\", moved by up to " << farthest << "\n";

    std::ofstream out(arguments[1], std::ios::binary);
    const double *positions = pellucid_cloud_positions(clean);
    out.write(reinterpret_cast<const char *>(positions), std::streamsize(points * 3 * sizeof(double)));
    return out.flush() ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
}
