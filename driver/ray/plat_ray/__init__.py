"""One exploration on many machines.

plat divides what is left of a run into pieces of work, files that hold the decisions on the way to
open paths (`plat trie divide`), and explores a piece anywhere (`plat run --work`). This package gives
pieces to the machines of a Ray cluster and puts together what they leave.

- `piece`: one piece of work, done by plat on some node, and what it leaves, divided;
- `store`: the directory of an exploration, from which it can be taken up again;
- `scheduler`: which piece is done next, how long, and into how many what it leaves is divided;
- `coverage`: what all pieces have covered, which each one is told;
- `exploration`: one program: its store, its scheduler, its figures;
- `cluster`: explorations on Ray, each with its share of the processors;
- `batch`: many programs, from a file;
- `command`: the command `plat-ray`.
"""
