"""The compact model, its data and its trainer, which the units share and a student may replace.

Importing this package imports nothing else: `config` works without torch, the other modules
import torch themselves.
"""
