import asyncio

async def work(n):
    raise ValueError(f"task {n}")

async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(work(1))

asyncio.run(main())
