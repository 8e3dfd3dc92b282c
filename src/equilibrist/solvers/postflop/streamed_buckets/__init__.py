"""Vector CFR on games whose boards of the last street pass through memory one by one, hands sharing buckets; streets before it hand by hand."""
