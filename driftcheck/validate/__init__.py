"""Runs the consumer on the real provider and lets the run decide: scenarios, attempts, mapping, verdicts.

``portable/`` is the part that also travels without driftcheck (standard library only, Python 3.10);
the modules beside it need driftcheck: they make the plan that the portable part carries out.
"""
