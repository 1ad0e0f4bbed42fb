#!/usr/bin/env python3
"""Solves complementarity models of Pyomo through `signorini-mcp`, as Pyomo calls the solvers of AMPL.

Needs `pip install pyomo` and a release build of the program, which it makes if it is missing:

    python3 scripts/pyomo_mcp.py

Two models: the problem of Kojima and Shindo, whose two solutions are published, and a game of two
firms with a capacity. Each answer is checked; the script ends with 1 if one is wrong.
"""

import os
import subprocess
import sys

import pyomo.environ as pyo
from pyomo.mpec import Complementarity, complements


def program(folder):
    """The path of the program, built if it is not there."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(folder, "target"))
    path = os.path.join(target, "release", "signorini-mcp")
    if not os.path.exists(path):
        command = ["cargo", "build", "--release", "-p", "signorini-ampl", "--bin", "signorini-mcp"]
        subprocess.run(command, cwd=folder, check=True)
    return path


def kojshin():
    """0 <= x complements f(x) >= 0 with four variables and two solutions."""
    model = pyo.ConcreteModel("kojshin")
    model.x = pyo.Var(range(4), initialize=1.0)
    x = [model.x[i] for i in range(4)]
    f = [
        3 * x[0] ** 2 + 2 * x[0] * x[1] + 2 * x[1] ** 2 + x[2] + 3 * x[3] - 6,
        2 * x[0] ** 2 + x[1] ** 2 + x[0] + 10 * x[2] + 2 * x[3] - 2,
        3 * x[0] ** 2 + x[0] * x[1] + 2 * x[1] ** 2 + 2 * x[2] + 9 * x[3] - 9,
        x[0] ** 2 + 3 * x[1] ** 2 + 2 * x[2] + 3 * x[3] - 3,
    ]
    model.conditions = pyo.Block(range(4))
    for i in range(4):
        model.conditions[i].c = Complementarity(expr=complements(0 <= x[i], f[i] >= 0))
    published = [(1.5**0.5, 0.0, 0.0, 0.5), (1.0, 0.0, 3.0, 0.0)]
    return model, x, published


def duopoly():
    """Two firms with price 20 - q, costs 2 and 5 a unit, and a capacity of 5 of the first: q = (5, 5)."""
    model = pyo.ConcreteModel("duopoly")
    model.q = pyo.Var([1, 2], initialize=1.0)
    model.price = pyo.Var(initialize=10.0)
    model.demand = pyo.Constraint(expr=model.price == 20 - model.q[1] - model.q[2])
    model.rent = pyo.Var(initialize=0.0)
    loss = {i: cost + model.q[i] - model.price for i, cost in ((1, 2.0), (2, 5.0))}
    model.first = Complementarity(expr=complements(0 <= model.q[1], loss[1] + model.rent >= 0))
    model.second = Complementarity(expr=complements(0 <= model.q[2], loss[2] >= 0))
    # An expression on each side: Pyomo adds variables for both.
    model.capacity = Complementarity(expr=complements(5 - model.q[1] >= 0, 2 * model.rent >= 0))
    return model, [model.q[1], model.q[2], model.price, model.rent], [(5.0, 5.0, 10.0, 3.0)]


def main():
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = program(folder)
    wrong = 0
    for build in (kojshin, duopoly):
        model, variables, published = build()
        solver = pyo.SolverFactory("asl", executable=path)
        solver.options["solver"] = path
        solver.options["convergence_tolerance"] = 1e-11
        results = solver.solve(model)
        found = [pyo.value(variable) for variable in variables]
        distance = min(max(abs(a - b) for a, b in zip(found, answer)) for answer in published)
        good = str(results.solver.termination_condition) == "optimal" and distance < 1e-5
        wrong += not good
        print(f"{model.name}: {results.solver.message}")
        print(f"  {'right' if good else 'WRONG'}: {found}, {distance:.1e} from the published answer")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
