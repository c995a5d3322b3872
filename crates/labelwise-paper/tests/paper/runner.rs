//! Many runs: the same on any number of threads, and the same however often they were interrupted.

use std::sync::atomic::{AtomicUsize, Ordering};

use labelwise::Seed;
use labelwise_paper::problem::{Experiment, SyntheticRegression};
use labelwise_paper::problem::{RegressionModel, Settings};
use labelwise_paper::run::{Folder, Manifest, Repeated, repeat};
use labelwise_paper::strategy::strategies;
use labelwise_paper::{Error, ExperimentSummary, Result, data};
use tempfile::{TempDir, tempdir};

use crate::toy::{Toy, names};

const SEED: Seed = Seed(17);

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn repeated(toy: &Toy, runs: usize, folder: &Folder) -> Result<Repeated> {
    repeat(toy, runs, SEED, folder, &|_| {})
}

#[test]
fn the_nth_run_has_the_nth_seed_on_any_number_of_threads() {
    // Blocks of 1, of 3 with a rest, and of the largest size.
    for runs in [2, 10, 250, 5001] {
        let expected = Toy::traces(runs as u64, SEED);
        for threads in [1, 3] {
            let folder = tempdir().unwrap();
            let opened = Toy::folder(folder.path(), runs, SEED);
            let repeated = on_threads(threads, || repeated(&Toy::lasting(), runs, &opened)).unwrap();
            assert!(repeated.traces == expected, "{runs} runs on {threads} threads");
            assert_eq!(names(&folder.path().join("traces")), ["toy.parquet", "toy.parquet.crc32"]);
        }
    }
}

#[test]
fn a_real_experiment_s_traces_and_summary_do_not_depend_on_threads() {
    let experiment = SyntheticRegression {
        name: "gp-on-gp",
        function: data::Function::GaussianProcess,
        model: RegressionModel::GaussianProcess,
        points: 20,
        train: 5,
        settings: Settings::Text,
        strategies: vec![strategies::UNIFORM, strategies::PROCESS, strategies::OURS],
    };
    let run = |threads| {
        let folder = tempdir().unwrap();
        let opened = Folder::open(folder.path(), Manifest::new("x", "text", "smoke", 5, Vec::new())).unwrap();
        let repeated = on_threads(threads, || repeat(&experiment, 30, Seed(5), &opened, &|_| {})).unwrap();
        let mut summary = ExperimentSummary::new(&experiment, &repeated).unwrap();
        summary.wall_seconds = 0.0;
        (repeated.traces, serde_json::to_string(&summary).unwrap())
    };
    let ((one, one_summary), (three, three_summary)) = (run(1), run(3));
    assert!(one == three);
    assert_eq!(one_summary, three_summary);
    assert_eq!(one.runs.len(), 30);
    assert_eq!(one.runs[29], experiment.run(Seed(5).repetition(29)).unwrap());
}

#[test]
fn traces_come_back_from_their_file_as_they_were() {
    let folder = tempdir().unwrap();
    let first = repeated(&Toy::lasting(), 250, &Toy::folder(folder.path(), 250, SEED)).unwrap();
    // Nothing is left to run, so an experiment that cannot run does as well.
    let spent = Toy::ending_after(0);
    let again = repeated(&spent, 250, &Toy::folder(folder.path(), 250, SEED)).unwrap();
    assert!(first.traces == again.traces && first.traces == Toy::traces(250, SEED));
    assert_eq!(first.seconds, again.seconds);
    assert_eq!(spent.begun.load(Ordering::SeqCst), 0);
}

/// A folder where the power went after so many runs.
fn interrupted(runs: usize, last: usize) -> TempDir {
    let folder = tempdir().unwrap();
    let opened = Toy::folder(folder.path(), runs, SEED);
    let error = on_threads(1, || repeated(&Toy::ending_after(last), runs, &opened)).err().unwrap();
    assert_eq!(error.to_string(), "the power is 0, but must be on");
    folder
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    // 250 runs are blocks of 3: of 100 runs the last is in no block yet.
    for (runs, last, kept) in [(10, 4, 4), (250, 100, 99), (250, 2, 0), (250, 249, 249)] {
        let folder = interrupted(runs, last);
        assert_eq!(names(&folder.path().join("traces")), [""; 0]);
        let toy = Toy::lasting();
        let told = AtomicUsize::new(0);
        let opened = Toy::folder(folder.path(), runs, SEED);
        let tell = |count| {
            told.fetch_add(count, Ordering::SeqCst);
        };
        let repeated = on_threads(3, || repeat(&toy, runs, SEED, &opened, &tell)).unwrap();
        assert!(repeated.traces == Toy::traces(runs as u64, SEED), "{runs} runs after {last}");
        assert_eq!(toy.begun.load(Ordering::SeqCst), runs - kept, "{runs} runs after {last}");
        assert_eq!(told.load(Ordering::SeqCst), runs);
        assert_eq!(names(folder.path()), ["lock", "manifest.json", "traces"], "the blocks are gone");
        assert_eq!(names(&folder.path().join("traces")), ["toy.parquet", "toy.parquet.crc32"]);
    }
}

#[test]
fn a_run_may_be_interrupted_again_and_again() {
    let folder = interrupted(60, 10);
    for _ in 0..4 {
        let opened = Toy::folder(folder.path(), 60, SEED);
        assert!(on_threads(2, || repeated(&Toy::ending_after(10), 60, &opened)).is_err());
    }
    let toy = Toy::lasting();
    let done = repeated(&toy, 60, &Toy::folder(folder.path(), 60, SEED)).unwrap();
    assert!(done.traces == Toy::traces(60, SEED));
    assert_eq!(toy.begun.load(Ordering::SeqCst), 10);
}

#[test]
fn what_was_half_written_is_removed() {
    let folder = interrupted(10, 4);
    let parts = [
        "blocks/toy-00007.parquet.unfinished-12-0",
        "traces/toy.parquet.unfinished-12-1",
        "report.html.unfinished-9-0",
    ];
    std::fs::create_dir_all(folder.path().join("traces")).unwrap();
    for part in parts {
        std::fs::write(folder.path().join(part), "half a fi").unwrap();
    }
    let opened = Toy::folder(folder.path(), 10, SEED);
    for part in parts {
        assert!(!folder.path().join(part).exists(), "{part}");
    }
    assert!(repeated(&Toy::lasting(), 10, &opened).unwrap().traces == Toy::traces(10, SEED));
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "traces"]);
}

#[test]
fn a_damaged_block_is_named_and_not_used() {
    let whole = {
        let folder = interrupted(10, 4);
        std::fs::read(folder.path().join("blocks/toy-00002.parquet")).unwrap()
    };
    let three_runs = {
        let folder = interrupted(250, 100);
        std::fs::read(folder.path().join("blocks/toy-00002.parquet")).unwrap()
    };
    let damages: [(&str, Vec<u8>, Option<&str>); 5] = [
        ("empty", Vec::new(), None),
        ("cut in the middle", whole[..whole.len() / 2].to_vec(), None),
        ("one byte short", whole[..whole.len() - 1].to_vec(), None),
        ("something else", b"PAR1 is not all there is to it PAR1".to_vec(), None),
        ("of other runs", three_runs, Some("its checksum is another")),
    ];
    for (damage, bytes, why) in damages {
        let folder = interrupted(10, 4);
        let block = folder.path().join("blocks/toy-00002.parquet");
        std::fs::write(&block, &bytes).unwrap();
        let opened = Toy::folder(folder.path(), 10, SEED);
        let error = repeated(&Toy::lasting(), 10, &opened).err().unwrap();
        let sentence = error.to_string();
        let Error::Damaged { path, why: reason } = error else { panic!("{damage}: {sentence}") };
        assert_eq!(path, block, "{damage}");
        let expected =
            format!("{} is damaged ({reason}): delete it, and labelwise computes it again", block.display());
        assert_eq!(sentence, expected, "{damage}");
        assert!(why.is_none_or(|why| why == reason), "{damage}: {reason}");
        assert_eq!(std::fs::read(&block).unwrap(), bytes, "{damage}: the file is as it was");
        // The way out that the sentence names is one.
        std::fs::remove_file(&block).unwrap();
        let toy = Toy::lasting();
        assert!(repeated(&toy, 10, &opened).unwrap().traces == Toy::traces(10, SEED), "{damage}");
        assert_eq!(toy.begun.load(Ordering::SeqCst), 7, "{damage}: the other three blocks are used");
    }
}

#[test]
fn a_block_with_any_one_bit_flipped_is_named_and_not_used() {
    let folder = interrupted(10, 4);
    let block = folder.path().join("blocks/toy-00002.parquet");
    let whole = std::fs::read(&block).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        std::fs::write(&block, &bytes).unwrap();
        let opened = Toy::folder(folder.path(), 10, SEED);
        let error = repeated(&Toy::ending_after(0), 10, &opened).err().unwrap();
        assert!(matches!(&error, Error::Damaged { path, .. } if *path == block), "byte {place}: {error}");
    }
}

#[test]
fn a_block_under_another_s_name_or_without_its_checksum_is_not_used() {
    let folder = interrupted(10, 4);
    let blocks = folder.path().join("blocks");
    for file in ["toy-00001.parquet", "toy-00001.parquet.crc32"] {
        std::fs::copy(blocks.join(file), blocks.join(file.replace("1.", "2."))).unwrap();
    }
    let opened = Toy::folder(folder.path(), 10, SEED);
    let error = repeated(&Toy::lasting(), 10, &opened).err().unwrap().to_string();
    assert!(error.contains("toy-00002.parquet is damaged (its checksum is another)"), "{error}");
    std::fs::remove_file(blocks.join("toy-00002.parquet.crc32")).unwrap();
    let error = repeated(&Toy::lasting(), 10, &opened).err().unwrap().to_string();
    assert!(error.contains("toy-00002.parquet is damaged (its checksum is missing)"), "{error}");
}

#[test]
fn blocks_that_a_kill_left_behind_finished_traces_are_removed() {
    let folder = interrupted(10, 4);
    let kept = tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path().join("blocks")).unwrap().flatten() {
        std::fs::copy(entry.path(), kept.path().join(entry.file_name())).unwrap();
    }
    let opened = Toy::folder(folder.path(), 10, SEED);
    repeated(&Toy::lasting(), 10, &opened).unwrap();
    std::fs::create_dir(folder.path().join("blocks")).unwrap();
    for entry in std::fs::read_dir(kept.path()).unwrap().flatten() {
        std::fs::copy(entry.path(), folder.path().join("blocks").join(entry.file_name())).unwrap();
    }
    assert!(repeated(&Toy::ending_after(0), 10, &opened).unwrap().traces == Toy::traces(10, SEED));
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "traces"]);
}

#[test]
fn traces_of_other_columns_are_named_and_not_used() {
    let folder = tempdir().unwrap();
    let opened = Toy::folder(folder.path(), 4, SEED);
    repeated(&Toy::lasting(), 4, &opened).unwrap();
    let other = SyntheticRegression {
        name: "toy",
        function: data::Function::Quadratic,
        model: RegressionModel::Linear,
        points: 12,
        train: 5,
        settings: Settings::Text,
        strategies: vec![strategies::UNIFORM, strategies::TRUE_LOSS, strategies::ARE_QUERIES],
    };
    let error = repeat(&other, 4, SEED, &opened, &|_| {}).err().unwrap().to_string();
    assert!(error.contains("its columns are those of another experiment"), "{error}");
}
