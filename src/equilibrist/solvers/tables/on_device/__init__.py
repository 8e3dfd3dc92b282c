"""Flops inside tables on a GPU: lines of one shape on all their flops are one run."""
