"""Vector CFR over boards on a GPU: betting and hands become arrays that CUDA kernels follow; tables stay on the device between iterations."""
