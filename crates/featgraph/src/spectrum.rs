//! The lowest eigenpairs of a graph Laplacian.
