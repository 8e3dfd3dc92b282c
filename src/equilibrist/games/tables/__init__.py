"""Tables before the flop: two to nine seats with stacks, blinds, antes, menus, rake and prizes.

Enters: TOML or keywords. Leaves: a `Table`, its betting situations and what every outcome pays. Start with `table.py`.
"""
