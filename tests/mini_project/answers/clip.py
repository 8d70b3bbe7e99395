# the solution's own measurement and guard are for this fault
