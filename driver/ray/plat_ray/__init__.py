"""One exploration on many machines.

plat divides what is left of a run into pieces of work, files that hold the decisions on the way to
open paths (`plat trie divide`), and explores a piece anywhere (`plat run --work`). This package gives
pieces to the machines of a Ray cluster, divides what they leave, and puts the tests together.

- `piece`: one piece of work, done by plat on some node;
- `store`: the directory of an exploration, from which it can be taken up again;
- `scheduler`: which piece is done next, how long, and when what it leaves is divided;
- `cluster`: the scheduler's view of Ray;
- `command`: the command `plat-ray`.
"""
