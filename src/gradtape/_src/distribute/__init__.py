"""Strategies: programs that run on several devices and in several processes."""
