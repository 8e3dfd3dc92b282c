"""Sequence forms: two infoset trees and a payoff operator, and the saddle point that first-order methods ask for."""
