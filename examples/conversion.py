"""Conversion per day: how many leads became paying customers?"""
import pandas as pd

sales = pd.read_csv("sales.csv", parse_dates=["date"])
days = sales.groupby("date")[["leads", "paid"]].sum()
days["conversion"] = days["paid"] / days["leads"]

print(f"{'day':<12}{'leads':>7}{'paid':>6}{'conversion':>12}")
for day, row in days.iterrows():
    print(f"{day:%Y-%m-%d}  {row.leads:>7.0f}{row.paid:>6.0f}{row.conversion:>11.2%}")
print(f"average conversion: {days['conversion'].mean():.2%}")
