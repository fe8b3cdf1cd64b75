use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A profile folder; removed on drop, as far as that is possible at once.
///
/// It is locked as long as it is in use. The kernel gives the lock back
/// whatever the process dies of, so a folder that can be locked is left over.
#[derive(Debug)]
pub(super) struct Profile {
    folder: PathBuf,
    _lock: File,
}

impl Profile {
    /// Makes the folder.
    ///
    /// # Errors
    /// As the file system says.
    pub async fn make(folder: PathBuf) -> std::io::Result<Self> {
        tokio::fs::create_dir_all(&folder).await?;
        let lock = File::open(&folder)?;
        match lock.try_lock() {
            // Some network file systems lock no folders: nothing is swept there.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { folder, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(ErrorKind::ResourceBusy.into()),
        }
    }

    /// Takes over a folder that nobody uses any more.
    pub fn abandoned(folder: &Path) -> Option<Self> {
        let lock = File::open(folder).ok()?;
        lock.try_lock().ok()?;
        Some(Self { folder: folder.to_owned(), _lock: lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Removes it, patiently: processes that were just killed may still write
    /// for a moment.
    pub async fn remove(&self) {
        for _ in 0..40 {
            match tokio::fs::remove_dir_all(&self.folder).await {
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
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
