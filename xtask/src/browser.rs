//! The page of a report in a real browser: what its tests need, the tests, and the pictures of our documentation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::built;
use crate::process::{self, root, target};

/// Names of the browser, as systems have it.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Tests the page in a browser, or says why that is not possible here.
pub fn test(browser: Result<Browser, String>) -> Result<(), String> {
    let browser = match browser {
        Ok(browser) => browser,
        Err(why) => {
            eprintln!("skipped: the page of a report was not tested in a browser: {why}");
            return Ok(());
        }
    };
    let demo = Demo::make(&built::build()?)?;
    let mut command = browser.run("check.mjs");
    process::run(command.arg(&demo.page).arg(&demo.json))
}

/// Makes the pictures in `docs/images`.
pub fn screenshots() -> Result<(), String> {
    let browser = Browser::found()?;
    let demo = Demo::make(&built::build()?)?;
    let images = root().join("docs/images");
    fs::create_dir_all(&images).map_err(|error| error.to_string())?;
    let mut command = browser.run("screenshots.mjs");
    process::run(command.arg(&demo.page).arg(&demo.json).arg(&images))
}

/// A project with everything that the page shows, and its reports.
struct Demo {
    page: PathBuf,
    json: PathBuf,
}

impl Demo {
    fn make(programs: &Path) -> Result<Self, String> {
        let folder = target().join("browser/sketches");
        process::run(Command::new(programs.join("report-project")).arg(&folder))?;
        let demo = Demo {
            page: folder.join("target/flex/report.html"),
            json: folder.join("report.json"),
        };
        for (format, out) in [("html", &demo.page), ("json", &demo.json)] {
            let mut report = Command::new(programs.join("flex-harness"));
            report.args(["report", "--format", format, "--manifest-path"]);
            report.arg(folder.join("Cargo.toml")).arg("--pytest");
            report.arg(folder.join("python")).arg("--out").arg(out);
            process::run(&mut report)?;
        }
        Ok(demo)
    }
}

/// A browser, and what drives it.
pub struct Browser {
    program: PathBuf,
    modules: PathBuf,
}

impl Browser {
    /// Finds a browser and the packages that drive it, and installs what is missing where that is possible.
    pub fn found() -> Result<Self, String> {
        let program = installed().or_else(|| {
            install_browser();
            installed()
        });
        let program = program.ok_or(
            "there is no Chromium, and apt-get does not install one here; `apt-get install chromium` does as root",
        )?;
        let modules = target().join("browser");
        let wanted = root().join("tests/browser/package.json");
        let text = fs::read_to_string(&wanted).map_err(|error| error.to_string())?;
        let known = modules.join("package.json");
        if !fs::read_to_string(&known).is_ok_and(|known| known == text) {
            fs::create_dir_all(&modules).map_err(|error| error.to_string())?;
            let mut npm = Command::new("npm");
            npm.current_dir(&modules);
            npm.args(["install", "--prefix", ".", "--silent"]);
            npm.args(["--no-audit", "--no-fund", "--no-save"]);
            let packages = packages(&text);
            process::run(npm.args(packages)).map_err(|error| {
                format!("{error}; it installs what drives the browser, and needs Node.js")
            })?;
            // The last step, so that what is half done is done again.
            fs::write(&known, text).map_err(|error| error.to_string())?;
        }
        Ok(Browser { program, modules })
    }

    /// A script of `tests/browser`.
    pub fn run(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command
            .arg(root().join("tests/browser").join(script))
            .env("FLEX_BROWSER", &self.program)
            .env("FLEX_BROWSER_MODULES", &self.modules);
        command
    }
}

/// The packages of a manifest, as npm takes them: `name@version`.
fn packages(manifest: &str) -> Vec<String> {
    let lines = manifest
        .lines()
        .skip_while(|line| !line.contains("\"dependencies\""));
    let words = lines
        .skip(1)
        .map(|line| line.split('"').collect::<Vec<&str>>());
    words
        .filter_map(|words| Some(format!("{}@{}", words.get(1)?, words.get(3)?)))
        .collect()
}

fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
}

/// Installs Debian's Chromium, where somebody may. If it does not work, its absence says so.
fn install_browser() {
    let install = "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium";
    let _ = process::run(Command::new("sh").args(["-c", install]));
}
