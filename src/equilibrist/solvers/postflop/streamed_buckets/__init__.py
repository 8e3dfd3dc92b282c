"""Vector CFR on games whose boards of the last street pass through memory one by one, hands sharing buckets; before it hand by hand."""
