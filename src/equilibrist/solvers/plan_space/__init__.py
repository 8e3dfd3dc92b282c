"""Solvers in the space of plans: every method runs on every `Form`, whatever it is made of.

Enters: a `forms.form.Form`. Leaves: plans of both players with a certificate. Correct everywhere; where a form has a fused run for a
solver (`on_form.py`), that one is taken instead. Start with `run.py`, then `cfr.py`.
"""
