//! Eigenvalues of symmetric operators.
