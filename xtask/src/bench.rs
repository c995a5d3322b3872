//! The benchmarks, each with its Python peer.

use std::path::Path;

use crate::process::{Failure, cargo, program, run};
use crate::steps::Steps;
use crate::{executable, install, java, networks, package, python};

/// Those that cargo runs: a package and a benchmark, which starts its peer by itself.
const OF_CARGO: [(&str, &str); 5] = [
    ("labelwise", "scaling"),
    ("labelwise", "recalibrated"),
    ("labelwise-models", "gp"),
    ("labelwise-models", "forest"),
    ("labelwise-paper", "synthetic"),
];

/// All of them, in the order in which they run.
pub(crate) const NAMES: [&str; 13] = [
    "scaling",
    "recalibrated",
    "gp",
    "forest",
    "synthetic",
    "networks",
    "durable",
    "elsewhere",
    "labelling",
    "judges",
    "peers",
    "package",
    "engines",
];

/// Other packages for the same job, each of which brings libraries of its own.
const JUDGES: python::Environment =
    python::Environment { folder: "python-judges", requirements: "benches/requirements-judges.txt" };

/// The variable that names a folder of pools for the benchmark of judges; see `scripts/make_judge_pools.py`.
const POOLS: &str = "LABELWISE_POOLS";

/// What was asked for.
pub(crate) struct Asked<'a> {
    quick: bool,
    /// All, where there is none.
    names: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// What the words after `bench` ask for, or the first that is neither an option nor a benchmark.
    pub(crate) fn from(words: &[&'a str]) -> Result<Self, &'a str> {
        let (options, names): (Vec<_>, Vec<_>) = words.iter().copied().partition(|word| *word == "--quick");
        match names.iter().find(|name| !NAMES.contains(name)) {
            Some(unknown) => Err(unknown),
            None => Ok(Self { quick: !options.is_empty(), names }),
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.contains(&name)
    }
}

/// Runs the benchmarks.
pub(crate) fn run_all(root: &Path, asked: &Asked<'_>) -> Result<(), Failure> {
    let options: &[&str] = if asked.quick { &["--quick"] } else { &[] };
    let or_less = |less: &'static [&'static str]| if asked.quick { less } else { &[] };
    const ENVIRONMENT: &str = "Python environment";
    let wanted = NAMES.into_iter().filter(|name| asked.wants(name));
    let mut steps = Steps::new(&[ENVIRONMENT].into_iter().chain(wanted).collect::<Vec<_>>());
    let python = steps.run(ENVIRONMENT, || python::environment(root, &python::SCRIPTS))?;
    for (package, bench) in OF_CARGO.into_iter().filter(|(_, bench)| asked.wants(bench)) {
        steps.run(bench, || {
            run(cargo(root)
                .args(["bench", "-p", package, "--bench", bench, "--"])
                .args(options)
                .env("LABELWISE_PYTHON", &python))
        })?;
    }
    if asked.wants("networks") {
        steps.run("networks", || networks::bench(root, options))?;
    }
    if asked.wants("durable") {
        steps.run("durable", || {
            install(&python, root, "benches/requirements.txt")?;
            let labelwise = executable::release(root)?;
            let rows = or_less(&["--rows", "1000000", "--rounds", "1"]);
            run(program(&python, root).arg("benches/durable.py").arg(labelwise).args(rows))
        })?;
    }
    if asked.wants("elsewhere") {
        steps.run("elsewhere", || {
            install(&python, root, "benches/requirements.txt")?;
            let labelwise = executable::release(root)?;
            let rows = or_less(&["--rows", "1000000", "--scores", "2000000", "--rounds", "1"]);
            run(program(&python, root).arg("benches/elsewhere.py").arg(labelwise).args(rows))
        })?;
    }
    if asked.wants("labelling") {
        steps.run("labelling", || {
            let labelwise = executable::release(root)?;
            let less = or_less(&["--rows", "100000", "--seconds", "10"]);
            run(program(&python, root).arg("benches/labelling.py").arg(labelwise).args(less))
        })?;
    }
    if asked.wants("judges") {
        steps.run("judges", || {
            let peers = python::environment_of(python::newest(root), root, &JUDGES)?;
            let labelwise = executable::release(root)?;
            let pools = root.join("target").join("judges");
            // Without a folder of their own, people see the pools that need no data.
            let given = std::env::var_os(POOLS).map_or_else(|| root.join("examples"), Into::into);
            run(program(&python, root).arg("scripts/make_judge_pools.py").arg(given).arg(&pools))?;
            let less = or_less(&["--budgets", "50,100", "--runs", "20"]);
            run(program(&peers, root).arg("benches/judges.py").arg(labelwise).arg(pools).args(less))
        })?;
    }
    if asked.wants("package") {
        steps.run("package", || {
            let python = package::release(root)?;
            let asking = executable::example(root, "labelwise", "asking")?;
            let rows = or_less(&["--rows", "1000000", "--rounds", "2"]);
            run(program(&python, root).arg("benches/python.py").arg(asking).args(rows))
        })?;
    }
    if asked.wants("peers") {
        steps.run("peers", || {
            let python = python::environment_of(python::newest(root), root, &JUDGES)?;
            package::release_into(root, &python)?;
            let less = or_less(&["--runs", "50", "--labels", "100"]);
            run(program(&python, root).arg("benches/peers.py").args(less))
        })?;
    }
    if asked.wants("engines") {
        steps.run("engines", || {
            java::ensure(root)?;
            let python = package::engines(root)?;
            package::release_into(root, &python)?;
            let rows = or_less(&["--rows", "1000000", "--rounds", "2"]);
            run(program(&python, root).arg("benches/engines.py").args(rows))
        })?;
    }
    steps.print_times();
    Ok(())
}
