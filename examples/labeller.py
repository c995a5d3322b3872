"""Plays the person who labels: reads the items that `labelwise ask` printed, and writes their labels.

Usage: python examples/labeller.py POOL COLUMN < todo.csv > labels.csv
"""

import csv
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as pool:
    labels = {row["id"]: row[sys.argv[2]] for row in csv.DictReader(pool)}
print("id,label")
for item in csv.DictReader(sys.stdin):
    print(f"{item['id']},{labels[item['id']]}")
