#!/usr/bin/env python3
"""Times of our solvers beside Lemke's method of Drake, on the same problems, in one run.

Needs `pip install drake numpy` and a release build of the example `lcp_times`, which it makes if it is missing:

    python3 scripts/compare_lcp.py                 # all families, three seeds each
    python3 scripts/compare_lcp.py --seeds 1 --only st_sph

Both sides are measured one after the other for every problem: processor time of one thread, the least of three. The
residual is max |min(z, M z + q)|. The table has medians over the seeds; the ratio is that of the medians. Run it
on an otherwise idle machine, or repeat it: ratios are what it is for.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

SIZES = {
    "pd": (100, 300, 1000),
    "psd": (100, 300, 1000),
    "pmat": (100, 300, 1000),
    "st_sph": (30, 100, 300, 1000),
    "st_box": (40, 120, 320, 1000),
}
DENSE = ("block_pivoting", "interior_point", "lemke", "portfolio")
FRICTION = ("mixed", "mixed_warm", "lemke", "portfolio")


def example(folder):
    """The path of the example, built if it is not there."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(folder, "target"))
    path = os.path.join(target, "release", "examples", "lcp_times")
    if not os.path.exists(path):
        command = ["cargo", "build", "--release", "-p", "signorini-benches", "--example", "lcp_times"]
        subprocess.run(command, cwd=folder, check=True)
    return path


def ours(program, family, n, seed, solver):
    """(milliseconds, residual, solved)"""
    argument = f"{family}:{n}:{seed}:{solver}"
    words = subprocess.run([program, argument], check=True, capture_output=True, text=True).stdout.split()
    return float(words[4]), float(words[5]), words[8] == "true"


def problem(program, folder, family, n, seed):
    """M and q as our program makes them, bit for bit."""
    import numpy as np

    path = os.path.join(folder, "problem.f64")
    subprocess.run([program, f"{family}:{n}:{seed}:write={path}"], check=True, capture_output=True)
    values = np.fromfile(path, "<f8")
    size = int(values[0])
    return values[1 : 1 + size * size].reshape(size, size), values[1 + size * size :]


def drake(m, q):
    """(milliseconds, residual, solved) of Drake's unrevised Lemke method."""
    import numpy as np
    from pydrake.solvers import MathematicalProgram, UnrevisedLemkeSolver

    program = MathematicalProgram()
    z = program.NewContinuousVariables(len(q))
    program.AddLinearComplementarityConstraint(m, q, z)
    best = float("inf")
    for _ in range(3):
        calls, begin = 0, time.process_time()
        while calls == 0 or time.process_time() - begin < 0.06:
            # A new one each time: it would start from its last basis.
            result = UnrevisedLemkeSolver().Solve(program)
            calls += 1
        best = min(best, (time.process_time() - begin) / calls)
    answer = result.GetSolution(z)
    residual = float(np.max(np.abs(np.minimum(answer, m @ answer + q))))
    return best * 1e3, residual, bool(result.is_success()) and residual < 1e-6


def row(name, results, reference):
    times = [time for time, _, _ in results]
    solved = sum(good for _, _, good in results)
    worst = max(residual for _, residual, _ in results)
    ratio = reference / statistics.median(times) if reference else 1.0
    median = statistics.median(times)
    return f"| {name:24} | {solved}/{len(results)} | {median:10.3f} | {max(times):10.3f} | {worst:8.1e} | {ratio:7.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=SIZES, action="append")
    parser.add_argument("--largest", type=int, default=1000)
    options = parser.parse_args()
    program = example(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    print("| problem and solver       | solved | median ms  | worst ms   | residual | Drake / it |")
    print("| ------------------------ | ------ | ---------- | ---------- | -------- | ---------- |")
    with tempfile.TemporaryDirectory() as folder:
        for family in options.only or SIZES:
            for n in SIZES[family]:
                if n > options.largest:
                    continue
                solvers = FRICTION if family.startswith("st_") else DENSE
                results = {solver: [] for solver in solvers}
                others = []
                for seed in range(1, options.seeds + 1):
                    for solver in solvers:
                        results[solver].append(ours(program, family, n, seed, solver))
                    others.append(drake(*problem(program, folder, family, n, seed)))
                reference = statistics.median([time for time, _, _ in others])
                print(row(f"{family} {n} Drake", others, None))
                for solver in solvers:
                    print(row(f"{family} {n} {solver}", results[solver], reference))
                sys.stdout.flush()


if __name__ == "__main__":
    main()
