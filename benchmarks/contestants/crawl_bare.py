"""The least a crawl can be: aiohttp, selectolax, a set in memory, nothing kept. Prints one line of JSON."""

import asyncio
import json
import sys
import time
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
from selectolax.lexbor import LexborHTMLParser

CONCURRENCY = 64


async def crawl(start: str) -> int:
    """Every HTML page of the host of `start`; gives how many answers were not errors."""
    host = urlsplit(start).netloc
    seen, queue = {start}, asyncio.Queue[str]()
    queue.put_nowait(start)
    n_pages = 0

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal n_pages
        while True:
            url = await queue.get()
            async with session.get(url) as response:
                body = await response.read()
                n_pages += response.status < 400
                is_html = response.status < 400 and "html" in response.headers.get("Content-Type", "")
            for node in LexborHTMLParser(body).css("a[href], frame[src]") if is_html else ():
                href = node.attributes.get("href") or node.attributes.get("src") or ""
                target = _target(url, href)
                if target not in seen and urlsplit(target).netloc == host:
                    seen.add(target)
                    queue.put_nowait(target)
            queue.task_done()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:
        workers = [asyncio.create_task(work(session)) for _ in range(CONCURRENCY)]
        await queue.join()
        for worker in workers:
            worker.cancel()
    return n_pages


def _target(url: str, href: str) -> str:
    try:
        return urldefrag(urljoin(url, href))[0]
    except ValueError:
        return ""


def main() -> None:
    started, processor = time.perf_counter(), time.process_time()
    n_pages = asyncio.run(crawl(sys.argv[1]))
    measured = {
        "n_pages": n_pages,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
    }
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
