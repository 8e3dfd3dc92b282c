"""Vector CFR over boards on a GPU: CUDA kernels follow betting and hands as arrays; tables stay on the device between iterations."""
