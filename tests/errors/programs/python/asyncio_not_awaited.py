import asyncio

async def answer():
    return 42

print(answer() + 1)
