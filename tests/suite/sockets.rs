//! Sockets: the programs of `tests/programs/sockets` do what they do natively. Those with symbolic peers
//! (`arguments`) are replayed, test by test, and compared with native runs on all values of some bytes
//! (`brute`: how many peers there are; the first byte of each takes all values, its others are `?`).
//! Natively they have the library of the replays in place of a network. Faults are where they are
//! marked, and nowhere else. See [`plat_tests::faulty`] for the marks.

use plat_memory::model;
use plat_tests::beside::{Built, outputs, summary};
use plat_tests::root;
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// Runs the program natively, with peers that send this.
fn run(built: &Built, peers: &[Vec<u8>]) -> Output {
    let name = peers
        .concat()
        .iter()
        .fold("peers".to_string(), |name, byte| format!("{name}-{byte}"));
    let place = built.directory.join(name);
    std::fs::create_dir(&place).expect("a directory");
    // Of a program with one peer that only answers, that is the last one.
    let servers = usize::from(
        built
            .program
            .words("arguments")
            .any(|word| word == "--sym-server"),
    );
    for (number, bytes) in peers.iter().enumerate() {
        let name = match number < peers.len() - servers {
            true => format!("socket{number:02}"),
            false => "server00".to_string(),
        };
        std::fs::write(place.join(name), bytes).expect("a file");
    }
    let library = root().join("target/libc/libplatSockets.so");
    assert!(library.is_file(), "make libc builds {}", library.display());
    let output = Command::new("timeout")
        // The library is for the program, and not for what starts it.
        .args(["--signal=ALRM", "1", "env"])
        .arg(format!("LD_PRELOAD={}", library.display()))
        .arg(format!("PLAT_SOCKETS={}", place.display()))
        .arg(&built.native)
        .current_dir(&*built.directory)
        .output();
    std::fs::remove_dir_all(&place).expect("the directory");
    output.expect("a native run")
}

/// All that the program writes natively, over the first bytes of its peers.
fn brute(built: &Built, count: usize, size: usize) -> BTreeSet<Vec<u8>> {
    let steps = [1, 1, 16][count];
    let firsts = |number: usize| {
        let chosen = b"PGQab!\x00\x01\x02";
        (0..=255u8).filter(move |byte| number == 0 || byte % steps == 3 || chosen.contains(byte))
    };
    let peer = |first: u8| {
        let mut bytes = vec![first];
        bytes.resize(size, b'?');
        bytes
    };
    let inputs: Vec<Vec<Vec<u8>>> = match count {
        1 => firsts(0).map(|first| vec![peer(first)]).collect(),
        _ => {
            let with = |one| firsts(1).map(move |other| vec![peer(one), peer(other)]);
            firsts(1).flat_map(with).collect()
        }
    };
    // A server waits until it is ended: most of the time nothing runs.
    const AT_ONCE: usize = 16;
    let share = inputs.len().div_ceil(AT_ONCE);
    std::thread::scope(|scope| {
        let part = |inputs: &'_ [Vec<Vec<u8>>]| {
            let outputs = inputs.iter().map(|peers| run(built, peers).stdout);
            outputs.collect::<BTreeSet<_>>()
        };
        let parts: Vec<_> = (inputs.chunks(share))
            .map(|inputs| scope.spawn(move || part(inputs)))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("runs"))
            .collect()
    })
}

/// A program with symbolic peers: faults, replays, brute force, other memory models, workers.
fn check_peers(name: &str) {
    let built = Built::new("sockets", name);
    let out = built.explored("out", &[]);
    built.check_faults(&out, name);
    let replayed = built.check_natively(&out);
    assert!(replayed.contains(" 0 not compared"), "{name}:\n{replayed}");
    let all = outputs(&out);
    let outside = &summary(&out)["external"];
    assert!(outside["peers"].as_u64() > Some(0) && outside["received"].as_u64() > Some(0));
    let words: Vec<&str> = built.program.words("arguments").collect();
    let size = words.last().and_then(|word| word.parse().ok());
    let count = built.program.numbers("brute")[0];
    for output in brute(&built, count, size.expect("a size")) {
        let text = String::from_utf8_lossy(&output);
        assert!(all.contains(&output), "{name}: no path writes\n{text}");
    }
    let ways: [(&str, &[&str]); 4] = [
        ("flat", &["--memory-model", "flat"]),
        ("slow", &["--no-fast-paths"]),
        ("collect", &["--collect", "always"]),
        ("workers", &["--workers", "2", "--worker-interval", "0"]),
    ];
    built.check_ways(&out, ways);
}

#[test]
fn a_server_and_two_clients() {
    check_peers("server");
}

#[test]
fn a_client_and_its_server() {
    check_peers("client");
}

#[test]
fn a_proxy_between_a_client_and_a_server() {
    check_peers("proxy");
}

#[test]
fn datagrams_from_outside() {
    check_peers("datagrams");
}

#[test]
fn messages_say_whom_they_come_from() {
    check_peers("received");
}

#[test]
fn many_clients_in_one_thread() {
    check_peers("epoll");
}

/// A program without symbolic peers writes what it writes natively.
fn check_output(name: &str) {
    let built = Built::new("sockets", name);
    let native = run(&built, &[]);
    assert!(native.status.success(), "{native:?}");
    let written = String::from_utf8_lossy(&native.stdout).into_owned();
    let models = model::ALL
        .iter()
        .map(|model| ["--memory-model", model.name]);
    let ways = models.chain([["--collect", "always"], ["--search", "dfs"]]);
    for (number, options) in ways.enumerate() {
        let out = built.explored(&number.to_string(), &options);
        let summary = summary(&out);
        assert_eq!(summary["paths"]["completed"], 1, "{options:?}");
        let text = std::fs::read_to_string(out.join("test000001.out")).expect("output");
        assert_eq!(text, written, "{options:?}");
    }
}

#[test]
fn connections_within_a_program() {
    check_output("within");
}

#[test]
fn threads_that_wait_for_one_another() {
    check_output("waits");
}
