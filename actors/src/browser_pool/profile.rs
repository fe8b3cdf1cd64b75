use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A profile folder; removed on drop, as far as that is possible at once.
#[derive(Debug)]
pub(super) struct Profile(PathBuf);

impl Profile {
    /// Makes the folder.
    ///
    /// # Errors
    /// As the file system says.
    pub async fn make(folder: PathBuf) -> std::io::Result<Self> {
        tokio::fs::create_dir_all(&folder).await?;
        Ok(Self(folder))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Removes it, patiently: processes that were just killed may still write
    /// for a moment.
    pub async fn remove(&self) {
        for _ in 0..40 {
            match tokio::fs::remove_dir_all(&self.0).await {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                _ => return,
            }
        }
        tracing::warn!("a browser's profile folder could not be removed");
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // Best effort for a runtime that ends; `remove` is the orderly way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
