"""Reports on many flops: one line solved on all 1,755 flops or on a weighted subset, summed up by texture."""
