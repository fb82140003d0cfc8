//! The figures of a suite, drawn by plotters as SVG: a panel for each combination of the axes that a chart does
//! not name. Colours are the marks of the page's style. What the paper has published stands beside ours, paler;
//! runs that came to their limit are hollow.

use super::super::file::{Chart, Kind, Unit};
use super::super::outcome::{Done, Outcome};
use super::draw::{Bar, Panel, Point};

/// A chart with its panels.
pub struct Figure {
    pub title: String,
    pub panels: Vec<Panel>,
}

/// The figures of a suite.
pub fn figures(outcome: &Outcome) -> Vec<Figure> {
    let figure = |chart: &Chart| {
        let panels = match chart.kind {
            Kind::Lines => panels(outcome, chart, lines),
            Kind::Bars => panels(outcome, chart, bars),
            Kind::MemoryOverTime => panels(outcome, chart, over_time),
            Kind::Scatter => vec![scatter(outcome, chart)],
        };
        let panels = panels.into_iter().filter(|panel| !panel.is_empty());
        Figure {
            title: chart.title.clone(),
            panels: panels.collect(),
        }
    };
    let figures = outcome.suite.charts.iter().map(figure);
    figures.filter(|figure| !figure.panels.is_empty()).collect()
}

/// What fills a panel with the rows that belong to it.
type Fill = fn(&Outcome, &Chart, &[&Done]) -> Panel;

/// A panel for each combination of the values of the axes that the chart does not name.
fn panels(outcome: &Outcome, chart: &Chart, fill: Fill) -> Vec<Panel> {
    let axes = &outcome.suite.axes;
    let free = |at: &usize| axes[*at].name != chart.x && axes[*at].name != chart.by;
    let free: Vec<usize> = (0..axes.len()).filter(free).collect();
    let name = |done: &Done| {
        let values = free.iter().map(|at| done.row.values[*at].clone());
        values.collect::<Vec<_>>().join(", ")
    };
    let mut names: Vec<String> = outcome.rows.iter().map(name).collect();
    names.dedup();
    let mut seen: Vec<String> = Vec::new();
    names.retain(|it| {
        !seen.contains(it) && {
            seen.push(it.clone());
            true
        }
    });
    let panel = |of: &String| {
        let rows: Vec<&Done> = outcome
            .rows
            .iter()
            .filter(|done| name(done) == *of)
            .collect();
        Panel {
            name: of.clone(),
            log: chart.log,
            ..fill(outcome, chart, &rows)
        }
    };
    names.iter().map(panel).collect()
}

/// The names of an axis's values.
fn values(outcome: &Outcome, axis: &str) -> Vec<String> {
    let axis = outcome.suite.axes.iter().find(|it| it.name == axis);
    axis.map_or(vec![], |axis| {
        axis.values.iter().map(|it| it.name().to_owned()).collect()
    })
}

/// Which value of an axis a row has.
fn value<'a>(outcome: &Outcome, axis: &str, done: &'a Done) -> &'a str {
    let at = outcome.suite.axes.iter().position(|it| it.name == axis);
    at.map_or("", |at| done.row.values[at].as_str())
}

/// What a panel of this column has in any case: its unit and the names of colours.
fn blank(outcome: &Outcome, chart: &Chart, unit: Unit) -> Panel {
    Panel {
        names: values(outcome, &chart.by),
        unit,
        ..Panel::default()
    }
}

fn unit(outcome: &Outcome, column: &str) -> Unit {
    outcome
        .column(column)
        .map_or(Unit::Count, |at| outcome.suite.columns[at].unit)
}

fn lines(outcome: &Outcome, chart: &Chart, rows: &[&Done]) -> Panel {
    let mut panel = blank(outcome, chart, unit(outcome, &chart.y));
    panel.x_name.clone_from(&chart.x);
    let Some(column) = outcome.column(&chart.y) else {
        return panel;
    };
    for (color, name) in panel.names.clone().iter().enumerate() {
        let mut line = Vec::new();
        for done in rows
            .iter()
            .filter(|done| value(outcome, &chart.by, done) == name)
        {
            let Ok(x) = value(outcome, &chart.x, done).parse() else {
                continue;
            };
            if let Some(figure) = done.figures[column] {
                line.push((x, figure.number));
                panel.points.push(Point {
                    x,
                    y: figure.number,
                    color,
                    hollow: !figure.ended,
                    name: None,
                });
            }
            if let Some(paper) = outcome.suite.columns[column].published.get(&done.row.id) {
                panel.crosses.push(Point {
                    x,
                    y: paper.number,
                    color,
                    hollow: false,
                    name: None,
                });
            }
        }
        panel.lines.push((color, line));
    }
    panel
}

fn bars(outcome: &Outcome, chart: &Chart, rows: &[&Done]) -> Panel {
    let mut panel = blank(outcome, chart, unit(outcome, &chart.y));
    panel.groups = values(outcome, &chart.x);
    let Some(column) = outcome.column(&chart.y) else {
        return panel;
    };
    for done in rows {
        let group = panel
            .groups
            .iter()
            .position(|it| it == value(outcome, &chart.x, done));
        let color = panel
            .names
            .iter()
            .position(|it| it == value(outcome, &chart.by, done));
        let (Some(group), Some(color)) = (group, color) else {
            continue;
        };
        let ours = done.figures[column].map(|figure| (figure.number, !figure.ended));
        let published = outcome.suite.columns[column].published.get(&done.row.id);
        let theirs = published.map(|it| (it.number, it.at_least));
        if ours.is_some() {
            panel.bars.push(Bar {
                group,
                color,
                ours,
                theirs,
            });
        }
    }
    panel
}

fn over_time(outcome: &Outcome, chart: &Chart, rows: &[&Done]) -> Panel {
    let mut panel = blank(outcome, chart, Unit::Bytes);
    panel.x_name = "seconds".into();
    for done in rows {
        let color = panel
            .names
            .iter()
            .position(|it| it == value(outcome, &chart.by, done));
        let step = done.lines.last().and_then(|line| line.steps.last());
        let (Some(color), Some(step)) = (color, step) else {
            continue;
        };
        let line: Vec<(f64, f64)> = step
            .samples
            .iter()
            .map(|&(at, bytes)| (at, bytes as f64))
            .collect();
        if let Some(&(x, y)) = line.last() {
            panel.points.push(Point {
                x,
                y,
                color,
                hollow: !step.ended(),
                name: None,
            });
            panel.lines.push((color, line));
        }
    }
    panel
}

/// Points that are as far as this from the diagonal have their names.
const FAR: f64 = 1.1;

/// Names in a panel, at most.
const NAMES: usize = 8;

fn scatter(outcome: &Outcome, chart: &Chart) -> Panel {
    let mut panel = blank(outcome, chart, unit(outcome, &chart.y));
    let (Some(x), Some(y)) = (outcome.column(&chart.x), outcome.column(&chart.y)) else {
        return panel;
    };
    (panel.x_name, panel.log, panel.diagonal) = (chart.x.clone(), chart.log, true);
    panel.x_unit = Some(outcome.suite.columns[x].unit);
    for done in &outcome.rows {
        let (Some(across), Some(up)) = (done.figures[x], done.figures[y]) else {
            continue;
        };
        let color = panel
            .names
            .iter()
            .position(|it| it == value(outcome, &chart.by, done));
        let far = across.number.max(up.number) / across.number.min(up.number);
        panel.points.push(Point {
            x: across.number,
            y: up.number,
            color: color.unwrap_or(0),
            hollow: !(across.ended && up.ended),
            name: (far >= FAR).then(|| done.row.id.clone()),
        });
    }
    let mut far: Vec<f64> = panel
        .points
        .iter()
        .filter(|it| it.name.is_some())
        .map(Point::far)
        .collect();
    far.sort_by(|a, b| b.total_cmp(a));
    let least = far.get(NAMES - 1).copied().unwrap_or(0.0);
    for point in &mut panel.points {
        if point.far() < least {
            point.name = None;
        }
    }
    panel
}
