use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use tempfile::TempDir;
use tokio::net::UdpSocket;

use super::Result;

/// The sites of a folder, served by a process of its own, so that its work is
/// nobody's.
pub struct Sites {
    pub urls: Vec<String>,
    /// A file with the URLs, one a line.
    pub list: PathBuf,
    server: Child,
    _folder: TempDir,
}

impl Sites {
    #[expect(clippy::disallowed_methods, reason = "the server must not share our process")]
    pub fn start(folder: &Path) -> Result<Self> {
        let mut server = Command::new(std::env::current_exe()?);
        let mut server = server.arg("serve").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(server.stdout.take().ok_or("piped")?).lines();
        let urls = lines.take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()));
        let urls = urls.collect::<std::io::Result<Vec<_>>>()?;
        if urls.is_empty() {
            return Err(format!("{} has no folder with an index.html", folder.display()).into());
        }
        let folder = tempfile::tempdir()?;
        let list = folder.path().join("urls");
        std::fs::write(&list, urls.join("\n"))?;
        Ok(Self { urls, list, server, _folder: folder })
    }
}

impl Drop for Sites {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Serves every site of the folder on a port of its own and prints their URLs.
pub fn serve(folder: &Path) -> Result<()> {
    let mut roots = Vec::new();
    find(folder, &mut roots)?;
    roots.sort();
    actix_web::rt::System::new().block_on(async move {
        let mut servers = Vec::new();
        for root in roots {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            writeln!(std::io::stdout(), "http://{}/", listener.local_addr()?)?;
            let root = web::Data::new(root);
            let server = HttpServer::new(move || App::new().app_data(root.clone()).default_service(web::to(answer)));
            servers.push(server.workers(1).disable_signals().listen(listener)?.run());
        }
        writeln!(std::io::stdout())?;
        futures::future::try_join_all(servers).await?;
        Ok(())
    })
}

fn find(folder: &Path, roots: &mut Vec<PathBuf>) -> Result<()> {
    if folder.join("index.html").is_file() {
        roots.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, roots)?;
        }
    }
    Ok(())
}

async fn answer(request: HttpRequest, root: web::Data<PathBuf>) -> HttpResponse {
    let path = request.match_info().unprocessed().trim_start_matches('/');
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let path = if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.into_owned() };
    match std::fs::read(root.join(&path)) {
        Ok(body) if !path.contains("..") => HttpResponse::Ok().content_type(kind(&path)).body(body),
        _ => HttpResponse::NotFound().finish(),
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        _ => "application/octet-stream",
    }
}

/// Starts a name server that knows no name.
pub async fn no_names() -> Result<SocketAddr> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let address = socket.local_addr()?;
    tokio::spawn(async move {
        let mut query = [0; 1500];
        while let Ok((length, peer)) = socket.recv_from(&mut query).await {
            // The flags: an answer, to a question that asked for recursion, NXDOMAIN.
            if let Some(flags) = query.get_mut(2..4) {
                flags.copy_from_slice(&[0x81, 0x83]);
            }
            let _ = socket.send_to(&query[..length], peer).await;
        }
    });
    Ok(address)
}
