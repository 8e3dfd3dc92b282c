"""Vector CFR on games of two streets whose boards pass through memory one by one, hands sharing buckets."""
