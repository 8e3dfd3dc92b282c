"""Reinforcement learning by self-play: NFSP, and policy gradients that are drawn to even play (PPO, MMD)."""
