use std::sync::Arc;

use tokio::sync::Semaphore;

use super::WorkError;

/// Runs work that would hold an arbiter for more than a millisecond on blocking
/// threads, as many at a time as there are cores.
#[derive(Clone)]
pub struct CpuPool {
    cores: Arc<Semaphore>,
}

impl Default for CpuPool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cores: Arc::new(Semaphore::new(cores)) }
    }
}

impl CpuPool {
    /// Runs `work` when a core is free.
    ///
    /// # Errors
    /// [`WorkError::Internal`] when the work panics; the caller's actor lives.
    pub async fn run<T, F>(&self, work: F) -> Result<T, WorkError>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let core =
            self.cores.clone().acquire_owned().await.map_err(|closed| WorkError::Internal(closed.to_string()))?;
        let running = tokio::task::spawn_blocking(move || {
            // Held by the work, not by the waiting: a caller that leaves does
            // not free a core that is still busy.
            let _core = core;
            work()
        });
        running.await.map_err(|failure| WorkError::Internal(failure.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn a_panic_in_the_work_is_an_error_and_frees_the_core() {
        let pool = CpuPool { cores: Arc::new(Semaphore::new(1)) };
        let failed: Result<(), _> = pool.run(|| panic!("as the test asked")).await;
        assert!(matches!(failed, Err(WorkError::Internal(_))));
        assert_eq!(pool.run(|| 7).await.ok(), Some(7));
    }
}
