//! Pages driven in a real browser, where one is installed.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A browser that shows pages without a window.
pub struct Browser(String);

impl Browser {
    /// One that is installed, or that PLAT_BROWSER names. Says so if there is none.
    pub fn installed() -> Option<Self> {
        let named = std::env::var("PLAT_BROWSER");
        let mut known = vec!["chromium", "chromium-browser", "google-chrome"];
        known.extend(named.as_deref());
        let found = known.iter().rev().find(|name| {
            let mut command = Command::new(name);
            let version = command.arg("--version").stderr(Stdio::null()).output();
            version.is_ok_and(|output| output.status.success())
        });
        if found.is_none() {
            println!(
                "not driven in a browser: none of {} is installed",
                known.join(", ")
            );
        }
        found.map(|name| Self((*name).to_string()))
    }

    /// Uses every link and control of a page, in a window of this width, and reads it in the dark and in the light;
    /// what was done. Files go to the directory.
    ///
    /// # Panics
    /// When something is wrong with the page.
    pub fn drive(&self, page: &str, width: u32, directory: &Path) -> Value {
        let script = include_str!("browser/drive.js");
        self.in_frame(page, script, width, directory)
    }

    /// Looks at a page as it is printed, on a sheet of this width: its rules for paper hold for the screen.
    ///
    /// # Panics
    /// When something is wrong with the page.
    pub fn print(&self, page: &str, width: u32, directory: &Path) -> Value {
        assert!(page.contains("@media print"), "no rules for paper");
        let page = page.replace("@media print", "@media all");
        let script = include_str!("browser/paper.js");
        self.in_frame(&page, script, width, directory)
    }

    /// Runs a script in a page, which says what was wrong and what it did.
    fn in_frame(&self, page: &str, script: &str, width: u32, directory: &Path) -> Value {
        let recorder = "<script>window.wrongs = []; addEventListener('error', (it) => wrongs.push(it.message)); \
                    addEventListener('unhandledrejection', (it) => wrongs.push(String(it.reason)));</script>";
        let contrast = include_str!("browser/contrast.js");
        let driver = format!("<script>{contrast}{script}</script></body>");
        let page = page.replacen("<head>", &format!("<head>{recorder}"), 1);
        let page = page.replacen("</body>", &driver, 1);
        let file = |name: &str| directory.join(format!("{name}-{width}.html"));
        fs::write(file("driven"), page).expect("written");
        let frame = format!(
            "<!doctype html><iframe src=\"file://{}\" style=\"width:{width}px;height:900px;border:0\"></iframe>\
         <pre id=\"said\"></pre><script>addEventListener('message', (it) => said.textContent = it.data)</script>",
            file("driven").display()
        );
        fs::write(file("frame"), frame).expect("written");
        let address = format!("file://{}", file("frame").display());
        let mut command = self.command(&address, Some(20), directory);
        let output = command.output().expect("the browser");
        let document = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = document.split("<pre id=\"said\">").nth(1);
        let said = said.and_then(|rest| rest.split("</pre>").next());
        let text = said
            .unwrap_or_default()
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let said: Value = serde_json::from_str(&text).unwrap_or_else(|_| {
            let why = String::from_utf8_lossy(&output.stderr);
            panic!("the page was not driven to its end: {text:?}\n{why}")
        });
        assert_eq!(said["wrong"], serde_json::json!([]), "{said}");
        assert_eq!(said["did"]["width"], width, "{said}");
        said["did"].clone()
    }

    /// A page as its scripts have made it after ten minutes of their clock, which runs as fast as it can.
    ///
    /// # Panics
    /// When the browser does not start.
    pub fn shown(&self, address: &str, directory: &Path) -> String {
        let output = self.command(address, Some(600), directory).output();
        let output = output.expect("the browser");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// How long a page takes to open: until it is drawn and its scripts have run, without the browser's own start. The
    /// shortest of three times, as the machine does other things.
    ///
    /// # Panics
    /// When the browser does not start.
    pub fn opening(&self, page: &Path, directory: &Path) -> Duration {
        let empty = directory.join("empty.html");
        fs::write(&empty, "<!doctype html><title>empty</title>").expect("written");
        let once = |file: &Path| {
            let address = format!("file://{}", file.display());
            let mut command = self.command(&address, None, directory);
            let begun = Instant::now();
            let output = command.output().expect("the browser");
            assert!(output.status.success() && !output.stdout.is_empty());
            begun.elapsed()
        };
        let shortest = |file| (0..3).map(|_| once(file)).min().expect("three times");
        let start = shortest(&empty);
        shortest(page).saturating_sub(start)
    }

    /// Prints the document of an address when its scripts have done what they do in so many seconds.
    fn command(&self, address: &str, seconds: Option<u32>, directory: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args([
            "120",
            &self.0,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
        ]);
        command.args([
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
        ]);
        command.args([
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1400,1000",
        ]);
        if let Some(seconds) = seconds {
            command.arg(format!("--virtual-time-budget={}", 1000 * seconds));
        }
        command.arg("--dump-dom");
        command.arg(format!(
            "--user-data-dir={}",
            directory.join("browser").display()
        ));
        command.arg(address);
        command
    }
}
