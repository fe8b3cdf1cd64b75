use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use extract::{Content, ContentOptions, Document, Format, Metadata};
use serde::{Deserialize, Serialize};
use url::Url;

#[derive(Args)]
pub struct ExtractArguments {
    #[arg(long, value_enum, default_value_t = OutputFormat::Markdown)]
    format: OutputFormat,
    /// Keep navigation, header and footer.
    #[arg(long)]
    full_page: bool,
    /// Where the page is from; makes its links absolute.
    #[arg(long)]
    url: Option<Url>,
    /// Read {"id","url","html"} a line, write {"id","text",…} a line, on all
    /// cores and in the order read.
    #[arg(long, conflicts_with = "url")]
    jsonl: bool,
    /// Standard input when absent.
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum OutputFormat {
    Markdown,
    Text,
    Html,
}

impl From<OutputFormat> for Format {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Markdown => Self::Markdown,
            OutputFormat::Text => Self::Text,
            OutputFormat::Html => Self::Html,
        }
    }
}

#[derive(Deserialize)]
struct PageLine {
    #[serde(default)]
    id: serde_json::Value,
    url: Option<String>,
    html: String,
}

#[derive(Serialize)]
struct ContentLine {
    id: serde_json::Value,
    text: String,
    title: Option<String>,
    author: Option<String>,
    published_date: Option<String>,
}

/// Extracts one page, or a page a line.
pub fn run(arguments: ExtractArguments) -> anyhow::Result<()> {
    let input: Box<dyn Read + Send> = match &arguments.file {
        Some(path) => Box::new(File::open(path).with_context(|| path.display().to_string())?),
        None => Box::new(std::io::stdin()),
    };
    let format = Format::from(arguments.format);
    let options = ContentOptions { main_content_only: !arguments.full_page, ..ContentOptions::default() };
    if arguments.jsonl { lines(input, format, options) } else { one(input, arguments.url.as_ref(), format, options) }
}

fn one(
    mut input: Box<dyn Read + Send>,
    url: Option<&Url>,
    format: Format,
    options: ContentOptions,
) -> anyhow::Result<()> {
    let mut body = Vec::new();
    input.read_to_end(&mut body)?;
    let (content, _) = read_page(&extract::decode(&body, None), url, format, options);
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", content.text.trim_end())?;
    Ok(())
}

fn read_page(html: &str, url: Option<&Url>, format: Format, options: ContentOptions) -> (Content, Metadata) {
    let document = Document::parse(html, url);
    (document.content(format, options), document.metadata())
}

/// A line with its place in the input.
type Numbered = (usize, String);

/// One reader, a worker a core, one writer that restores the order. A line is
/// written as soon as it and all before it are done.
fn lines(input: Box<dyn Read + Send>, format: Format, options: ContentOptions) -> anyhow::Result<()> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (pages, waiting) = sync_channel::<Numbered>(workers * 2);
    let (finished, contents) = sync_channel::<anyhow::Result<Numbered>>(workers * 2);
    // Shared by the workers alone: when they have gone, the feeder's next send
    // fails and it goes too.
    let waiting = Arc::new(Mutex::new(waiting));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (waiting, finished) = (waiting.clone(), finished.clone());
            scope.spawn(move || work(&waiting, &finished, format, options));
        }
        drop(waiting);
        scope.spawn(move || feed(input, &pages, &finished));
        write_in_order(contents)
    })
}

fn feed(input: Box<dyn Read + Send>, pages: &SyncSender<Numbered>, finished: &SyncSender<anyhow::Result<Numbered>>) {
    for (number, line) in BufReader::new(input).lines().enumerate() {
        // A closed channel means that the writer has ended on an error.
        let sent = match line {
            Ok(line) => pages.send((number, line)).is_ok(),
            Err(error) => {
                let _ = finished.send(Err(error.into()));
                false
            }
        };
        if !sent {
            return;
        }
    }
}

fn work(
    waiting: &Mutex<Receiver<Numbered>>,
    finished: &SyncSender<anyhow::Result<Numbered>>,
    format: Format,
    options: ContentOptions,
) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, line)) = next else { return };
        let content = content_line(&line, format, options).with_context(|| format!("line {}", number + 1));
        if finished.send(content.map(|line| (number, line))).is_err() {
            return;
        }
    }
}

fn content_line(line: &str, format: Format, options: ContentOptions) -> anyhow::Result<String> {
    if line.trim().is_empty() {
        return Ok(String::new());
    }
    let PageLine { id, url, html } = serde_json::from_str(line)?;
    let url = url.as_deref().and_then(|url| Url::parse(url).ok());
    let (content, metadata) = read_page(&html, url.as_ref(), format, options);
    let Metadata { title, author, published_date, .. } = metadata;
    Ok(serde_json::to_string(&ContentLine { id, text: content.text, title, author, published_date })?)
}

fn write_in_order(contents: Receiver<anyhow::Result<Numbered>>) -> anyhow::Result<()> {
    let mut output = BufWriter::new(std::io::stdout().lock());
    let mut early = BTreeMap::new();
    let mut next = 0;
    loop {
        let received = match contents.try_recv() {
            // Nothing is ready: what is written so far goes out before waiting.
            Err(TryRecvError::Empty) => {
                output.flush()?;
                contents.recv().ok()
            }
            other => other.ok(),
        };
        let Some(content) = received else { break };
        let (number, line) = content?;
        early.insert(number, line);
        while let Some(line) = early.remove(&next) {
            if !line.is_empty() {
                writeln!(output, "{line}")?;
            }
            next += 1;
        }
    }
    Ok(output.flush()?)
}
