//! The rows of a suite: each combination of the values of its axes, with the commands of plat that it is.

use super::file::{Named, Part, Step, Suite};
use std::collections::BTreeMap;
use std::path::Path;

/// A row: a program with options and commands.
#[derive(Clone, Debug)]
pub struct Row {
    /// The names of its values, joined by `/`.
    pub id: String,
    /// The names of its values, an axis each.
    pub values: Vec<String>,
    /// The program, as `benchmarks/programs` calls it.
    pub program: String,
    options: Vec<String>,
    arguments: Vec<String>,
    pub steps: Vec<Step>,
    words: BTreeMap<String, String>,
}

/// How much more time `{longer}` is than `{limit}`: as in the coreutils experiment of the segmented-memory paper.
const LONGER: f64 = 4.0 / 3.0;

/// Files and limits that the words of a row stand for.
pub struct Places<'a> {
    /// The program's bitcode.
    pub program: &'a Path,
    /// The folder of the benchmark programs, with their inputs.
    pub programs: &'a Path,
    /// A folder that goes when the row has been run.
    pub folder: &'a Path,
    /// Seconds.
    pub limit: f64,
}

/// All rows of a suite, in the order of its axes.
pub fn rows(suite: &Suite) -> Vec<Row> {
    let mut rows = vec![Row::of(&suite.all)];
    for axis in &suite.axes {
        let mut more = Vec::new();
        for row in &rows {
            for value in &axis.values {
                more.push(row.with(&axis.name, &axis.part, value));
            }
        }
        rows = more;
    }
    rows.into_iter().map(Row::finished).collect()
}

impl Row {
    fn of(part: &Part) -> Self {
        let usual = Step {
            name: "run".into(),
            run: "explore --max-time={limit} {options} {program} {arguments}".into(),
            when: None,
            file: None,
        };
        let mut row = Self {
            id: String::new(),
            values: vec![],
            program: String::new(),
            options: vec![],
            arguments: vec![],
            steps: vec![usual],
            words: BTreeMap::new(),
        };
        row.add(part);
        row
    }

    /// The row with a value of one more axis. What the value has stands before what the axis has for all.
    fn with(&self, axis: &str, usual: &Part, value: &Named) -> Self {
        let mut row = self.clone();
        let mut part = usual.clone();
        if let Named::Full(value) = value {
            let own = value.part.clone();
            part.program = own.program.or(part.program);
            part.options = own.options.or(part.options);
            part.arguments = own.arguments.or(part.arguments);
            part.steps = own.steps.or(part.steps);
            row.words.extend(value.set.clone());
        }
        row.add(&part);
        row.words.insert(axis.to_owned(), value.name().to_owned());
        row.values.push(value.name().to_owned());
        row
    }

    fn add(&mut self, part: &Part) {
        if let Some(program) = &part.program {
            self.program.clone_from(program);
        }
        self.options.extend(part.options.iter().flatten().cloned());
        self.arguments
            .extend(part.arguments.iter().flatten().cloned());
        if let Some(steps) = &part.steps {
            self.steps.clone_from(steps);
        }
    }

    fn finished(mut self) -> Self {
        self.id = self.values.join("/");
        self.program = fill(&self.program, &self.words);
        self
    }

    /// Whether `--only` names it: by its id or by values that follow one another in it.
    pub fn is_named(&self, only: &str) -> bool {
        let wanted: Vec<&str> = only.split('/').collect();
        let mut parts = self.values.windows(wanted.len());
        self.id == only || parts.any(|values| values == wanted)
    }

    /// The words of a step. `earlier` has the metrics of the steps before it.
    ///
    /// # Errors
    /// When a word stands for nothing.
    pub fn words(
        &self,
        step: &Step,
        places: &Places<'_>,
        earlier: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<String>, String> {
        let mut known = self.words.clone();
        let mut path = |name: &str, path: &Path| {
            known.insert(name.to_owned(), path.to_string_lossy().into_owned());
        };
        path("program", places.program);
        path("programs", places.programs);
        path("dir", places.folder);
        let mut span = |name: &str, seconds: f64| {
            known.insert(name.to_owned(), format!("{:.0}s", seconds.max(1.0)));
        };
        span("limit", places.limit);
        span("longer", (places.limit * LONGER).ceil());
        let mut words = Vec::new();
        for word in step.run.split_whitespace() {
            match word {
                "{options}" => words.extend(self.options.iter().cloned()),
                "{arguments}" => words.extend(self.arguments.iter().cloned()),
                _ => words.push(word.to_owned()),
            }
        }
        words
            .iter()
            .map(|word| {
                let word = fill(word, &known);
                self.measured(&word, earlier)
            })
            .collect()
    }

    /// Replaces `{step:metric}` by what has been measured.
    fn measured(
        &self,
        word: &str,
        earlier: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, String> {
        let Some((before, rest)) = word.split_once('{') else {
            return Ok(word.to_owned());
        };
        let (name, behind) = rest.split_once('}').unwrap_or((rest, ""));
        match earlier(name) {
            Some(text) => Ok(format!("{before}{text}{behind}")),
            None => Err(format!("{}: nothing is called {name}", self.id)),
        }
    }

    /// The file of a step whose size is measured.
    pub fn file(&self, step: &Step, folder: &Path) -> Option<std::path::PathBuf> {
        let file = step
            .file
            .as_ref()?
            .replace("{dir}", &folder.to_string_lossy());
        Some(fill(&file, &self.words).into())
    }
}

/// A text with the words that stand for others replaced.
fn fill(text: &str, words: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, word) in words {
        text = text.replace(&format!("{{{name}}}"), word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::file::{names, parse, text};

    const SMALL: &str = r#"
title = "t"
item = "i"
paper = "p"
limit = 60
program = "matrix-N{size}"
options = ["--search=dfs"]
[[axis]]
name = "size"
values = ["10", { name = "20", set = { more = "x" }, arguments = ["{more}"] }]
[[axis]]
name = "model"
options = ["--memory-model={model}"]
values = ["flat", { name = "two", options = [], steps = [
  { name = "a", run = "ideal -o {dir}/i {program}" },
  { name = "b", run = "explore --max-instructions={a:instructions} {options} {program} {arguments}" },
] }]
[[column]]
name = "time"
metric = "cpu"
"#;

    fn words(row: &Row, step: usize) -> Vec<String> {
        let places = Places {
            program: Path::new("/p.bc"),
            programs: Path::new("/programs"),
            folder: Path::new("/d"),
            limit: 3.0,
        };
        let earlier = |name: &str| (name == "a:instructions").then(|| "7".to_owned());
        row.words(&row.steps[step], &places, &earlier).unwrap()
    }

    #[test]
    fn rows_are_all_combinations() {
        let suite = parse("small", SMALL).unwrap();
        let rows = rows(&suite);
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["10/flat", "10/two", "20/flat", "20/two"]);
        assert_eq!(rows[2].program, "matrix-N20");
        let plain = [
            "explore",
            "--max-time=3s",
            "--search=dfs",
            "--memory-model=flat",
            "/p.bc",
        ];
        assert_eq!(words(&rows[0], 0), plain);
        assert_eq!(words(&rows[1], 0), ["ideal", "-o", "/d/i", "/p.bc"]);
        let bounded = [
            "explore",
            "--max-instructions=7",
            "--search=dfs",
            "/p.bc",
            "x",
        ];
        assert_eq!(words(&rows[3], 1), bounded);
        assert!(rows[3].is_named("20/two") && rows[3].is_named("two") && !rows[3].is_named("10"));
        assert!(!rows[3].is_named("0/two"));
    }

    #[test]
    fn what_a_file_names_is_there() {
        let unknown = SMALL.replace(
            "metric = \"cpu\"",
            "metric = \"cpu\"\npublished = { \"1/2\" = 3 }",
        );
        assert!(parse("small", &unknown).unwrap_err().contains("1/2"));
        let chart = format!(
            "{SMALL}\n[[chart]]\ntitle = \"c\"\nkind = \"bars\"\nx = \"none\"\ny = \"time\"\nby = \"model\"\n"
        );
        assert!(parse("small", &chart).unwrap_err().contains("none"));
        assert!(parse("small", &SMALL.replace("item", "itme")).is_err());
    }

    #[test]
    fn all_suites_are_in_the_form() {
        let names = names().unwrap();
        assert!(names.len() > 10);
        for name in names {
            let (name, text) = text(&name).unwrap();
            let suite = parse(&name, &text).unwrap();
            for row in rows(&suite) {
                assert!(
                    !row.program.is_empty() && !row.program.contains('{'),
                    "{name}: {}",
                    row.id
                );
                for step in &row.steps {
                    let places = Places {
                        program: Path::new("p"),
                        programs: Path::new("s"),
                        folder: Path::new("d"),
                        limit: 1.0,
                    };
                    let words = row.words(step, &places, &|_| Some("1".to_owned())).unwrap();
                    assert!(words.iter().all(|word| !word.contains('{')), "{words:?}");
                }
            }
        }
    }
}
