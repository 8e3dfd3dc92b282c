"""Plays of one history at a time, and exact values of histories."""
