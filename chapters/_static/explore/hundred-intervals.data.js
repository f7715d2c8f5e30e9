// Written by `python -m press.explore hundred-intervals` from committed tables.
Explore.data["hundred-intervals"] = {"onlyA":[0.1818,0.0521,0.1273,0.0119,0.129,0.0921,0.0879,0.0351,0.0154,0.0886,0.25],"onlyB":[0.0455,0.1146,0.0909,0.1667,0.2419,0.2237,0.2088,0.0702,0.2154,0.1013,0.2]};
