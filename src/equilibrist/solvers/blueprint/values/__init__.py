"""What a blueprint is worth: exact on flops, by rollouts, against a learner."""
