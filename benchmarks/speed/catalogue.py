"""All sections, in the order in which they are measured and shown."""

from speed import (
    arms,
    calibrators,
    end_to_end,
    floors,
    live,
    memory,
    programs,
    quantities,
    steps,
    studies,
)


def sections():
    """Return every section."""
    return (
        live.section(),
        end_to_end.section(),
        floors.section(),
        steps.section(),
        arms.section(),
        memory.section(),
        programs.section(),
        studies.section(),
        steps.every_policy(),
        calibrators.section(),
        quantities.section(),
    )
