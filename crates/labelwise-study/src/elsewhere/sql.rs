//! The queries that make draws and totals where the pool is, in the dialects of five engines.

use std::fmt::Write as _;

use crate::spec::names::Dialect;

/// Parts of a score that are summed as whole numbers: part k counts 2^(−32 k). Scores above 10⁻²³ have no rest.
pub(crate) const PARTS: usize = 5;

/// Items without a usable score that are named.
const NAMED: usize = 5;

/// What the queries are about.
#[derive(Debug, Clone, PartialEq)]
pub struct Queries {
    /// The dialect.
    pub dialect: Dialect,
    /// The table, or anything that can follow FROM.
    pub table: String,
    /// The column of ids.
    pub id: String,
    /// The score, a column or an expression.
    pub score: String,
    /// Passthrough columns.
    pub carry: Vec<String>,
    /// The seed of the evaluation.
    pub seed: u64,
    /// Number of draws to make ahead.
    pub ahead: usize,
}

impl Queries {
    /// Both queries, with words that say what to do with them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let run = match self.dialect {
            Dialect::DuckDb => "-- Run both in DuckDB. They write draws.parquet and totals.json.",
            Dialect::Spark => {
                "-- Not run in the tests of labelwise. Save the first result as draws.parquet, the one row of the second as \
                 totals.json."
            }
            Dialect::BigQuery | Dialect::Snowflake | Dialect::Postgres => {
                "-- Not run in the tests of labelwise. Export the first result as draws.parquet, the one row of the second as \
                 totals.json."
            }
        };
        let _ = writeln!(text, "{run}");
        let _ = writeln!(
            text,
            "-- Then: labelwise new --draws draws.parquet --totals totals.json --out pool.labelwise"
        );
        let (draws, totals) = (self.draws(), self.totals());
        match self.dialect {
            Dialect::DuckDb => {
                let _ = writeln!(text, "\nCOPY (\n{draws}\n) TO 'draws.parquet' (FORMAT parquet);");
                let _ = writeln!(text, "\nCOPY (\n{totals}\n) TO 'totals.json' (FORMAT json);");
            }
            _ => {
                let _ = writeln!(text, "\n{draws};\n\n{totals};");
            }
        }
        text
    }

    /// The pool with ids as texts, and scores as numbers.
    fn items(&self, hashed: bool) -> String {
        let Self { dialect, table, id, score, carry, seed, .. } = self;
        let (texts, number) = match dialect {
            Dialect::Spark | Dialect::BigQuery => {
                ("STRING", if *dialect == Dialect::Spark { "DOUBLE" } else { "FLOAT64" })
            }
            Dialect::Postgres => ("TEXT", "DOUBLE PRECISION"),
            Dialect::DuckDb | Dialect::Snowflake => ("VARCHAR", "DOUBLE"),
        };
        let mut columns =
            vec![format!("CAST({id} AS {texts}) AS id"), format!("CAST({score} AS {number}) AS score")];
        if hashed {
            let message = format!("CONCAT('{seed}:0:', CAST({id} AS {texts}))");
            columns.push(match dialect {
                Dialect::BigQuery => format!("TO_HEX(MD5({message})) AS hash"),
                _ => format!("MD5({message}) AS hash"),
            });
            columns.extend(carry.iter().cloned());
        }
        format!("SELECT {} FROM {table}", columns.join(", "))
    }

    /// Hexadecimal digits of the hash as a uniform number between 0 and 1.
    fn uniform(&self, first: usize) -> String {
        let digits = format!("SUBSTR(hash, {first}, 13)");
        let whole = match self.dialect {
            Dialect::DuckDb => format!("CAST(CAST('0x' || {digits} AS BIGINT) AS DOUBLE)"),
            Dialect::Spark => format!("CAST(CONV({digits}, 16, 10) AS DOUBLE)"),
            Dialect::BigQuery => format!("CAST(CAST(CONCAT('0x', {digits}) AS INT64) AS FLOAT64)"),
            Dialect::Snowflake => format!("CAST(TO_NUMBER({digits}, 'XXXXXXXXXXXXX') AS DOUBLE)"),
            Dialect::Postgres => {
                format!(
                    "CAST(CAST(CAST('x' || LPAD({digits}, 16, '0') AS BIT(64)) AS BIGINT) AS DOUBLE PRECISION)"
                )
            }
        };
        // In this order, as every constant is exact.
        let number = |text: &str| match self.dialect {
            Dialect::Spark => format!("{text}D"),
            _ => text.to_owned(),
        };
        let (half, whole_range) = match self.dialect {
            // Elsewhere, a literal with a point is a decimal number.
            Dialect::DuckDb | Dialect::Snowflake => {
                ("CAST(0.5 AS DOUBLE)".to_owned(), "CAST(4503599627370496 AS DOUBLE)".to_owned())
            }
            Dialect::Postgres => (
                "CAST(0.5 AS DOUBLE PRECISION)".to_owned(),
                "CAST(4503599627370496 AS DOUBLE PRECISION)".to_owned(),
            ),
            _ => (number("0.5"), number("4503599627370496.0")),
        };
        format!("({whole} + {half}) / {whole_range}")
    }

    /// Whether a score can be used.
    fn usable(&self) -> &'static str {
        match self.dialect {
            // NaN is larger than every number there.
            Dialect::DuckDb | Dialect::Spark | Dialect::Snowflake | Dialect::Postgres => {
                "score >= 0 AND score < 1e300"
            }
            Dialect::BigQuery => "score >= 0 AND score < 1e300 AND NOT IS_NAN(score)",
        }
    }

    fn draws(&self) -> String {
        let Self { ahead, carry, .. } = self;
        let usable = self.usable();
        let more: String = carry.iter().map(|column| format!(", {column}")).collect();
        let (first, second) = (self.uniform(1), self.uniform(14));
        let ln = if self.dialect == Dialect::Spark { "LN" } else { "ln" };
        format!(
            "WITH items AS (\n  {}\n), timed AS (\n  SELECT id, score{more},\n    -{ln}({first}) AS e1,\n    -{ln}({second}) AS e2\n  \
             FROM items\n)\nSELECT 1 AS list, id, score{more} FROM (SELECT * FROM timed WHERE {usable} AND score > 0 ORDER BY e1 / score, id LIMIT {ahead}) AS by_score\n\
             UNION ALL\n\
             SELECT 2 AS list, id, score{more} FROM (SELECT * FROM timed WHERE {usable} ORDER BY e2, id LIMIT {ahead}) AS by_item\n\
             UNION ALL\n\
             SELECT 3 AS list, id, score{more} FROM (SELECT * FROM timed WHERE ({usable}) IS NOT TRUE ORDER BY id LIMIT {NAMED}) AS unusable",
            self.items(true)
        )
    }

    fn totals(&self) -> String {
        let usable = self.usable();
        let (text, whole, wide, number) = match self.dialect {
            Dialect::DuckDb => ("VARCHAR", "BIGINT", "BIGINT", "DOUBLE"),
            Dialect::Spark => ("STRING", "BIGINT", "DECIMAL(38, 0)", "DOUBLE"),
            Dialect::BigQuery => ("STRING", "INT64", "BIGNUMERIC", "FLOAT64"),
            Dialect::Snowflake => ("VARCHAR", "BIGINT", "NUMBER(38, 0)", "DOUBLE"),
            Dialect::Postgres => ("TEXT", "BIGINT", "NUMERIC", "DOUBLE PRECISION"),
        };
        let factor = format!("CAST(4294967296 AS {number})");
        let mut ctes = format!("WITH items AS (\n  {}\n)", self.items(false));
        let mut before = "items".to_owned();
        let mut columns = vec!["id".to_owned(), format!("({usable}) AS usable"), "score".to_owned()];
        let mut rest = format!("CASE WHEN {usable} THEN score END");
        for part in 0..PARTS {
            // The whole part, and what is left of it in units 2^32 times smaller.
            let name = format!("split{part}");
            let _ = write!(
                ctes,
                ", {name} AS (\n  SELECT {}, FLOOR({rest}) AS part{part}, ({rest} - FLOOR({rest})) * {factor} AS rest{part} FROM {before}\n)",
                columns.join(", ")
            );
            columns = vec!["id".to_owned(), "usable".to_owned(), "score".to_owned()];
            columns.extend((0..=part).map(|part| format!("part{part}")));
            rest = format!("rest{part}");
            before = name;
        }
        let sums: Vec<String> = (0..PARTS)
            .map(|part| {
                format!("CAST(COALESCE(SUM(CAST(CAST(part{part} AS {whole}) AS {wide})), 0) AS {text}) AS part{part}")
            })
            .collect();
        format!(
            "{ctes}\nSELECT 'labelwise.totals/1' AS schema, '{}' AS seed, 0 AS refresh, {} AS ahead, COUNT(*) AS items,\n  \
             SUM(CASE WHEN usable THEN 0 ELSE 1 END) AS unusable, MIN(CASE WHEN usable THEN score END) AS least,\n  \
             SUM(CASE WHEN {rest} > 0 THEN 1 ELSE 0 END) AS rest,\n  {}\nFROM {before}",
            self.seed,
            self.ahead,
            sums.join(",\n  ")
        )
    }
}
