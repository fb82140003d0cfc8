//! What small programs use of the standard library.
use std::collections::{BTreeMap, HashMap};
#[derive(Debug)] enum Shape { Circle(f64), Square(i32) }
fn parse(s: &str) -> Result<i32, std::num::ParseIntError> { s.trim().parse::<i32>() }
fn main() {
    let mut map = BTreeMap::new();
    for (i, w) in ["one", "two", "three"].iter().enumerate() { map.insert(*w, i); }
    println!("{map:?} {:?} {:?}", Shape::Circle(1.5), Shape::Square(3));
    let mut h: HashMap<String, Vec<usize>> = HashMap::new();
    for n in 0..10 { h.entry(format!("k{}", n % 3)).or_default().push(n); }
    let mut keys: Vec<_> = h.iter().collect(); keys.sort();
    println!("{keys:?}");
    println!("{:?} {:?}", parse(" 42 "), parse("x"));
    let b: Box<dyn Fn(i32) -> i32> = Box::new(|x| x * 2);
    println!("{}", b(21));
    let r = std::panic::catch_unwind(|| { let v: Vec<i32> = Vec::new(); v[3] });
    println!("{}", r.is_err());
    std::process::exit(7);
}
