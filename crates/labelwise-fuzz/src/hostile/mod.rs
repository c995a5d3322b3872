//! Hostile pools, given to the real program: how it ends, how long it takes, and how much memory.

mod bombs;
mod crafted;

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Address space that the program gets, in kilobytes: an allocation beyond it would abort it.
const ADDRESS_SPACE: u64 = 4 << 20;

/// Memory that a file below 10 MB may take, in MB.
const MEMORY: u64 = 1024;

/// Time that it may take.
const TIME: Duration = Duration::from_secs(60);

/// How often memory is looked at. The system keeps the largest value, so only what grows in the last moment is missed.
const LOOK: Duration = Duration::from_millis(2);

/// A hostile file: its name, and what writes it.
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    /// Whether it is small enough for every run of the tests.
    pub(crate) quick: bool,
    pub(crate) write: fn(File) -> Written,
}

pub(crate) type Written = Result<(), Box<dyn std::error::Error>>;

/// How the program ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    took: Duration,
    /// Largest memory, in MB.
    peak: u64,
    said: String,
}

/// Gives every hostile file to the program; true if it bore all of them.
pub fn run(program: &Path, quick: bool) -> Result<bool, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut good = true;
    println!("{:<24} {:>10} {:>5} {:>8} {:>8}  answer", "file", "bytes", "exit", "time", "peak MB");
    let files = bombs::ALL.iter().chain(&crafted::ALL).filter(|file| file.quick || !quick);
    for file in files {
        let path = folder.path().join(file.name);
        (file.write)(File::create(&path)?)?;
        let bytes = path.metadata()?.len();
        let ended = new(program, &path)?;
        let borne = matches!(ended.code, Some(0 | 2))
            && ended.took < TIME
            && ended.peak <= MEMORY
            && !ended.said.contains("panicked");
        let code = ended.code.map_or_else(|| "died".to_owned(), |code| code.to_string());
        let said = ended.said.replace(&folder.path().display().to_string(), "").replace('\n', " ");
        let mark = if borne { "" } else { "FAILED: " };
        println!(
            "{:<24} {bytes:>10} {code:>5} {:>6.1} s {:>8}  {mark}{}",
            file.name,
            ended.took.as_secs_f64(),
            ended.peak,
            said.chars().take(110).collect::<String>()
        );
        good &= borne;
        std::fs::remove_file(&path)?;
        let _ = std::fs::remove_file(path.with_extension("labelwise"));
    }
    println!(
        "limits: exit 0 or 2, {} s, {MEMORY} MB, address space {} GB",
        TIME.as_secs(),
        ADDRESS_SPACE >> 20
    );
    Ok(good)
}

/// `labelwise new` of a file.
fn new(program: &Path, path: &Path) -> io::Result<Ended> {
    let said = tempfile::NamedTempFile::new()?;
    let started = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; ulimit -c 0; exec \"$0\" \"$@\"")])
        .arg(program)
        .arg("new")
        .arg(path)
        .arg("--out")
        .arg(path.with_extension("labelwise"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.reopen()?)
        .spawn()?;
    let mut peak = 0;
    let code = loop {
        peak = peak.max(memory(child.id()));
        if let Some(status) = child.try_wait()? {
            break status.code();
        }
        if started.elapsed() > TIME {
            child.kill()?;
            break child.wait()?.code();
        }
        sleep(LOOK);
    };
    let text = std::fs::read(said.path())?;
    let said = String::from_utf8_lossy(&text).into_owned();
    Ok(Ended { code, took: started.elapsed(), peak, said })
}

/// The largest memory of a process so far, in MB.
pub(crate) fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
