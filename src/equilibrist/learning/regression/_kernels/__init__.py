"""Walks that collect regrets and strategies for networks to fit."""
