// Written by `python -m press.explore two-errors` from committed tables.
Explore.data["two-errors"] = {"apart":0.2359};
