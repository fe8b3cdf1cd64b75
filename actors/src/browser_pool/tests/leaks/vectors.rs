//! Ways for a page to reach an address behind its proxy's back.
//!
//! `{url}` stands for an HTTP address of the canary that names the vector,
//! `{at}` for the canary's `host:port`, `{port}` for the port.

/// All in one document, at the same time.
pub(super) const TOGETHER: &[(&str, &str)] = &[
    ("img", r#"<img src="{url}">"#),
    ("srcset", r#"<img srcset="{url} 1x, {url} 2x">"#),
    ("picture", r#"<picture><source srcset="{url}"><img></picture>"#),
    ("input-image", r#"<input type=image src="{url}">"#),
    ("background-attribute", r#"<table background="{url}"><tr><td>x</table>"#),
    ("image-object", r#"<script>new Image().src = "{url}"</script>"#),
    ("loopback-name", r#"<img src="http://localhost:{port}/loopback-name">"#),
    ("loopback-subdomain", r#"<img src="http://any.localhost:{port}/loopback-subdomain">"#),
    ("loopback-v6", r#"<img src="http://[::1]:{port}/loopback-v6">"#),
    ("loopback-mapped", r#"<img src="http://[::ffff:127.0.0.1]:{port}/loopback-mapped">"#),
    ("loopback-short", r#"<img src="http://127.1:{port}/loopback-short">"#),
    ("loopback-decimal", r#"<img src="http://2130706433:{port}/loopback-decimal">"#),
    ("loopback-hex", r#"<img src="http://0x7f.1:{port}/loopback-hex">"#),
    ("loopback-octal", r#"<img src="http://0177.0.0.1:{port}/loopback-octal">"#),
    ("loopback-zero", r#"<img src="http://0:{port}/loopback-zero">"#),
    ("loopback-circled", r#"<img src="http://①②⑦.⓪.⓪.①:{port}/loopback-circled">"#),
    ("stylesheet", r#"<link rel=stylesheet href="{url}">"#),
    ("css-import", r#"<style>@import url("{url}");</style>"#),
    ("css-background", r#"<div style="background: url({url})">x</div>"#),
    ("css-image-set", r#"<div style="background-image: image-set('{url}' 1x)">x</div>"#),
    ("css-list-style", r#"<ul><li style="list-style-image: url({url})">x</ul>"#),
    ("css-border-image", r#"<div style="border: 3px solid; border-image: url({url}) 1">x</div>"#),
    ("css-mask", r#"<div style="mask-image: url({url})">x</div>"#),
    ("css-content", r#"<style>#content::before { content: url("{url}") }</style><p id=content>x</p>"#),
    ("css-shape", r#"<div style="float: left; shape-outside: url({url})">x</div>"#),
    ("css-filter", r#"<div style="filter: url({url}#f)">x</div>"#),
    (
        "css-adopted",
        r#"<script>try { const sheet = new CSSStyleSheet(); sheet.replaceSync("body { background: url({url}) }"); document.adoptedStyleSheets = [sheet] } catch {}</script>"#,
    ),
    (
        "font-face",
        r#"<style>@font-face { font-family: leak; src: url("{url}") }</style><p style="font-family: leak">x</p>"#,
    ),
    ("font-object", r#"<script>new FontFace("other", "url({url})").load().catch(() => {})</script>"#),
    ("script", r#"<script src="{url}"></script>"#),
    ("script-deferred", r#"<script defer src="{url}"></script>"#),
    ("module", r#"<script type=module src="{url}"></script>"#),
    ("module-import", r#"<script type=module>import "{url}"</script>"#),
    ("dynamic-import", r#"<script>import("{url}").catch(() => {})</script>"#),
    (
        "importmap",
        r#"<script type=importmap>{"imports": {"leak": "{url}"}}</script><script type=module>import "leak"</script>"#,
    ),
    ("modulepreload", r#"<link rel=modulepreload href="{url}">"#),
    ("preload-image", r#"<link rel=preload as=image href="{url}">"#),
    ("preload-script", r#"<link rel=preload as=script href="{url}">"#),
    ("preload-fetch", r#"<link rel=preload as=fetch crossorigin href="{url}">"#),
    ("preload-font", r#"<link rel=preload as=font crossorigin href="{url}">"#),
    ("prefetch", r#"<link rel=prefetch href="{url}">"#),
    ("preconnect", r#"<link rel=preconnect href="http://{at}">"#),
    ("preconnect-crossorigin", r#"<link rel=preconnect crossorigin href="http://{at}">"#),
    ("dns-prefetch", r#"<link rel=dns-prefetch href="//leak.localhost">"#),
    ("prerender", r#"<link rel=prerender href="{url}">"#),
    (
        "speculation-prefetch",
        r#"<script type=speculationrules>{"prefetch": [{"urls": ["{url}"], "eagerness": "immediate"}]}</script>"#,
    ),
    (
        "speculation-prerender",
        r#"<script type=speculationrules>{"prerender": [{"urls": ["{url}"], "eagerness": "immediate"}]}</script>"#,
    ),
    ("icon", r#"<link rel=icon href="{url}">"#),
    ("touch-icon", r#"<link rel=apple-touch-icon href="{url}">"#),
    ("manifest", r#"<link rel=manifest href="{url}">"#),
    ("alternate", r#"<link rel="alternate stylesheet" title=other href="{url}">"#),
    ("iframe", r#"<iframe src="{url}"></iframe>"#),
    ("iframe-sandboxed", r#"<iframe sandbox src="{url}"></iframe>"#),
    ("iframe-srcdoc", r#"<iframe srcdoc='<img src="{url}">'></iframe>"#),
    ("iframe-nested", r#"<iframe srcdoc="<iframe srcdoc='<iframe src={url}></iframe>'></iframe>"></iframe>"#),
    ("iframe-data", r#"<iframe src='data:text/html,<img src="{url}">'></iframe>"#),
    (
        "iframe-blob",
        r#"<iframe id=blob></iframe><script>blob.src = URL.createObjectURL(new Blob(["<img src={url}>"], {type: "text/html"}))</script>"#,
    ),
    ("iframe-javascript", r#"<iframe src="javascript:'<img src={url}>'"></iframe>"#),
    ("iframe-refresh", r#"<iframe srcdoc='<meta http-equiv=refresh content="0; url={url}">'></iframe>"#),
    ("iframe-location", r#"<iframe srcdoc='<script>location = "{url}"</script>'></iframe>"#),
    ("iframe-ftp", r#"<iframe src="ftp://{at}/ftp"></iframe>"#),
    ("iframe-view-source", r#"<iframe src="view-source:{url}"></iframe>"#),
    ("iframe-chrome", r#"<iframe src="chrome://inspect/?{at}"></iframe>"#),
    ("iframe-devtools", r#"<iframe src="devtools://devtools/bundled/inspector.html?ws={at}/devtools"></iframe>"#),
    ("iframe-filesystem", r#"<iframe src="filesystem:{url}"></iframe>"#),
    ("frameset", r#"<iframe srcdoc='<frameset><frame src="{url}"></frameset>'></iframe>"#),
    (
        "fencedframe",
        r#"<fencedframe></fencedframe><script>try { document.querySelector("fencedframe").config = new FencedFrameConfig("{url}") } catch {}</script>"#,
    ),
    ("object", r#"<object data="{url}"></object>"#),
    ("object-pdf", r#"<object type="application/pdf" data="{url}"></object>"#),
    ("object-svg", r#"<object type="image/svg+xml" data="{url}"></object>"#),
    ("embed", r#"<embed src="{url}">"#),
    ("embed-pdf", r#"<embed type="application/pdf" src="{url}">"#),
    ("video", r#"<video src="{url}" preload=auto></video>"#),
    ("video-poster", r#"<video poster="{url}"></video>"#),
    ("video-source", r#"<video preload=auto><source src="{url}" type="video/mp4"></video>"#),
    (
        "video-hls",
        r#"<video preload=auto src="data:application/vnd.apple.mpegurl,%23EXTM3U%0A%23EXT-X-TARGETDURATION:4%0A%23EXTINF:4,%0A{url}"></video>"#,
    ),
    ("audio", r#"<audio src="{url}" preload=auto></audio>"#),
    (
        "track",
        r#"<video src="/nothing"><track default kind=captions src="{url}"></video><script>document.querySelector("track").track.mode = "showing"</script>"#,
    ),
    ("svg-image", r#"<svg><image href="{url}" width=9 height=9 /></svg>"#),
    ("svg-use", r#"<svg><use href="{url}#s" /></svg>"#),
    ("svg-script", r#"<svg><script href="{url}"></script></svg>"#),
    (
        "svg-filter",
        r#"<svg><filter id=fe><feImage href="{url}" /></filter><rect width=9 height=9 filter="url(#fe)" /></svg>"#,
    ),
    (
        "svg-in-img",
        r#"<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{url}' width='9' height='9'/></svg>">"#,
    ),
    ("xml-stylesheet", r#"<iframe src='data:text/xml,<?xml-stylesheet type="text/css" href="{url}"?><a/>'></iframe>"#),
    ("xslt", r#"<iframe src='data:text/xml,<?xml-stylesheet type="text/xsl" href="{url}"?><a/>'></iframe>"#),
    ("fetch", r#"<script>fetch("{url}", {mode: "no-cors"}).catch(() => {})</script>"#),
    ("fetch-post", r#"<script>fetch("{url}", {mode: "no-cors", method: "POST", body: "x"}).catch(() => {})</script>"#),
    (
        "fetch-preflight",
        r#"<script>fetch("{url}", {method: "PUT", headers: {"X-Leak": "1"}}).catch(() => {})</script>"#,
    ),
    ("fetch-keepalive", r#"<script>fetch("{url}", {mode: "no-cors", keepalive: true}).catch(() => {})</script>"#),
    (
        "fetch-local",
        r#"<script>fetch("{url}", {mode: "no-cors", targetAddressSpace: "loopback"}).catch(() => {})</script>"#,
    ),
    ("fetch-later", r#"<script>try { fetchLater("{url}", {activateAfter: 0}) } catch {}</script>"#),
    ("fetch-tls", r#"<script>fetch("https://{at}/", {mode: "no-cors"}).catch(() => {})</script>"#),
    ("xhr", r#"<script>{ const xhr = new XMLHttpRequest(); xhr.open("GET", "{url}"); xhr.send() }</script>"#),
    (
        "xhr-sync",
        r#"<script>try { const xhr = new XMLHttpRequest(); xhr.open("GET", "{url}", false); xhr.send() } catch {}</script>"#,
    ),
    ("beacon", r#"<script>navigator.sendBeacon("{url}", "x")</script>"#),
    ("event-source", r#"<script>new EventSource("{url}")</script>"#),
    ("websocket", r#"<script>new WebSocket("ws://{at}/websocket")</script>"#),
    ("websocket-name", r#"<script>new WebSocket("ws://localhost:{port}/websocket-name")</script>"#),
    ("websocket-tls", r#"<script>new WebSocket("wss://{at}/")</script>"#),
    ("websocket-stream", r#"<script>try { new WebSocketStream("ws://{at}/websocket-stream") } catch {}</script>"#),
    ("worker", r#"<script>new Worker(URL.createObjectURL(new Blob([`fetch("{url}", {mode: "no-cors"})`])))</script>"#),
    ("worker-import", r#"<script>new Worker(URL.createObjectURL(new Blob([`importScripts("{url}")`])))</script>"#),
    (
        "worker-module",
        r#"<script>new Worker(URL.createObjectURL(new Blob([`import "{url}"`], {type: "text/javascript"})), {type: "module"})</script>"#,
    ),
    (
        "worker-websocket",
        r#"<script>new Worker(URL.createObjectURL(new Blob([`new WebSocket("ws://{at}/worker-websocket")`])))</script>"#,
    ),
    (
        "worker-nested",
        r#"<script>new Worker(URL.createObjectURL(new Blob([`new Worker(URL.createObjectURL(new Blob(['fetch("{url}", {mode: "no-cors"})'])))`])))</script>"#,
    ),
    ("shared-worker", r#"<script>new SharedWorker(`data:text/javascript,fetch("{url}", {mode: "no-cors"})`)</script>"#),
    ("service-worker", r#"<script>navigator.serviceWorker?.register("/worker.js?{url}").catch(() => {})</script>"#),
    (
        "audio-worklet",
        r#"<script>try { new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule("{url}").catch(() => {}) } catch {}</script>"#,
    ),
    ("paint-worklet", r#"<script>try { CSS.paintWorklet.addModule("{url}").catch(() => {}) } catch {}</script>"#),
    (
        "cache-api",
        r#"<script>globalThis.caches?.open("x").then((cache) => cache.add("{url}")).catch(() => {})</script>"#,
    ),
    (
        "background-fetch",
        r#"<script>navigator.serviceWorker?.ready.then((worker) => worker.backgroundFetch.fetch("x", "{url}")).catch(() => {})</script>"#,
    ),
    ("stun", r#"<script>call([{urls: "stun:{at}"}])</script>"#),
    ("stun-name", r#"<script>call([{urls: "stun:localhost:{port}"}])</script>"#),
    ("turn-udp", r#"<script>call([{urls: "turn:{at}?transport=udp", username: "u", credential: "c"}])</script>"#),
    ("turn-tcp", r#"<script>call([{urls: "turn:{at}?transport=tcp", username: "u", credential: "c"}])</script>"#),
    ("turn-tls", r#"<script>call([{urls: "turns:{at}", username: "u", credential: "c"}])</script>"#),
    ("peer-udp", r#"<script>meet("candidate:1 1 udp 2122260223 127.0.0.1 {port} typ host")</script>"#),
    ("peer-tcp", r#"<script>meet("candidate:1 1 tcp 1518280447 127.0.0.1 {port} typ host tcptype passive")</script>"#),
    ("peer-v6", r#"<script>meet("candidate:1 1 udp 2122260223 ::1 {port} typ host")</script>"#),
    ("web-transport", r#"<script>try { new WebTransport("https://{at}/").ready.catch(() => {}) } catch {}</script>"#),
    (
        "payment",
        r#"<script>try { new PaymentRequest([{supportedMethods: "{url}"}], {total: {label: "x", amount: {currency: "EUR", value: "1"}}}).canMakePayment().catch(() => {}) } catch {}</script>"#,
    ),
    (
        "identity",
        r#"<script>try { navigator.credentials.get({identity: {providers: [{configURL: "{url}", clientId: "x"}]}}).catch(() => {}) } catch {}</script>"#,
    ),
    (
        "form-get",
        r#"<form id=got action="{url}" target=got-frame></form><iframe name=got-frame></iframe><script>got.submit()</script>"#,
    ),
    (
        "form-post",
        r#"<form id=posted action="{url}" target=posted-frame method=post></form><iframe name=posted-frame></iframe><script>posted.submit()</script>"#,
    ),
    ("form-new-window", r#"<form id=opened action="{url}" target=_blank></form><script>opened.submit()</script>"#),
    ("window-open", r#"<script>open("{url}")</script>"#),
    ("link-new-window", r#"<a id=blank href="{url}" target=_blank>x</a><script>blank.click()</script>"#),
    ("link-ping", r##"<a id=pinged href="#top" ping="{url}">x</a><script>pinged.click()</script>"##),
    ("link-download", r#"<iframe srcdoc='<a id=a href="{url}" download>x</a><script>a.click()</script>'></iframe>"#),
    ("attribution", r#"<img attributionsrc="{url}" src="/nothing">"#),
    ("shadow", r#"<div><template shadowrootmode=open><link rel=stylesheet href="{url}"></template></div>"#),
    ("written", r#"<script>document.write('<img src="{url}">')</script>"#),
    ("redirect-img", r#"<img src="/redirect?{url}">"#),
    ("redirect-iframe", r#"<iframe src="/redirect?{url}"></iframe>"#),
    ("redirect-fetch", r#"<script>fetch("/redirect?{url}", {mode: "no-cors"}).catch(() => {})</script>"#),
    ("redirect-script", r#"<script src="/redirect?{url}"></script>"#),
    ("redirect-worker", r#"<script>new Worker("/redirect?{url}")</script>"#),
];

/// Headers of a document in a frame.
pub(super) const HEADERS: &[(&str, &str, &str)] = &[
    ("header-csp", "content-security-policy", "img-src 'none'; report-uri {url}"),
    ("header-csp-report-only", "content-security-policy-report-only", "img-src 'none'; report-uri {url}"),
    ("header-refresh", "refresh", "0; url={url}"),
    ("header-preload", "link", "<{url}>; rel=preload; as=image"),
    ("header-preconnect", "link", "<http://{at}>; rel=preconnect"),
    ("header-stylesheet", "link", "<{url}>; rel=stylesheet"),
    ("header-speculation", "speculation-rules", "\"{url}\""),
    ("header-reporting", "reporting-endpoints", "default=\"{url}\""),
    ("header-source-map", "sourcemap", "{url}"),
    ("header-alt-svc", "alt-svc", "h3=\"{at}\"; ma=60, h2=\"{at}\"; ma=60"),
];

/// Each a document of its own, because it leaves the document.
pub(super) const ALONE: &[(&str, &str)] = &[
    ("location", r#"<script>location = "{url}"</script>"#),
    ("location-replace", r#"<script>location.replace("{url}")</script>"#),
    ("meta-refresh", r#"<meta http-equiv=refresh content="0; url={url}">"#),
    ("form-top", r#"<form id=f action="{url}" method=post></form><script>f.submit()</script>"#),
    ("link-top", r#"<a id=a href="{url}">x</a><script>a.click()</script>"#),
    ("frame-breaks-out", r#"<iframe srcdoc='<script>top.location = "{url}"</script>'></iframe>"#),
    ("open-self", r#"<script>open("{url}", "_self")</script>"#),
    ("navigation-api", r#"<script>navigation.navigate("{url}")</script>"#),
    ("redirect-top", r#"<script>location = "/redirect?{url}"</script>"#),
];

/// What some vectors call.
pub(super) const HELPERS: &str = r#"<script>
function call(iceServers) {
  const peer = new RTCPeerConnection({iceServers});
  peer.createDataChannel("x");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
}
async function meet(candidate) {
  const [here, there] = [new RTCPeerConnection(), new RTCPeerConnection()];
  here.createDataChannel("x");
  await here.setLocalDescription(await here.createOffer());
  await there.setRemoteDescription(here.localDescription);
  await there.setLocalDescription(await there.createAnswer());
  await here.setRemoteDescription(there.localDescription);
  await here.addIceCandidate({candidate, sdpMid: "0", sdpMLineIndex: 0});
}
</script>"#;
