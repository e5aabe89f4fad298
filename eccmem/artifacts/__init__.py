"""Governed documents of a repository: decisions, runbooks, rules, and what they say of themselves."""
