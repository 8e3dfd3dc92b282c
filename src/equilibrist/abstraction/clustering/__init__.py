"""Clustering: k-means, medoids, optimal clusters of numbers, earth mover's distances."""
