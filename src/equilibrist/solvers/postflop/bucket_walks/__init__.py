"""Boards on which hands play by rows of buckets, walked line by line on a GPU: programs, hands, launches."""
