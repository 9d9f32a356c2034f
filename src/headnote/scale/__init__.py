"""Documents → chunks where there are too many for one process: Arrow batches, on this machine, on Ray or on Spark."""
