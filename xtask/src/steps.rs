//! A row of steps with visible progress: which is running, how long each took, which one failed.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// A step's name and what it does.
pub(crate) type Step<'a> = (&'a str, Box<dyn Fn() -> Result<()> + 'a>);

/// Runs the steps in order. Stops at the first that fails, whose name is then the error.
pub(crate) fn run(steps: &[Step<'_>]) -> Result<()> {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let begin = Instant::now();
    for (index, (name, action)) in steps.iter().enumerate() {
        println!("\n── step {} of {}: {name}", index + 1, steps.len());
        let start = Instant::now();
        let result = action();
        times.push((name, start.elapsed()));
        println!("── {name} took {:.1} s", start.elapsed().as_secs_f64());
        if let Err(error) = result {
            eprintln!("{error:#}");
            bail!("failed: {name}");
        }
    }
    println!("\nall {} steps passed:", steps.len());
    for (name, time) in times {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
    println!("{:>7.1} s  in all", begin.elapsed().as_secs_f64());
    Ok(())
}
