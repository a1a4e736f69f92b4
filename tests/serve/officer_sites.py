"""Three small invented organisations, each with a page that names its officers."""

# Each site says the same things in its own layout and words. Goals are the pages that name the officers.
SITES: dict[str, dict[str, str]] = {
    "mill.test": {
        "/": """<title>Mill Works</title><h1>Mill Works</h1>
            <ul><li><a href="/about.html">About us</a><li><a href="/products.html">Products</a>
            <li><a href="/news.html">News</a><li><a href="/jobs.html">Jobs</a>
            <li><a href="/contact.html">Contact</a></ul><p>We mill grain since 1902.</p>""",
        "/about.html": """<title>About Mill Works</title><h1>About us</h1><p>Our history and our values.</p>
            <p><a href="/history.html">History</a> <a href="/people/board.html">Board of directors</a>
            <a href="/sites.html">Our mills</a> <a href="/">Home</a></p>""",
        "/people/board.html": """<title>Board of directors</title><h1>Board of directors</h1>
            <table><tr><td>Ada Miller<td>Chief executive officer<tr><td>Bo Karlsen<td>Chair of the board
            <tr><td>Cem Aksoy<td>Treasurer</table><a href="/">Home</a>""",
        "/products.html": "<title>Products</title><p>Flour and bran.</p><a href='/'>Home</a>",
        "/news.html": "<title>News</title><p>A new oven.</p><a href='/news-2.html'>Older news</a>",
        "/news-2.html": "<title>Older news</title><p>An old oven.</p>",
        "/jobs.html": "<title>Jobs</title><h1>Jobs</h1><p>We look for a baker.</p>",
        "/contact.html": "<title>Contact</title><h1>Contact</h1><p>1 Mill Road</p>",
        "/history.html": "<title>History</title><p>In 1902 the first stone turned.</p>",
        "/sites.html": "<title>Our mills</title><p>North mill, south mill.</p>",
    },
    "harbor.test": {
        "/": """<title>Harbor Trust</title><table><tr><td><a href="who.htm">About us</a>
            <td><a href="services.htm">Services</a><td><a href="press.htm">Press</a>
            <td><a href="shop.htm">Shop</a></table><h2>Welcome to the harbor</h2>""",
        "/who.htm": """<title>About the trust</title><h2>Who we are</h2><p>A trust for ships.</p>
            <a href="mission.htm">Mission</a> | <a href="management.htm">Management team and directors</a>
            | <a href="map.htm">Map</a>""",
        "/management.htm": """<title>Management team</title><h2>Management team</h2>
            <dl><dt>Dana Petrov<dd>President and chief executive officer
            <dt>Eli Moreau<dd>Vice president, director of finance</dl>""",
        "/services.htm": "<title>Services</title><p>We dredge.</p><a href='dredging.htm'>Dredging</a>",
        "/dredging.htm": "<title>Dredging</title><p>Mud.</p>",
        "/press.htm": "<title>Press</title><p>Press releases.</p>",
        "/shop.htm": "<title>Shop</title><p>Mugs.</p>",
        "/mission.htm": "<title>Mission</title><p>Safe ships.</p>",
        "/map.htm": "<title>Map</title><p>Here.</p>",
    },
    "orchard.test": {
        "/": """<title>Orchard Society</title><div><div><a href="/fruit/">Our fruit</a></div>
            <div><a href="/events/">Events</a></div><div><a href="/society/">About the society</a></div>
            <div><a href="/shop/">Shop</a></div><div><a href="/recipes/">Recipes</a></div>
            <div><a href="/blog/">Blog</a></div><div><a href="/links/">Links</a></div></div>""",
        "/society/": """<title>About the society</title><h3>About us</h3><p>Founded by growers.</p>
            <ul><li><a href="/society/statutes">Statutes</a><li><a href="/society/officers">Officers and
            board of directors</a><li><a href="/society/join">Join</a></ul>""",
        "/society/officers": """<title>Officers</title><h3>Officers and board of directors</h3>
            <p>Fay Lindqvist, president<br>Gus Okafor, treasurer<br>Hana Sato, director</p>""",
        "/society/statutes": "<title>Statutes</title><p>Paragraph one.</p>",
        "/society/join": "<title>Join</title><p>Fill in the form.</p>",
        "/fruit/": """<title>Our fruit</title><p>Apples.</p><a href="/fruit/apples">Apples</a>
            <a href="/fruit/pears">Pears</a><a href="/fruit/plums">Plums</a>""",
        "/fruit/apples": "<title>Apples</title><p>Red.</p>",
        "/fruit/pears": "<title>Pears</title><p>Green.</p>",
        "/fruit/plums": "<title>Plums</title><p>Blue.</p>",
        "/events/": """<title>Events</title><p>Harvest day.</p><a href="/events/1">Harvest day</a>
            <a href="/events/2">Blossom walk</a><a href="/events/3">Pruning course</a>""",
        "/events/1": "<title>Harvest day</title><p>In autumn.</p>",
        "/events/2": "<title>Blossom walk</title><p>In spring.</p>",
        "/events/3": "<title>Pruning course</title><p>In winter.</p>",
        "/shop/": "<title>Shop</title><p>Jam.</p>",
        "/recipes/": "<title>Recipes</title><p>Cake.</p>",
        "/blog/": "<title>Blog</title><p>A post.</p><a href='/blog/2'>Older posts</a>",
        "/blog/2": "<title>Older posts</title><p>A post.</p>",
        "/links/": "<title>Links</title><p>Friends.</p>",
    },
}
