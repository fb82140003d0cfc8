//! A panel of a figure as SVG: axes, lines, points and bars, with the names of their colours above.

use super::super::file::Unit;
use super::super::outcome::written;
use plat_report::look::{GRID, LINES, TEXT};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Width and height of a panel without its names, in units of the drawing.
const SIZE: (u32, u32) = (440, 250);

/// A range whose end is so many times its start is logarithmic.
const WIDE: f64 = 120.0;

/// Height of a line of names.
const NAME: i32 = 18;

/// What one drawing has.
pub struct Panel {
    pub name: String,
    /// The names of colours.
    pub names: Vec<String>,
    pub log: bool,
    pub x_name: String,
    /// The unit of x; none for plain numbers.
    pub x_unit: Option<Unit>,
    pub unit: Unit,
    pub lines: Vec<(usize, Vec<(f64, f64)>)>,
    pub points: Vec<Point>,
    /// What the paper has.
    pub crosses: Vec<Point>,
    /// The names of groups of bars.
    pub groups: Vec<String>,
    pub bars: Vec<Bar>,
    /// Whether both axes have the same range, with a line between them.
    pub diagonal: bool,
}

impl Default for Panel {
    fn default() -> Self {
        Self {
            name: String::new(),
            names: vec![],
            log: false,
            x_name: String::new(),
            x_unit: None,
            unit: Unit::Count,
            lines: vec![],
            points: vec![],
            crosses: vec![],
            groups: vec![],
            bars: vec![],
            diagonal: false,
        }
    }
}

/// A point.
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub color: usize,
    /// The run came to its limit.
    pub hollow: bool,
    pub name: Option<String>,
}

impl Point {
    /// How far it is from the diagonal.
    pub fn far(&self) -> f64 {
        self.x.max(self.y) / self.x.min(self.y)
    }
}

/// A bar: our figure and the paper's, each with whether it is a bound only.
pub struct Bar {
    pub group: usize,
    pub color: usize,
    pub ours: Option<(f64, bool)>,
    pub theirs: Option<(f64, bool)>,
}

type Wrong = Box<dyn std::error::Error>;

impl Panel {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.bars.is_empty()
    }

    /// Whether numbers of the paper are in it.
    pub fn has_published(&self) -> bool {
        !self.crosses.is_empty() || self.bars.iter().any(|bar| bar.theirs.is_some())
    }

    /// The drawing, with a title in it if one is given.
    ///
    /// # Errors
    /// When plotters cannot draw it.
    pub fn svg(&self, title: Option<&str>) -> Result<String, String> {
        self.drawn(title).map_err(|why| format!("a figure: {why}"))
    }

    fn drawn(&self, title: Option<&str>) -> Result<String, Wrong> {
        let places = self.places();
        let rows = places.last().map_or(0, |place| place.1 + 1);
        let head = rows * NAME + if title.is_some() { 24 } else { 4 };
        let mut svg = String::new();
        {
            let size = (SIZE.0, SIZE.1 + u32::try_from(head).unwrap_or(0));
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            if let Some(title) = title {
                root.draw_text(title, &("sans-serif", 14).into_font().color(&TEXT), (8, 4))?;
            }
            for (place, name) in places.iter().zip(self.shown()) {
                let at = (place.0, head - rows * NAME + place.1 * NAME);
                let color = LINES[name.0 % LINES.len()];
                root.draw(&Rectangle::new(
                    [(at.0, at.1 + 2), (at.0 + 10, at.1 + 12)],
                    color.filled(),
                ))?;
                root.draw_text(name.1, &text(11), (at.0 + 15, at.1 + 1))?;
            }
            let (_, area) = root.split_vertically(head);
            let (x, y, log) = self.ranges();
            match (log, self.diagonal) {
                (true, true) => {
                    self.plot(&area, x.clone().log_scale(), y.clone().log_scale(), (x, y))?
                }
                (true, false) => self.plot(&area, x.clone(), y.clone().log_scale(), (x, y))?,
                (false, _) => self.plot(&area, x.clone(), y.clone(), (x, y))?,
            }
            root.present()?;
        }
        Ok(svg)
    }

    /// Colours that are used, with their names.
    fn shown(&self) -> Vec<(usize, &str)> {
        let colors = self.points.iter().map(|it| it.color);
        let mut colors: Vec<usize> = colors.chain(self.bars.iter().map(|it| it.color)).collect();
        colors.sort_unstable();
        colors.dedup();
        let named = colors
            .into_iter()
            .filter_map(|at| Some((at, self.names.get(at)?.as_str())));
        named.collect()
    }

    /// Where the names stand: x, and the line that they are in.
    fn places(&self) -> Vec<(i32, i32)> {
        let (mut x, mut line) = (8, 0);
        let mut places = Vec::new();
        for (_, name) in self.shown() {
            let width = 28 + 7 * i32::try_from(name.chars().count()).unwrap_or(0);
            if x + width > SIZE.0.cast_signed() && x > 8 {
                (x, line) = (8, line + 1);
            }
            places.push((x, line));
            x += width;
        }
        places
    }

    /// All that is drawn upwards, and along.
    fn numbers(&self) -> (Vec<f64>, Vec<f64>) {
        let points = || self.points.iter().chain(&self.crosses);
        let lines = || self.lines.iter().flat_map(|(_, line)| line);
        let bars = self.bars.iter().flat_map(|bar| [bar.ours, bar.theirs]);
        let up = (points().map(|it| it.y))
            .chain(lines().map(|it| it.1))
            .chain(bars.flatten().map(|it| it.0));
        let across = points().map(|it| it.x).chain(lines().map(|it| it.0));
        (up.collect(), across.collect())
    }

    /// The ranges of both axes, and whether they are logarithmic: that has marks at powers of ten only, so that it
    /// needs several of them.
    fn ranges(&self) -> (Range<f64>, Range<f64>, bool) {
        let (up, across) = self.numbers();
        let spans = |of: &[f64]| {
            let range = range(of, true);
            range.end / range.start > WIDE
        };
        if self.diagonal {
            let both = [across, up].concat();
            let log = self.log && spans(&both);
            let both = range(&both, log);
            return (both.clone(), both, log);
        }
        let log = self.log && spans(&up);
        let y = range(&up, log);
        if !self.groups.is_empty() {
            return (0.0..self.groups.len() as f64, y, log);
        }
        let most = across.iter().copied().fold(0.0, f64::max);
        (0.0..most.max(1e-3) * 1.03, y, log)
    }

    fn plot<X, Y>(
        &self,
        area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        across: X,
        up: Y,
        (x, y): (Range<f64>, Range<f64>),
    ) -> Result<(), Wrong>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(area)
            .margin_top(8)
            .margin_right(14)
            .x_label_area_size(if self.x_name.is_empty() { 24 } else { 38 })
            .y_label_area_size(76)
            .build_cartesian_2d(across, up)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .x_desc(&self.x_name)
            .axis_desc_style(text(11))
            .x_labels(if self.groups.is_empty() { 5 } else { 0 })
            .y_labels(6)
            .x_label_style(text(11).pos(Pos::new(HPos::Center, VPos::Top)))
            .y_label_style(text(11));
        let x_label = |it: &f64| match self.x_unit {
            Some(unit) => written(unit, *it),
            None => plat_report::look::numbers::brief(*it),
        };
        let y_label = |it: &f64| written(self.unit, *it);
        mesh.x_label_formatter(&x_label).y_label_formatter(&y_label);
        mesh.draw()?;
        if self.diagonal {
            let line = [(x.start, y.start), (x.end, y.end)];
            chart.draw_series(LineSeries::new(line, GRID.stroke_width(2)))?;
        }
        for (at, name) in self.groups.iter().enumerate() {
            let style = text(11).pos(Pos::new(HPos::Center, VPos::Top));
            let label = EmptyElement::at((at as f64 + 0.5, y.start))
                + Text::new(name.clone(), (0, 7), style);
            chart.draw_series([label])?;
        }
        for bar in self.rectangles() {
            let style = LINES[bar.color % LINES.len()].mix(bar.strength).filled();
            let corners = [(bar.left, y.start), (bar.left + bar.width, bar.height)];
            chart.draw_series([Rectangle::new(corners, style)])?;
        }
        for (color, line) in &self.lines {
            let color = LINES[color % LINES.len()].stroke_width(2);
            chart.draw_series(LineSeries::new(line.iter().copied(), color))?;
        }
        for point in &self.points {
            let color = LINES[point.color % LINES.len()];
            let style = if point.hollow {
                color.stroke_width(2)
            } else {
                color.filled()
            };
            chart.draw_series([Circle::new((point.x, point.y), 3, style)])?;
            if let Some(name) = &point.name {
                let label = EmptyElement::at((point.x, point.y))
                    + Text::new(name.clone(), (6, -5), text(10));
                chart.draw_series([label])?;
            }
        }
        for point in &self.crosses {
            let color = LINES[point.color % LINES.len()].stroke_width(2);
            chart.draw_series([Cross::new((point.x, point.y), 4, color)])?;
        }
        Ok(())
    }
}

/// A bar as it is drawn.
struct Drawn {
    left: f64,
    width: f64,
    height: f64,
    color: usize,
    /// How much of its colour it has: the paper's and those that are bounds are paler.
    strength: f64,
}

impl Panel {
    /// The bars of all groups: for each colour ours, and the paper's beside it.
    fn rectangles(&self) -> Vec<Drawn> {
        let mut drawn = Vec::new();
        // A colour has the same place in each group, so that one that is missing is seen.
        let colors: Vec<usize> = self.shown().iter().map(|(color, _)| *color).collect();
        let width = 0.84 / colors.len().max(1) as f64;
        for group in 0..self.groups.len() {
            for bar in self.bars.iter().filter(|bar| bar.group == group) {
                let place = colors.iter().position(|color| *color == bar.color);
                let left = group as f64 + 0.08 + width * place.unwrap_or(0) as f64;
                let half = if bar.theirs.is_some() {
                    width * 0.46
                } else {
                    width * 0.92
                };
                let both = [
                    (bar.ours, left, [1.0, 0.6]),
                    (bar.theirs, left + half, [0.3, 0.18]),
                ];
                for (number, left, strengths) in both {
                    if let Some((height, bound)) = number {
                        let strength = strengths[usize::from(bound)];
                        drawn.push(Drawn {
                            left,
                            width: half,
                            height,
                            color: bar.color,
                            strength,
                        });
                    }
                }
            }
        }
        drawn
    }
}

/// Letters of this size.
fn text(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&TEXT)
}

/// A range that has all numbers, from 0 unless it is logarithmic.
fn range(numbers: &[f64], log: bool) -> Range<f64> {
    let most = numbers.iter().copied().fold(0.0, f64::max);
    if !log {
        return 0.0..if most > 0.0 { most * 1.08 } else { 1.0 };
    }
    let positive = numbers.iter().copied().filter(|it| *it > 0.0);
    let least = positive.fold(f64::INFINITY, f64::min);
    match least.is_finite() {
        true => least / 2.0..most * 2.0,
        false => 0.1..1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> Panel {
        let bar = |group, color, ours, theirs| Bar {
            group,
            color,
            ours,
            theirs,
        };
        Panel {
            names: vec!["forking".into(), "merging".into()],
            groups: vec!["dfs".into(), "bfs".into()],
            bars: vec![
                bar(0, 0, Some((3.0, false)), Some((30.0, true))),
                bar(0, 1, Some((2.0, true)), None),
                bar(1, 0, Some((1.0, false)), None),
            ],
            ..Panel::default()
        }
    }

    #[test]
    fn bars_stand_in_their_groups() {
        let drawn = panel().rectangles();
        assert_eq!(drawn.len(), 4);
        for bar in &drawn[..3] {
            assert!(bar.left >= 0.0 && bar.left + bar.width <= 1.0);
        }
        assert!(drawn[3].left >= 1.0 && drawn[3].left + drawn[3].width <= 2.0);
        assert!(drawn[1].strength < drawn[0].strength);
    }

    #[test]
    fn a_drawing_has_names_groups_and_marks_of_colours() {
        for log in [false, true] {
            let mut panel = Panel { log, ..panel() };
            let svg = panel.svg(Some("Figure 6")).unwrap();
            assert!(!panel.ranges().2, "powers of ten would be one");
            panel.bars[0].ours = Some((3e4, false));
            assert_eq!(panel.ranges().2, log);
            assert!(panel.svg(None).unwrap().contains("#010101"));
            for text in [
                "Figure 6", "forking", "merging", "dfs", "bfs", "#010101", "#010102",
            ] {
                assert!(svg.contains(text), "{text}");
            }
        }
        assert_eq!(range(&[0.0, 4.0], true), 2.0..8.0);
    }
}
