//! The page of a run that goes on, over HTTP. It is read from the run's files, so that who serves it may be
//! another process, and does not disturb the run: a page is made when it is asked for, if files have
//! changed since, and at most so often that it takes a tenth of a processor's time.
//!
//! A page has a tag. Who has it already is told that there is no newer one (304).

use crate::gather::Named;
use crate::model::Report;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Time between two looks whether the run is over.
const TICK: Duration = Duration::from_millis(100);

/// A page is at least so old before the next one is made.
const LEAST_AGE: Duration = Duration::from_millis(500);

/// How much longer than its making takes.
const SHARE: u32 = 10;

/// Browsers that are answered at once. One that does not read its answer keeps its place.
const MOST: usize = 16;

/// Who has asked within this time is taken to be looking.
const LOOKING: Duration = Duration::from_secs(3);

/// What is shown until the run has files.
const BEGINNING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">\
                         <title>plat</title><p>The run is about to begin.</p></html>";

/// A page that was made.
struct Page {
    text: Arc<str>,
    tag: String,
    /// What the files were like.
    files: Vec<(u64, Option<SystemTime>)>,
    made: Instant,
    took: Duration,
    /// Whether it says that the run is over.
    last: bool,
}

/// What was asked lately.
#[derive(Default)]
struct Asked {
    last: Option<Instant>,
    /// Whether the page of the end was sent.
    end: bool,
}

/// The page of a run, to be served.
pub struct Live {
    run: Named,
    page: Mutex<Option<Page>>,
    asked: Mutex<Asked>,
    busy: AtomicUsize,
}

impl Live {
    /// Takes a port of the loopback address; any that is free for 0.
    ///
    /// # Errors
    /// When that cannot be had.
    pub fn listen(port: u16) -> io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
    }

    /// For the run of a directory.
    pub fn new(run: Named) -> Self {
        Live {
            run,
            page: Mutex::default(),
            asked: Mutex::default(),
            busy: AtomicUsize::new(0),
        }
    }

    /// Answers until the run is over, and until who looks has been told so. `over` says that there is
    /// nothing to wait for any more.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn serve(self, listener: TcpListener, over: impl Fn() -> bool) -> io::Result<()> {
        let failed = |why: Box<dyn std::error::Error + Send + Sync>| io::Error::other(why);
        let server = Server::from_listener(listener, None).map_err(failed)?;
        let port = server.server_addr().to_ip().map_or(0, |at| at.port());
        let live = Arc::new(self);
        let mut ended = None;
        loop {
            if over() || live.run.directory.join("summary.json").is_file() {
                let since = *ended.get_or_insert_with(Instant::now);
                // An answer that is being sent may be that of the end.
                let answered = !live.is_awaited() && live.busy.load(Ordering::Acquire) == 0;
                if answered || since.elapsed() >= LOOKING {
                    return Ok(());
                }
            }
            if let Some(request) = server.recv_timeout(TICK)? {
                live.answer(request, port);
            }
        }
    }

    /// Whether somebody looks who has not seen the end.
    fn is_awaited(&self) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let looks = asked.last.is_some_and(|last| last.elapsed() < LOOKING);
        looks && !asked.end
    }

    fn answer(self: &Arc<Self>, request: Request, port: u16) {
        if self.busy.fetch_add(1, Ordering::Relaxed) >= MOST {
            self.busy.fetch_sub(1, Ordering::Relaxed);
            // A request that goes without an answer is answered with an error.
            drop(request);
            return;
        }
        let live = Arc::clone(self);
        // Each on its own: an answer that is not read keeps its thread, and no other.
        let spawned = std::thread::Builder::new().spawn(move || {
            live.respond(request, port);
            live.busy.fetch_sub(1, Ordering::Release);
        });
        if spawned.is_err() {
            self.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn respond(&self, request: Request, port: u16) {
        let refused = |status: u16| Response::from_string("").with_status_code(StatusCode(status));
        let header = |name: &'static str| {
            let headers = request.headers().iter();
            let mut found = headers.filter(move |header| header.field.equiv(name));
            found.next().map(|header| header.value.as_str())
        };
        // A page of another name that leads here is not to read this one.
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let answer = match (request.method(), request.url(), header("Host")) {
            (_, _, host) if !hosts.iter().any(|own| host == Some(own)) => refused(403),
            (Method::Get | Method::Head, "/", _) => {
                let (text, tag, last) = self.page();
                let known = tag.is_some() && header("If-None-Match") == tag.as_deref();
                self.note(last);
                let answer = match known {
                    true => Response::from_string("").with_status_code(StatusCode(304)),
                    false => Response::from_string(&*text),
                };
                let tag = tag.as_deref().unwrap_or_default();
                let headers = [
                    ("Content-Type", "text/html; charset=utf-8"),
                    ("Cache-Control", "no-store"),
                    ("ETag", tag),
                ];
                let headers = headers.into_iter().filter(|(_, value)| !value.is_empty());
                let headers =
                    headers.filter_map(|(name, value)| Header::from_bytes(name, value).ok());
                // With its length, in one piece.
                let answer = answer.with_chunked_threshold(usize::MAX);
                headers.fold(answer, Response::with_header)
            }
            (Method::Get | Method::Head, ..) => refused(404),
            _ => refused(405),
        };
        // A browser that has gone is no reason to do anything.
        let _ = request.respond(answer);
    }

    fn note(&self, last: bool) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.last = Some(Instant::now());
        asked.end |= last;
    }

    /// The page, its tag, and whether it is that of the end.
    fn page(&self) -> (Arc<str>, Option<String>, bool) {
        // Whoever comes meanwhile waits for the page that is being made.
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let files = files(&self.run.directory);
        let fresh = page.as_ref().is_some_and(|page| {
            let ended = !page.last && self.run.directory.join("summary.json").is_file();
            let young = page.made.elapsed() < LEAST_AGE.max(page.took * SHARE);
            page.files == files || young && !ended
        });
        if !fresh {
            let number = page.as_ref().map_or(0, |page| number(&page.tag)) + 1;
            let begun = Instant::now();
            // Until the run has files there is nothing to read.
            if let Ok(report) = Report::gather(std::slice::from_ref(&self.run)) {
                let tag = format!("\"{number}\"");
                let last = report.runs.iter().all(|run| run.summary.is_some());
                let text = report.to_live_html(&tag);
                *page = Some(Page {
                    text: text.into(),
                    tag,
                    files,
                    made: Instant::now(),
                    took: begun.elapsed(),
                    last,
                });
            }
        }
        match page.as_ref() {
            Some(page) => (Arc::clone(&page.text), Some(page.tag.clone()), page.last),
            None => (BEGINNING.into(), None, false),
        }
    }
}

/// The number in a tag.
fn number(tag: &str) -> u64 {
    tag.trim_matches('"').parse().unwrap_or(0)
}

/// Lengths and times of the files of a run.
fn files(directory: &Path) -> Vec<(u64, Option<SystemTime>)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let metadata = entries.filter_map(|entry| entry.metadata().ok());
    let mut files: Vec<_> = metadata.map(|it| (it.len(), it.modified().ok())).collect();
    files.sort_unstable();
    files
}
