//! The examples that teach are run, so that they stay right.

#[path = "../examples/compare_two_models.rs"]
mod compare_two_models;
#[path = "../examples/custom_loss.rs"]
mod custom_loss;
#[path = "../examples/custom_surrogate.rs"]
mod custom_surrogate;
#[path = "../examples/quickstart.rs"]
mod quickstart;

#[test]
fn quickstart_runs() {
    assert_eq!(quickstart::main(), Ok(()));
}

#[test]
fn custom_loss_runs() {
    assert_eq!(custom_loss::main(), Ok(()));
}

#[test]
fn custom_surrogate_runs() {
    assert!(custom_surrogate::main().is_ok());
}

#[test]
fn compare_two_models_runs() {
    assert_eq!(compare_two_models::main(), Ok(()));
}
