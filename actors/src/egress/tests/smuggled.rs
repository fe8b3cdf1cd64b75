//! Requests for the filtering proxy that two readers would read in two ways.

/// Bytes for the filtering proxy and the statuses of its answers. `{port}` is
/// the canary's.
pub(super) const SMUGGLED: &[(&str, &[u16])] = &[
    ("GET http://site.test/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n", &[200]),
    ("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    (
        "GET http://site.test/ HTTP/1.1\r\nHost: site.test\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        &[200],
    ),
    (
        "GET http://site.test/ HTTP/1.1\r\nHost: site.test\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\nForwarded: host=127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        &[200],
    ),
    ("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: site.test:80\r\nConnection: close\r\n\r\n", &[403]),
    // Inside a tunnel everything is the open site's business.
    ("CONNECT site.test:80 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\nGET / HTTP/1.1\r\n\r\n", &[200, 200]),
    ("CONNECT site.test:80 HTTP/1.1\r\n\r\nCONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n", &[200, 200]),
    (
        "CONNECT site.test:80 HTTP/1.1\r\n\r\nGET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        &[200, 200],
    ),
    ("CONNECT 127.0.0.1 HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT :{port} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT 127.0.0.1:{port}@site.test:80 HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT site.test:80@127.0.0.1:{port} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT 127.0.0.1:0 HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("CONNECT 127.0.0.1:99999 HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n", &[403]),
    ("GET //127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n", &[403]),
    ("GET https://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET ftp://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET http://site.test@127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET http://127.0.0.1:{port}@site.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET http://127.0.0.1:{port}\\@site.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[400]),
    ("GET http://127.0.0.1:{port}#@site.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    ("GET\thttp://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[400]),
    ("GET http://127.0.0.1:{port}/ HTTP/1.0\r\n\r\n", &[403]),
    ("GET http://127.0.0.1:{port}/\r\n\r\n", &[400]),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[]),
    ("OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n", &[403]),
    ("TRACE http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", &[403]),
    (
        "GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
        &[403],
    ),
    (
        "GET http://site.test/ HTTP/1.1\r\nHost: site.test\r\n\r\nGET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n",
        &[200, 403],
    ),
    (
        "POST http://site.test/ HTTP/1.1\r\nHost: site.test\r\nContent-Length: 4\r\nContent-Length: 0\r\n\r\nGET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n",
        &[400],
    ),
    (
        "POST http://site.test/ HTTP/1.1\r\nHost: site.test\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://127.0.0.1:{port}/ HTTP/1.1\r\nConnection: close\r\n\r\n",
        &[200],
    ),
    (
        "POST http://site.test/ HTTP/1.1\r\nHost: site.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n",
        &[400],
    ),
];
