//! Campaigns of damaged and hostile files; `cargo xtask reliability` runs it.

use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use labelwise_fuzz::random::Random;
use labelwise_fuzz::supervisor::{self, Campaign, Outcome};
use labelwise_fuzz::{Bench, Target, campaign, hostile};

const HELP: &str = "\
Damaged and hostile files for every reader of labelwise.

Usage:
  labelwise-fuzz run [--executions N] [--seed S] [--hours H] [TARGET...]
                   Run N inputs of each target, counted from the seed S, for at
                   most H hours in all.
  labelwise-fuzz one TARGET SEED EXECUTION [FILE]
                   Run one input again, and write it to FILE.
  labelwise-fuzz hostile PROGRAM [--quick]
                   Give hostile pools to the program; --quick leaves out those
                   that take long to make.
  labelwise-fuzz seeds TARGET FOLDER
                   Write 200 inputs for `cargo fuzz` to start from.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["run", rest @ ..] => run(rest),
        ["one", target, seed, execution, file @ ..] => one(target, seed, execution, file.first().copied()),
        ["hostile", program, rest @ ..] => hostile::run(Path::new(program), rest == ["--quick"]),
        ["seeds", target, folder] => seeds(target, Path::new(folder)),
        ["work", target, seed, from, to, record] => work(target, [seed, from, to], Path::new(record)),
        _ => {
            print!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("labelwise-fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

type Done = Result<bool, Box<dyn std::error::Error>>;

/// Runs targets; true if nothing went wrong.
fn run(words: &[&str]) -> Done {
    let (mut executions, mut seed, mut hours, mut targets) = (10_000_u64, 0_u64, 24.0_f64, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--executions" => executions = number(words.next())?,
            "--seed" => seed = number(words.next())?,
            "--hours" => hours = number(words.next())?,
            name => targets.push(Target::from_str(name)?),
        }
    }
    if targets.is_empty() {
        targets = Target::ALL.to_vec();
    }
    let most = Duration::try_from_secs_f64(hours * 3600.0)? / u32::try_from(targets.len())?;
    let mut good = true;
    println!("seed {seed}");
    println!(
        "{:<11} {:>11} {:>7} {:>9} {:>9} {:>7} {:>7} {:>6} {:>8} {:>9} {:>8}",
        "target",
        "executions",
        "read",
        "estimated",
        "simulated",
        "panics",
        "aborts",
        "hangs",
        "peak MB",
        "slowest",
        "time"
    );
    for target in targets {
        let outcome = supervisor::run(&Campaign { target, seed, executions, most })?;
        print(target, &outcome);
        good &= outcome.is_good();
    }
    Ok(good)
}

fn print(target: Target, outcome: &Outcome) {
    let counts = &outcome.counts;
    let all = outcome.counts.executions + (outcome.aborts.len() + outcome.hangs.len()) as u64;
    let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64);
    println!(
        "{target:<11} {all:>11} {:>7} {:>9} {:>9} {:>7} {:>7} {:>6} {:>8} {:>6} ms {:>6} s",
        share(counts.read),
        share(counts.estimated),
        share(counts.simulated),
        counts.panics,
        outcome.aborts.len(),
        outcome.hangs.len(),
        outcome.peak,
        counts.slowest.as_millis(),
        outcome.took.as_secs(),
    );
    for (execution, how) in &outcome.aborts {
        println!("  execution {execution} ended its process: {how}");
    }
    for execution in &outcome.hangs {
        println!("  execution {execution} did not end");
    }
    let mut texts = outcome.panics.clone();
    texts.sort();
    texts.dedup();
    texts.iter().for_each(|text| println!("  {text}"));
}

/// Runs one input with its panics printed.
fn one(target: &str, seed: &str, execution: &str, file: Option<&str>) -> Done {
    let target = Target::from_str(target)?;
    let bench = Bench::new(target);
    let input = bench.input(&mut Random::of(seed.parse()?, execution.parse()?));
    if let Some(file) = file {
        std::fs::write(file, &input)?;
    }
    println!("{target}: {} bytes: {:?}", input.len(), bench.run(&input));
    Ok(true)
}

fn seeds(target: &str, folder: &Path) -> Done {
    let target = Target::from_str(target)?;
    std::fs::create_dir_all(folder)?;
    for execution in 0..200 {
        std::fs::write(folder.join(execution.to_string()), campaign::input(target, 0, execution))?;
    }
    Ok(true)
}

fn work(target: &str, numbers: [&str; 3], record: &Path) -> Done {
    let [seed, from, to] = numbers.map(u64::from_str);
    supervisor::work(Target::from_str(target)?, seed?, from?..to?, record)?;
    Ok(true)
}

fn number<T: FromStr>(word: Option<&&str>) -> Result<T, String> {
    let word = word.ok_or("an option needs a number")?;
    word.parse().map_err(|_| format!("{word} is not a number"))
}
