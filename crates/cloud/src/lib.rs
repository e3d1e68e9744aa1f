//! Point clouds: columns, neighbours, normals, sampling, noise and quality.
