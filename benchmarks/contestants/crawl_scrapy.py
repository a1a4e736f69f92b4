"""Scrapy's crawl of one site with its frontier on disk: `crawl_scrapy.py START FOLDER` prints JSON."""

import json
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

START, FOLDER = sys.argv[1:3]
n_pages = 0


class Everything(Spider):
    """Follows every link of the host."""

    name = "everything"
    start_urls = (START,)
    links = LinkExtractor(allow_domains=[urlsplit(START).netloc])

    def parse(self, response: Response) -> Iterator[Request]:
        global n_pages
        n_pages += 1
        if isinstance(response, HtmlResponse):
            for link in self.links.extract_links(response):
                yield Request(link.url)


def main() -> None:
    process = CrawlerProcess(
        {
            "JOBDIR": FOLDER,
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": True,
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Everything)
    started, processor = time.perf_counter(), time.process_time()
    process.start()
    measured = {
        "n_pages": n_pages,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
    }
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
