import asyncio

async def fetch(number):
    await asyncio.sleep(0)
    return 10 / number

async def main():
    return await asyncio.gather(*(fetch(n) for n in (1, 0)))

print(asyncio.run(main()))
