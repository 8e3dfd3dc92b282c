"""Regression: CFR whose regrets are predicted by networks (Deep CFR and its successors)."""
