"""Tests of plat-ray: `python -m unittest` here.

Those with a cluster need PLAT, the command plat, and PROGRAM and ENDLESS, two programs in bitcode: `make test`
names them.
"""
