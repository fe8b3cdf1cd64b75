use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::pin::Pin;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// An answer of Redis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Status(String),
    Error(String),
    Number(i64),
    Bytes(Option<Vec<u8>>),
    List(Vec<Answer>),
}

impl Answer {
    pub(super) fn into_text(self) -> std::result::Result<String, String> {
        match self {
            Self::Error(error) => Err(error),
            Self::Status(text) => Ok(text),
            Self::Number(number) => Ok(number.to_string()),
            Self::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()),
            Self::List(items) => {
                let items: std::result::Result<Vec<_>, _> = items.into_iter().map(Self::into_text).collect();
                items.map(|items| items.join(" "))
            }
        }
    }
}

/// A connection to Redis that knows nothing of the client under test.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    #[expect(clippy::disallowed_methods, reason = "a test asks its own server")]
    pub(super) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends the commands together and returns their answers.
    pub(super) async fn ask(&mut self, commands: &[Vec<Vec<u8>>]) -> Result<Vec<Answer>> {
        let mut sent = Vec::new();
        for command in commands {
            sent.extend(format!("*{}\r\n", command.len()).into_bytes());
            for word in command {
                sent.extend(format!("${}\r\n", word.len()).into_bytes());
                sent.extend_from_slice(word);
                sent.extend_from_slice(b"\r\n");
            }
        }
        self.stream.write_all(&sent).await?;
        let mut answers = Vec::new();
        for _ in commands {
            answers.push(self.read().await?);
        }
        Ok(answers)
    }

    fn read(&mut self) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + '_>> {
        Box::pin(async move {
            let mut line = String::new();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let (kind, rest) = line.trim_end().split_at_checked(1).ok_or(ErrorKind::InvalidData)?;
            match kind {
                "+" => Ok(Answer::Status(rest.to_owned())),
                "-" => Ok(Answer::Error(rest.to_owned())),
                ":" => Ok(Answer::Number(number(rest)?)),
                "$" => self.read_bytes(number(rest)?).await,
                "*" => self.read_list(number(rest)?).await,
                _ => Err(ErrorKind::InvalidData.into()),
            }
        })
    }

    async fn read_bytes(&mut self, length: i64) -> Result<Answer> {
        let Ok(length) = usize::try_from(length) else { return Ok(Answer::Bytes(None)) };
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes).await?;
        bytes.truncate(length);
        Ok(Answer::Bytes(Some(bytes)))
    }

    async fn read_list(&mut self, length: i64) -> Result<Answer> {
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(self.read().await?);
        }
        Ok(Answer::List(items))
    }
}

fn number(text: &str) -> Result<i64> {
    text.parse().map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
