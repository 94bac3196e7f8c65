//! Scaling a row of numbers to a drawing: where the line runs, which numbers stand beside it, and the
//! drawing itself as SVG.

/// A drawing's inner size, in its own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// From the first number to the last.
    pub width: f64,
    /// From the highest to the lowest.
    pub height: f64,
}

/// A line through numbers, scaled to a frame whose top left corner is (0, 0).
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Where each number stands.
    pub points: Vec<(f64, f64)>,
    /// The whole numbers that have a line across, with its height.
    pub levels: Vec<(i32, f64)>,
}

/// More lines across than this, and they hide the plot.
const LEVELS_MAX: i32 = 5;

impl Plot {
    /// The numbers at equal distances from left to right. Zero is always within sight, and a row
    /// without rise or fall lies in the middle.
    pub fn fit(numbers: &[i32], frame: Frame) -> Plot {
        let low = numbers.iter().copied().fold(0, i32::min);
        let high = numbers.iter().copied().fold(0, i32::max);
        let step = step_of(high.saturating_sub(low));
        // Whole steps, so that the highest and the lowest line frame the plot.
        let low = low.div_euclid(step).saturating_mul(step);
        let high = high.saturating_add(step - 1).div_euclid(step).saturating_mul(step);
        let span = f64::from(high.saturating_sub(low));
        let y = |number: i32| {
            if span == 0.0 {
                return frame.height / 2.0;
            }
            frame.height * f64::from(high.saturating_sub(number)) / span
        };
        let last = u32::try_from(numbers.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let x = |index: u32| {
            if last == 0 { 0.0 } else { frame.width * f64::from(index) / f64::from(last) }
        };
        let points = (0..).zip(numbers).map(|(index, number)| (x(index), y(*number))).collect();
        let mut levels = vec![(low, y(low))];
        while let Some(next) = levels.last().and_then(|(level, _)| level.checked_add(step))
            && next <= high
        {
            levels.push((next, y(next)));
        }
        Plot { points, levels }
    }

    /// The inside of an SVG element: lines across with their numbers to the left, the line, and a dot at
    /// its end. Numbers alone, so there is nothing in it that would have to be escaped.
    pub fn svg(&self, frame: Frame) -> String {
        let level = |(level, y): &(i32, f64)| {
            let (class, number) = (if *level == 0 { "zero" } else { "level" }, signed(*level));
            format!(
                "<line class='{class}' x2='{:.1}' y1='{y:.1}' y2='{y:.1}'/>\
                 <text x='-6' y='{y:.1}' dy='.35em' text-anchor='end'>{number}</text>",
                frame.width
            )
        };
        let levels: String = self.levels.iter().map(level).collect();
        let corners: Vec<String> =
            self.points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let end =
            self.points.last().map(|(x, y)| format!("<circle cx='{x:.1}' cy='{y:.1}' r='3.5'/>"));
        format!("{levels}<polyline points='{}'/>{}", corners.join(" "), end.unwrap_or_default())
    }
}

/// With a real minus.
pub fn signed(number: i32) -> String {
    number.to_string().replace('-', "−")
}

/// The inside of an SVG element of 100 by 6: a bar of parts in their colours, from the left.
pub fn bar(parts: [(u64, &str); 3]) -> String {
    let whole = parts.iter().map(|(part, _)| part).sum();
    let mut x = 0;
    let part = |(part, class): (u64, &str)| {
        let width = crate::percent(part, whole).unwrap_or_default();
        let rect = format!("<rect class='{class}' x='{x}' width='{width}' height='6'/>");
        x += width;
        rect
    };
    parts.map(part).concat()
}

/// 1, 2 or 5 times a power of ten, so that few lines are enough.
fn step_of(span: i32) -> i32 {
    let mut power = 1_i32;
    loop {
        for step in [1, 2, 5].map(|it| power.saturating_mul(it)) {
            if span / step < LEVELS_MAX {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { width: 100.0, height: 40.0 };

    #[test]
    fn the_first_stands_left_the_last_right_and_the_highest_on_top() {
        let plot = Plot::fit(&[0, 1, 2, -2], FRAME);
        let svg = plot.svg(FRAME);
        assert!(
            svg.contains("<polyline points='0.0,20.0 33.3,10.0 66.7,0.0 100.0,40.0'/>"),
            "{svg}"
        );
        assert!(svg.contains("class='zero' x2='100.0' y1='20.0'"), "{svg}");
        assert!(
            svg.contains(">−2</text>") && svg.ends_with("cx='100.0' cy='40.0' r='3.5'/>"),
            "{svg}"
        );
    }

    #[test]
    fn zero_is_always_within_sight_and_there_are_few_lines() {
        for numbers in [&[][..], &[0], &[7], &[-3, -9], &[1, 2, 3], &[-60, 140], &[9_999, 1]] {
            let plot = Plot::fit(numbers, FRAME);
            let levels: Vec<i32> = plot.levels.iter().map(|level| level.0).collect();
            assert!(levels.contains(&0), "{numbers:?} has {levels:?}");
            assert!(levels.len() <= 7, "{numbers:?} has {levels:?}");
            let is_inside = |(x, y): &(f64, f64)| {
                (0.0..=FRAME.width).contains(x) && (0.0..=FRAME.height).contains(y)
            };
            assert!(plot.points.iter().all(is_inside), "{numbers:?} has {:?}", plot.points);
            assert_eq!(plot.points.len(), numbers.len());
        }
    }

    #[test]
    fn numbers_at_the_edge_of_their_kind_do_no_harm() {
        let plot = Plot::fit(&[i32::MIN, 0, i32::MAX], FRAME);
        assert!(plot.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
    }

    #[test]
    fn a_bar_has_its_parts_side_by_side() {
        assert_eq!(
            bar([(1, "won"), (1, "drawn"), (2, "lost")]),
            "<rect class='won' x='0' width='25' height='6'/>\
             <rect class='drawn' x='25' width='25' height='6'/>\
             <rect class='lost' x='50' width='50' height='6'/>"
        );
        assert!(bar([(0, "won"), (0, "drawn"), (0, "lost")]).contains("width='0'"));
    }

    #[test]
    fn a_row_without_rise_or_fall_lies_in_the_middle() {
        assert_eq!(Plot::fit(&[0, 0], FRAME).points, [(0.0, 20.0), (100.0, 20.0)]);
    }
}
