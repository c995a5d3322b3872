"""Plays the person who labels: reads the items that `labelwise ask` printed, and writes their labels.

Usage: python examples/labeller.py POOL COLUMN < todo.csv > labels.csv
"""

import csv
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as pool:
    # Without a column `id`, the ids of items are row numbers from 0.
    labels = {row.get("id", str(number)): row[sys.argv[2]] for number, row in enumerate(csv.DictReader(pool))}
print("id,label")
for item in csv.DictReader(sys.stdin):
    print(f"{item['id']},{labels[item['id']]}")
