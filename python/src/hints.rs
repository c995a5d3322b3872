//! The argument that helps with a pool. The libraries name choices; the names of arguments are known only here.

use labelwise_study::{Guess, LikelyColumns, Looks, PoolError, Purpose, RowFault};

/// The argument that helps with a pool.
pub(crate) fn of_pool(error: &PoolError) -> Option<String> {
    let one = |column: &str| format!("columns={{\"probability\": {column:?}}}");
    Some(match error {
        PoolError::Rows { guess: Some(guess), .. } => of_guess(guess),
        PoolError::NotLogits { guess, .. } => of_not_logits(guess),
        PoolError::NoFamily { likely: Some(likely), .. } => match likely {
            LikelyColumns::OneOfTwo(column) => {
                format!("if {column:?} is the probability of one of two classes: {}", one(column))
            }
            LikelyColumns::Logits(pattern) => {
                format!("if these are logits: columns={{\"logits\": {pattern:?}}}")
            }
            LikelyColumns::Mean(error) => {
                let error = error.map(|name| format!(", {name:?}: {name:?}")).unwrap_or_default();
                format!("if \"mean\" is the predicted number: columns={{\"mean\": \"mean\"{error}}}")
            }
        },
        PoolError::TooFewClasses { purpose: Purpose::Probabilities, found: 1, pattern, .. }
            if !pattern.contains('*') =>
        {
            format!("for a model with two classes and one column: {}", one(pattern))
        }
        PoolError::Rows { rows, .. }
            if rows.iter().any(|row| matches!(row.fault, RowFault::ProbabilitySum { .. })) =>
        {
            "the probabilities of one item sum to 1: check that all classes have a column".to_owned()
        }
        PoolError::DeviationColumn { column, .. } => {
            format!("give it as \"std\": {column:?} in place of \"variance\"")
        }
        PoolError::VarianceColumn { column, .. } => {
            format!("give it as \"variance\": {column:?} in place of \"std\"")
        }
        PoolError::ManyDecimals { column, .. } => format!(
            "for predicted numbers give \"mean\": {column:?}, for the probability of one of two classes \"probability\": \
             {column:?}, for your own scores \"scores\": {column:?}"
        ),
        _ => return None,
    })
}

/// The argument for numbers that are not plain probabilities.
pub(crate) fn of_guess(guess: &Guess) -> String {
    match (guess.looks, guess.purpose) {
        (Looks::Percentages, _) => "these look like percentages: give percent=True".to_owned(),
        (Looks::Rounded, _) => {
            "these look like rounded probabilities: give normalise=True, which divides each row by its sum"
                .to_owned()
        }
        (_, Purpose::SurrogateProbabilities) => {
            "these look like logits: make probabilities of them first, with a softmax".to_owned()
        }
        _ if guess.columns.is_empty() => {
            "if these are logits: give them as logits= in place of probabilities=".to_owned()
        }
        _ => format!("if these are logits: columns={{\"logits\": {:?}}}", guess.columns),
    }
}

/// The arguments for logits that are not logits.
fn of_not_logits(guess: &Guess) -> String {
    let more = match guess.looks {
        Looks::Percentages => ", with percent=True",
        Looks::Rounded => ", with normalise=True",
        _ => "",
    };
    if guess.columns.is_empty() {
        return format!("give them as probabilities= in place of logits={more}");
    }
    let name = if guess.single { "probability" } else { "probabilities" };
    format!("give columns={{\"{name}\": {:?}}}{more}", guess.columns)
}
