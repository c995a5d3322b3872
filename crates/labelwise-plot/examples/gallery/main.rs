//! Draws every kind of mark, as SVG and PNG, into a folder: `cargo run -p labelwise-plot --example gallery -- out`.

mod curves;
mod scenes;

use std::path::Path;

use labelwise_plot::{Figure, png};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder to write into")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let figures: [(&str, Figure); 7] = [
        ("bias", curves::bias()),
        ("median", curves::median()),
        ("grid", curves::grid()),
        ("step", scenes::step()),
        ("classifier", scenes::classifier()),
        ("shapes", scenes::shapes()),
        ("edges", scenes::edges()),
    ];
    for (name, figure) in figures {
        let svg = figure.svg()?;
        std::fs::write(folder.join(name).with_extension("svg"), &svg)?;
        std::fs::write(folder.join(name).with_extension("png"), png(&svg, 2.0)?)?;
    }
    Ok(())
}
