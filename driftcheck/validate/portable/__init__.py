"""Carries out a validation plan: attempts, mapping, verdicts. Standard library only, Python 3.10 or newer.

This package is put whole into the archives that ``driftcheck validate pack`` writes, so nothing in it
may import driftcheck's other rooms or a third-party package.
"""
