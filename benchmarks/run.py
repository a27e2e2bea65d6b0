"""``make bench``: the figures that the project lives by, against their targets."""

import measure
from upperhand.text import text_table


def main():
    """Measure everything and print it as a table."""
    rows = []

    def show(what, measured, target):
        rows.append([what, measured, target])
        print(f"{what}: {measured}", flush=True)

    rungs = measure.ladder()
    for name, (ratio, least, most) in reversed(rungs.items()):
        target = "≥ 1,000 ×" if name.startswith("only the pulled arm") else ""
        shown = f"{ratio:,.0f} × ({least:,.0f} to {most:,.0f})"
        show(f"ACP-UCB1 step, times faster than Python: {name}", shown, target)
    ratio, acp, ucb = measure.against_ucb1()
    steps = f"{ratio:.1f} × ({acp * 1e9:.0f} ns / {ucb * 1e9:.0f} ns)"
    show("ACP-UCB1 step, in compiled UCB1 steps", steps, "≤ 4 ×")
    show("ACP-UCB1 step at n = 10⁶, in steps at 10⁴", f"{measure.growth():.1f} ×", "≤ 2 ×")
    ratio, own, ucb = measure.qlucb_step()
    steps = f"{ratio:.1f} × ({own * 1e9:.0f} ns / {ucb * 1e9:.0f} ns)"
    show("QLUCB step, in compiled UCB1 steps, K = 10", steps, "≤ 10 ×")
    held, peak = measure.bytes_an_observation()
    show("memory an observation", f"{held:.1f} bytes ({peak:.1f} while growing)", "≤ 24 bytes")
    memory = f"{measure.simulation_memory():.2f} ×"
    show("memory of a large simulation, in sizes of its result", memory, "≤ 1.2 ×")
    live = f"{measure.live() * 1e6:.0f} µs"
    show("live ask + tell, 10 arms × 10⁵ observations", live, "≤ 100 µs")
    quantities = f"{measure.population_quantities():.2f} s"
    show("theory: population quantities of 10³ random arms", quantities, "≤ 1 s")
    bounds = f"{measure.proved_bounds():.2f} s"
    show("theory: proved bounds of four policies, K = 3", bounds, "≤ 1 s")
    show("import upperhand", f"{measure.import_time() * 1e3:.0f} ms", "≤ 300 ms")
    show("the paper's figures, first run", f"{measure.paper_run(first=True):.1f} s", "≤ 30 s")
    show("the paper's figures, warm", f"{measure.paper_run(first=False):.1f} s", "≤ 5 s")
    print("\n" + text_table(["figure", "measured", "target"], rows))
    steps = measure.every_step()
    print("\nA step of each policy (K = 3, n = 10⁴), in compiled UCB1 steps on the same tables.")
    print("Our target for those on quantiles is 6 ×.\n")
    listed = [[name, f"{ratio:.1f} ×", f"{s * 1e9:.0f} ns"] for name, (ratio, s) in steps.items()]
    print(text_table(["policy", "UCB1 steps", "time"], listed))
    print("\nA value of a stream, by each calibrator: interval, then update.\n")
    listed = [
        [name, f"{few * 1e9:.0f} ns", f"{many * 1e9:.0f} ns"]
        for name, (few, many) in measure.calibrator_steps().items()
    ]
    print(text_table(["calibrator", "first 10³ values", "from 5·10⁴ to 10⁵"], listed))


if __name__ == "__main__":
    main()
