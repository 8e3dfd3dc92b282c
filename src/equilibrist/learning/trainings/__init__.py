"""Trainings: a learner at work in a folder, with checkpoints, a curve and the policy it has reached."""
