use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};

/// What a site answers on a path with its query.
pub type Pages = Arc<dyn Fn(&str) -> HttpResponse + Send + Sync>;

/// A site on loopback made of a function, that remembers what it was asked.
pub struct Web {
    address: SocketAddr,
    asked: Arc<Mutex<HashMap<String, usize>>>,
}

impl Web {
    /// Starts the site.
    pub fn start(pages: impl Fn(&str) -> HttpResponse + Send + Sync + 'static) -> Self {
        let (pages, asked): (Pages, _) = (Arc::new(pages), Arc::new(Mutex::new(HashMap::<String, usize>::new())));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let counter = asked.clone();
        let server = HttpServer::new(move || {
            let (pages, counter) = (pages.clone(), counter.clone());
            App::new().default_service(web::to(move |request: HttpRequest| {
                let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
                *counter.lock().expect("not poisoned").entry(path.clone()).or_default() += 1;
                let answer = pages(&path);
                async move { answer }
            }))
        });
        actix_web::rt::spawn(server.workers(1).disable_signals().listen(listener).expect("listening").run());
        Self { address, asked }
    }

    /// A site of `count` pages: each has ten children, until there are enough.
    pub fn tree(count: usize) -> Self {
        Self::tree_with(count, || HttpResponse::NotFound().finish())
    }

    /// As [`Web::tree`], and wants to be asked for 20 pages a second at most.
    pub fn slow_tree(count: usize) -> Self {
        Self::tree_with(count, || HttpResponse::Ok().body("User-agent: *\nCrawl-delay: 0.05\n"))
    }

    fn tree_with(count: usize, robots: impl Fn() -> HttpResponse + Send + Sync + 'static) -> Self {
        Self::start(move |path| match path {
            "/robots.txt" => robots(),
            "/" => tree_page(0, count),
            path => match path.strip_prefix("/page/").and_then(|number| number.parse().ok()) {
                Some(number) if number < count => tree_page(number, count),
                _ => HttpResponse::NotFound().finish(),
            },
        })
    }

    /// `name=address` for `EGRESS_HOSTS`.
    pub fn named(&self, name: &str) -> String {
        format!("{name}={}", self.address)
    }

    /// How often each path was asked for.
    pub fn asked(&self) -> HashMap<String, usize> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

/// HTML with a title, enough words to be content, and links.
pub fn page(title: &str, links: &[String]) -> HttpResponse {
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">{link}</a></li>")).collect();
    let text = format!(
        "This is what {title} has to say to those who read it: the harbour lies quiet in the morning, the boats of \
         {title} go out before the sun, and nobody waits for them until the evening, when the lamps are lit again."
    );
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(format!(
        "<!doctype html><html lang=en><title>{title}</title><main><h1>{title}</h1><p>{text}</p></main><ul>{links}</ul>"
    ))
}

fn tree_page(number: usize, count: usize) -> HttpResponse {
    let children = (10 * number + 1..=10 * number + 10).filter(|child| *child < count);
    let links: Vec<_> = children.map(|child| format!("/page/{child}")).chain(["/".to_owned()]).collect();
    page(&format!("page number {number}"), &links)
}
