"""Tests of plat-ray: `python -m unittest` here.

Those with a cluster need PLAT, the command plat, and PROGRAM, a program in bitcode: `make test` names
both.
"""
