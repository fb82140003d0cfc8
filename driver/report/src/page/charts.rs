//! Charts over time, drawn by plotters as SVG. They are small, so that they can be read on a telephone; several stand
//! beside each other on a wide screen. Colours are marks here, and the style of the page gives them
//! theirs: so charts follow light, dark and paper. What a script shows where one points is beside the chart.

use maud::{Markup, PreEscaped, html};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width and height, in units of the drawing.
const SIZE: (u32, u32) = (420, 190);

/// Points that a line has at most.
const POINTS: usize = 400;

/// Marks of colours: `page.css` has an entry for each. This one is of lines behind what is drawn.
pub const GRID: RGBColor = RGBColor(1, 0, 1);
/// Of letters.
pub const TEXT: RGBColor = RGBColor(1, 0, 2);
/// Of what is drawn.
pub const LINES: [RGBColor; 8] = [
    RGBColor(1, 1, 1),
    RGBColor(1, 1, 2),
    RGBColor(1, 1, 3),
    RGBColor(1, 1, 4),
    RGBColor(1, 1, 5),
    RGBColor(1, 1, 6),
    RGBColor(1, 1, 7),
    RGBColor(1, 1, 8),
];

/// A line of a chart.
pub struct Line {
    /// What it shows; empty if the title says it.
    pub name: String,
    /// Which colour it has.
    pub color: usize,
    /// Seconds, and what was the case then.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
pub struct Chart<'a> {
    /// What it shows.
    pub title: &'a str,
    /// How its numbers are written.
    pub unit: fn(f64) -> String,
    /// The most that there can be. It is shown unless all is far below.
    pub most: Option<f64>,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Chart<'_> {
    /// The chart with its title and the last values.
    pub fn figure(mut self) -> Markup {
        for line in &mut self.lines {
            line.points = fewer(&line.points);
        }
        let Some((svg, area)) = self.draw() else {
            return html! {};
        };
        let text = |of: f64| (self.unit)(of);
        let lines: Vec<serde_json::Value> = self
            .lines
            .iter()
            .map(|line| {
                let at: Vec<f64> = line.points.iter().map(|it| rounded(it.0)).collect();
                let said: Vec<String> = line.points.iter().map(|it| text(it.1)).collect();
                serde_json::json!({ "name": line.name, "at": at, "said": said })
            })
            .collect();
        let data = serde_json::json!({ "area": area, "lines": lines });
        html! {
            figure.chart data-chart=(data.to_string()) {
                figcaption {
                    span.title { (self.title) }
                    span.values {
                        @for line in &self.lines {
                            span class={ "value c" (line.color % LINES.len()) } {
                                @if !line.name.is_empty() { span.name { (line.name) } " " }
                                b { (line.points.last().map_or(String::new(), |it| text(it.1))) }
                            }
                        }
                    }
                    span.when { "\u{a0}" }
                }
                (PreEscaped(svg))
            }
        }
    }

    /// The drawing, and where in it the plotted area is: left, top, right, bottom, and the last second.
    fn draw(&self) -> Option<(String, [f64; 5])> {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let last = all().map(|it| it.0).fold(0.0, f64::max).max(1e-3);
        let top = all().map(|it| it.1).fold(0.0, f64::max);
        // The most there can be would make a flat line of what is far from it.
        let most = self.most.filter(|most| 2.0 * top > *most);
        let top = most.map_or(top * 1.08, |most| most * 1.02);
        let top = if top > 0.0 { top } else { 1.0 };
        let mut svg = String::new();
        let area = {
            let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            let mut chart = ChartBuilder::on(&root)
                .margin_top(8)
                .margin_right(10)
                .x_label_area_size(24)
                .y_label_area_size(58)
                .build_cartesian_2d(0.0..last, 0.0..top)
                .ok()?;
            let label = ("sans-serif", 12).into_font().color(&TEXT);
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(GRID)
                .axis_style(GRID)
                .x_labels(5)
                .y_labels(5)
                .x_label_style(label.clone().pos(Pos::new(HPos::Center, VPos::Top)))
                .y_label_style(label)
                .x_label_formatter(&|it| super::numbers::seconds(*it))
                .y_label_formatter(&|it| (self.unit)(*it))
                .draw()
                .ok()?;
            for line in &self.lines {
                let color = LINES[line.color % LINES.len()];
                let points = || line.points.iter().copied();
                if self.lines.len() == 1 {
                    let area = AreaSeries::new(points(), 0.0, color.mix(0.12));
                    chart.draw_series(area).ok()?;
                }
                let line = LineSeries::new(points(), color.stroke_width(2));
                chart.draw_series(line).ok()?;
            }
            let (x, y) = chart.plotting_area().get_pixel_range();
            root.present().ok()?;
            [x.start, y.start, x.end, y.end].map(f64::from)
        };
        let sized = format!("width=\"{}\" height=\"{}\" ", SIZE.0, SIZE.1);
        let role = format!("role=\"img\" aria-label=\"{} over time\" ", self.title);
        let svg = svg.replacen(&sized, &role, 1);
        let [left, top, right, bottom] = area;
        Some((svg, [left, top, right, bottom, last]))
    }
}

/// At most [`POINTS`] of these points, the first and the last among them.
fn fewer(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(POINTS).max(1);
    let mut few: Vec<_> = points.iter().copied().step_by(step).collect();
    if let Some(&last) = points.last()
        && few.last() != Some(&last)
    {
        few.push(last);
    }
    few
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_marks_for_colours_and_keeps_its_last_point() {
        let points: Vec<(f64, f64)> = (0..5000).map(|at| (f64::from(at), f64::from(at))).collect();
        let few = fewer(&points);
        assert!(few.len() <= POINTS + 1 && few.last() == Some(&(4999.0, 4999.0)));
        let chart = Chart {
            title: "Paths",
            unit: super::super::numbers::brief,
            most: None,
            lines: vec![Line {
                name: String::new(),
                color: 0,
                points,
            }],
        };
        let text = chart.figure().into_string();
        assert!(text.contains("stroke=\"#010101\""), "{text}");
        assert!(text.contains("viewBox=\"0 0 420 190\""), "{text}");
        assert!(
            text.contains("role=\"img\"") && !text.contains("width=\"420\""),
            "{text}"
        );
    }
}
