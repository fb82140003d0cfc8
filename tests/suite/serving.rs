//! `--serve`: the page of a run while it goes on. A test asks over the loopback address as a browser does, and waits
//! for what the page says, not for a time.

use crate::report::ENDLESS;
use plat_tests::browser::Browser;
use plat_tests::{Scratch, command, compile_bitcode, scratch};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run that goes on until it is ended, and its page.
struct Served {
    run: Child,
    port: u16,
    out: PathBuf,
    directory: Scratch,
}

impl Served {
    fn start(name: &str, options: &[&str]) -> Self {
        let directory = scratch(name);
        let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
        fs::write(&source, ENDLESS).expect("a source file");
        compile_bitcode(&source, &bitcode);
        let out = directory.join("out");
        let mut run = Command::new(command());
        run.args([
            "explore",
            "--quiet",
            "--serve",
            "--stats-write-interval",
            "100ms",
        ]);
        run.arg("--output-dir")
            .arg(&out)
            .args(options)
            .arg(&bitcode);
        run.args(["--sym-stdin", "200"]).stderr(Stdio::piped());
        let mut run = run.spawn().expect("started");
        let lines = BufReader::new(run.stderr.take().expect("its messages")).lines();
        let mut lines = lines.map_while(Result::ok);
        let port = lines.find_map(|line| {
            let rest = line.strip_prefix("plat: the page is http://127.0.0.1:")?;
            rest.trim_end_matches('/').parse().ok()
        });
        Served {
            run,
            port: port.expect("an address"),
            out,
            directory,
        }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection")
    }

    /// Asks, and again as the page does if there is no answer in time: the status, the tag, and the page.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String, String) {
        let begun = Instant::now();
        let port = self.port;
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: 127.0.0.1:{port}\r\n"),
        };
        let request =
            format!("{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n");
        let answer = loop {
            let mut stream = self.connect();
            let limit = Some(Duration::from_secs(10));
            stream.set_read_timeout(limit).expect("a time-out");
            stream.write_all(request.as_bytes()).expect("sent");
            let mut answer = Vec::new();
            match stream.read_to_end(&mut answer) {
                Ok(_) => break String::from_utf8(answer).expect("text"),
                Err(why) => assert!(begun.elapsed() < PATIENCE, "{why}"),
            }
        };
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        let tag = head.lines().find_map(|line| line.strip_prefix("ETag: "));
        (
            status.expect("a status"),
            tag.unwrap_or_default().to_owned(),
            body.to_owned(),
        )
    }

    /// Asks until the page is as wanted.
    fn wait_for(&self, what: &str, wanted: impl Fn(&str) -> bool) -> (String, String) {
        let begun = Instant::now();
        loop {
            let (status, tag, page) = self.ask("GET", "/", "");
            assert_eq!(status, 200);
            if wanted(&page) {
                return (tag, page);
            }
            assert!(begun.elapsed() < PATIENCE, "{what}: {page}");
        }
    }

    /// Asks the run to end, as Ctrl-C does.
    fn interrupt(&self) {
        let mut kill = Command::new("kill");
        kill.args(["-INT", &self.run.id().to_string()]);
        assert!(kill.status().expect("kill").success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.run.kill();
        let _ = self.run.wait();
    }
}

/// A main figure of a page.
fn figure<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let rest = page
        .split(&format!(
            "<div class=\"name\">{name}</div><div class=\"number\">"
        ))
        .nth(1)?;
    rest.split('<').next()
}

#[test]
fn figures_grow_while_the_run_goes_on_and_the_end_is_told() {
    let mut served = Served::start("serving", &[]);
    let (tag, page) = served.wait_for("figures", |page| {
        figure(page, "Instructions").is_some_and(|it| it != "0")
    });
    assert!(
        page.contains("going on")
            && page.contains(&format!("data-live=\"{}\"", tag.replace('"', "&quot;"))),
        "{tag}"
    );
    let before = figure(&page, "Instructions")
        .expect("instructions")
        .to_owned();
    let (later, _) = served.wait_for("growth", |page| {
        figure(page, "Instructions").is_some_and(|it| it != before)
    });
    assert_ne!(tag, later);
    // Who has the page hears that there is no newer one, until there is.
    let begun = Instant::now();
    let known = loop {
        let (_, tag, _) = served.ask("GET", "/", "");
        let (status, ..) = served.ask("GET", "/", &format!("If-None-Match: {tag}\r\n"));
        if status == 304 {
            break tag;
        }
        assert!(begun.elapsed() < PATIENCE, "always another page");
    };
    assert!(!known.is_empty());
    served.interrupt();
    // Who looks is told of the end before the page goes.
    let (_, page) = served.wait_for("the end", |page| page.contains("ended by: interrupted"));
    assert!(!page.contains("data-live"), "it goes on asking");
    let ended = served.run.wait().expect("ended");
    assert!(ended.success(), "{ended}");
    assert!(
        TcpStream::connect((Ipv4Addr::LOCALHOST, served.port)).is_err(),
        "still served"
    );
}

#[test]
fn only_the_page_is_served_and_only_to_this_machine() {
    let served = Served::start("serving-refused", &[]);
    assert_eq!(served.ask("GET", "/run.tests", "").0, 404);
    assert_eq!(served.ask("GET", "/../out/info", "").0, 404);
    assert_eq!(served.ask("POST", "/", "Content-Length: 0\r\n").0, 405);
    assert_eq!(served.ask("GET", "/", "Host: elsewhere.example\r\n").0, 403);
    // Browsers that hang keep neither others nor the run from going on.
    let hanging: Vec<TcpStream> = (0..30).map(|_| served.connect()).collect();
    for mut stream in &hanging {
        let _ = write!(
            stream,
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n",
            served.port
        );
    }
    let (_, page) = served.wait_for("figures", |page| figure(page, "Instructions").is_some());
    let before = figure(&page, "Instructions")
        .expect("instructions")
        .to_owned();
    served.wait_for("growth", |page| {
        figure(page, "Instructions").is_some_and(|it| it != before)
    });
}

#[test]
fn a_killed_run_takes_its_page_along() {
    let mut served = Served::start("serving-killed", &[]);
    served.wait_for("figures", |page| figure(page, "Instructions").is_some());
    served.run.kill().expect("killed");
    served.run.wait().expect("ended");
    let begun = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, served.port)).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "still served");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_port_in_use_is_said_before_the_run_begins() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let directory = scratch("serving-taken");
    let out = directory.join("out");
    let mut run = Command::new(command());
    run.arg("explore")
        .arg(format!("--serve={port}"))
        .arg("--output-dir")
        .arg(&out)
        .arg("none.bc");
    let output = run.output().expect("run");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains(&format!("--serve={port}: cannot listen there")),
        "{said}"
    );
    assert!(said.lines().count() == 1 && !out.exists(), "{said}");
}

#[test]
fn a_browser_takes_newer_figures_by_itself() {
    let Some(browser) = Browser::installed() else {
        return;
    };
    let served = Served::start("serving-browser", &[]);
    served.wait_for("figures", |page| figure(page, "Instructions").is_some());
    let address = format!("http://127.0.0.1:{}/", served.port);
    let begun = Instant::now();
    loop {
        let shown = browser.shown(&address, &served.directory);
        assert!(shown.contains(">live</span>"), "{shown}");
        // How often the script has put newer figures in.
        let times = shown
            .split("data-shown=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        if times.is_some() {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{shown}");
    }
    assert!(served.out.exists());
}
