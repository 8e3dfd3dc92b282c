"""Commands that prepare what players need: card and information abstractions, betting trees, training."""
