//! Sockets: what is bound to which address, who is connected with whom, and what waits to be received.
//!
//! There is no network. A peer is another socket of the program, or somebody outside, whose bytes are
//! input (`--sym-socket`): they are all there when the connection is made, and then the peer sends no
//! more. What is sent outside is counted. A socket lives as long as an open file refers to it, or it
//! waits in the queue of one that listens.

use crate::contents::Contents;
use crate::descriptors::{Descriptors, Target};
use plat_expr::Byte;
use std::collections::VecDeque;
use std::sync::Arc;

plat_basics::ids! {
    /// A socket.
    SocketId
}

/// `AF_UNIX`
pub const UNIX: u16 = 1;
/// `AF_INET`
pub const INET: u16 = 2;
/// `AF_INET6`
pub const INET6: u16 = 10;

/// How many bytes wait for a receiver at most.
pub const CAPACITY: usize = 212_992;
/// The first of the ports that the system chooses.
const FIRST_PORT: u16 = 32768;
/// The port of name servers, for which no peer outside answers.
const NAMES_PORT: u16 = 53;

/// What a socket carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carries {
    /// Bytes, over a connection.
    Bytes,
    /// Messages, to any address.
    Datagrams,
    /// Messages, over a connection.
    Packets,
}

/// An address, as the kernel's structure; the family is its first two bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(Vec<u8>);

impl Address {
    /// The address in the bytes of a structure; none if they are too few.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let family = u16::from_le_bytes([*bytes.first()?, *bytes.get(1)?]);
        let size = match family {
            INET => 16,
            INET6 => 28,
            UNIX => match bytes.get(2) {
                // A path ends at a zero byte; a name that begins with one is as long as it is.
                Some(&first) if first != 0 => {
                    let end = bytes[2..].iter().position(|&byte| byte == 0);
                    return Some(Self(
                        bytes[..end.map_or(bytes.len(), |end| end + 2)].to_vec(),
                    ));
                }
                _ => bytes.len(),
            },
            _ => bytes.len(),
        };
        Some(Self(bytes.get(..size)?.to_vec()))
    }

    /// The address of this machine, or any one, at a port.
    pub fn of_port(family: u16, port: u16) -> Self {
        let mut bytes = family.to_le_bytes().to_vec();
        match family {
            INET | INET6 => {
                bytes.extend(port.to_be_bytes());
                bytes.resize(if family == INET { 16 } else { 28 }, 0);
            }
            _ => {}
        }
        Self(bytes)
    }

    /// The address of a peer outside: 192.0.2.1, which is for examples.
    pub fn outside(family: u16, number: u32) -> Self {
        let mut address = Self::of_port(family, 49152 + number as u16);
        match family {
            INET => address.0[4..8].copy_from_slice(&[192, 0, 2, 1]),
            INET6 => {
                address.0[8..12].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
                address.0[23] = 1;
            }
            _ => {}
        }
        address
    }

    /// Its family.
    pub fn family(&self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]])
    }

    /// Its port, if it has one.
    pub fn port(&self) -> Option<u16> {
        matches!(self.family(), INET | INET6).then(|| u16::from_be_bytes([self.0[2], self.0[3]]))
    }

    fn set_port(&mut self, port: u16) {
        self.0[2..4].copy_from_slice(&port.to_be_bytes());
    }

    /// This machine's own address where it was left open.
    #[must_use]
    pub fn loopback(mut self) -> Self {
        match self.family() {
            INET if self.0[4..8] == [0; 4] => self.0[4..8].copy_from_slice(&[127, 0, 0, 1]),
            INET6 if self.0[8..24] == [0; 16] => self.0[23] = 1,
            _ => {}
        }
        self
    }

    /// Whether it is of this machine.
    fn is_own(&self) -> bool {
        match self.family() {
            INET => self.0[4] == 127 || self.0[4..8] == [0; 4],
            INET6 => self.0[8..23] == [0; 15] && self.0[23] <= 1,
            _ => true,
        }
    }

    /// Whether what is bound to `self` is reached at `other`.
    fn is_reached_at(&self, other: &Self) -> bool {
        match (self.port(), other.port()) {
            (Some(own), Some(port)) => own == port && other.is_own(),
            _ => self == other,
        }
    }

    /// Its structure.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Whom a socket is connected with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// Another socket of the program.
    Socket(SocketId),
    /// Somebody outside.
    Outside,
}

/// What a socket does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing yet; one for datagrams needs no more.
    Idle,
    /// It listens. These connections wait to be accepted.
    Listening(VecDeque<SocketId>),
    /// It is connected.
    Connected(Peer),
}

/// A message, with its sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<Byte>,
    /// Who sent it.
    pub from: Option<Address>,
}

/// A socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Socket {
    /// The family of its addresses.
    pub family: u16,
    /// What it carries.
    pub carries: Carries,
    /// What it does.
    pub role: Role,
    /// Its own address.
    pub local: Option<Address>,
    /// The address of its peer, or where its datagrams go.
    pub remote: Option<Address>,
    /// Bytes that wait to be received.
    pub input: VecDeque<Byte>,
    /// Messages that wait to be received.
    pub messages: VecDeque<Message>,
    /// How often something came.
    pub arrivals: u64,
    /// Whether it reads no more.
    pub reads_no_more: bool,
    /// Whether it writes no more.
    pub writes_no_more: bool,
    /// The options that were set, by level and name.
    pub options: Vec<((i32, i32), Vec<u8>)>,
}

plat_expr::plain!(SocketId, Carries, Role, Address);
plat_expr::holder!(Message { bytes } plain { from });
plat_expr::holder!(Socket { input, messages } plain {
    family, carries, role, local, remote, arrivals, reads_no_more, writes_no_more, options,
});
plat_expr::holder!(Outside { peers, servers } plain { next, next_server, counts });

impl Socket {
    /// A socket that does nothing yet.
    pub fn new(family: u16, carries: Carries) -> Self {
        Self {
            family,
            carries,
            role: Role::Idle,
            local: None,
            remote: None,
            input: VecDeque::new(),
            messages: VecDeque::new(),
            arrivals: 0,
            reads_no_more: false,
            writes_no_more: false,
            options: Vec::new(),
        }
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        let messages = self.messages.iter().map(|message| message.bytes.len());
        self.input.len() + messages.sum::<usize>()
    }

    /// Whether anything waits.
    pub fn has_input(&self) -> bool {
        !self.input.is_empty() || !self.messages.is_empty()
    }

    /// Something comes.
    pub fn receive(&mut self, bytes: &[Byte], from: Option<Address>) {
        self.arrivals += 1;
        match self.carries {
            Carries::Bytes => self.input.extend(bytes),
            Carries::Datagrams | Carries::Packets => self.messages.push_back(Message {
                bytes: bytes.to_vec(),
                from,
            }),
        }
    }

    /// Whether somebody outside could send it something: it listens, or takes datagrams of a network.
    pub fn waits_outside(&self) -> bool {
        match self.role {
            Role::Listening(_) => true,
            Role::Connected(_) => false,
            Role::Idle => self.carries == Carries::Datagrams && self.family != UNIX,
        }
    }
}

/// The peers outside: each is one connection, or one datagram.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outside {
    /// What each sends.
    peers: Option<Arc<Vec<Contents>>>,
    /// What each of those sends that only answer.
    servers: Option<Arc<Vec<Contents>>>,
    /// The next that comes.
    next: u32,
    /// The next that only answers.
    next_server: u32,
    /// What has come and gone.
    pub counts: OutsideCounts,
}

/// What has come from peers outside, and gone to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OutsideCounts {
    /// Connections and datagrams that have come.
    pub peers: u32,
    /// Bytes that they have brought.
    pub received: u64,
    /// Bytes that the program has sent them.
    pub sent: u64,
}

impl Outside {
    /// Peers that send this, and those that only answer.
    pub fn new(peers: &[Contents], servers: &[Contents]) -> Self {
        let kept = |all: &[Contents]| (!all.is_empty()).then(|| Arc::new(all.to_vec()));
        Self {
            peers: kept(peers),
            servers: kept(servers),
            ..Self::default()
        }
    }

    /// The next peer that answers the program: one that does nothing else, as long as there is one.
    fn answer(&mut self) -> Option<(u32, Vec<Byte>)> {
        Self::take(&self.servers, &mut self.next_server, &mut self.counts).or_else(|| self.come())
    }

    /// The next peer that comes: its number, and what it sends.
    fn come(&mut self) -> Option<(u32, Vec<Byte>)> {
        Self::take(&self.peers, &mut self.next, &mut self.counts)
    }

    fn take(
        all: &Option<Arc<Vec<Contents>>>,
        next: &mut u32,
        counts: &mut OutsideCounts,
    ) -> Option<(u32, Vec<Byte>)> {
        let number = *next;
        let contents = all.as_ref()?.get(number as usize)?;
        let bytes = contents.read(0, contents.size());
        *next += 1;
        counts.peers += 1;
        counts.received += bytes.len() as u64;
        Some((number, bytes))
    }
}

impl Descriptors {
    /// Whether anybody can still use a socket.
    pub fn has_socket(&self, id: SocketId) -> bool {
        let refers = |id| {
            self.open_files()
                .any(|open| open.target == Target::Socket(id))
        };
        let queued = |listener: &SocketId| match self.socket(*listener).map(|socket| &socket.role) {
            Some(Role::Listening(queue)) => queue.contains(&id) && refers(*listener),
            _ => false,
        };
        refers(id) || self.socket_ids().any(|id| queued(&id))
    }

    /// Whether nothing will come any more to a connected socket.
    pub fn is_at_end(&self, id: SocketId) -> bool {
        let Some(socket) = self.socket(id) else {
            return true;
        };
        socket.reads_no_more
            || match socket.role {
                Role::Connected(Peer::Outside) => true,
                Role::Connected(Peer::Socket(peer)) => {
                    let other = self.socket(peer);
                    other.is_none_or(|other| other.writes_no_more) || !self.has_socket(peer)
                }
                Role::Idle | Role::Listening(_) => false,
            }
    }

    /// The socket that is bound to an address, for this kind of traffic.
    pub fn bound_to(&self, address: &Address, carries: Carries) -> Option<SocketId> {
        self.socket_ids().find(|&id| {
            let socket = self.socket(id);
            let own = socket.filter(|socket| socket.carries == carries);
            let own = own.filter(|socket| {
                !matches!(socket.role, Role::Connected(_)) || carries == Carries::Datagrams
            });
            let local = own.and_then(|socket| socket.local.as_ref());
            local.is_some_and(|local| local.is_reached_at(address)) && self.has_socket(id)
        })
    }

    /// A free port.
    pub fn free_port(&self) -> u16 {
        let taken = |port| {
            let locals = self
                .socket_ids()
                .filter_map(|id| self.socket(id)?.local.as_ref()?.port());
            locals.into_iter().any(|local| local == port)
        };
        (FIRST_PORT..)
            .find(|&port| !taken(port))
            .unwrap_or(FIRST_PORT)
    }

    /// Gives a socket an address of its own, if it has none, as the system does where it needs one.
    pub fn name_socket(&mut self, id: SocketId) {
        let port = self.free_port();
        if let Some(socket) = self.socket_mut(id) {
            let family = socket.family;
            let local = socket
                .local
                .get_or_insert_with(|| Address::of_port(family, 0));
            if local.port() == Some(0) {
                local.set_port(port);
            }
        }
    }

    /// Connects two new sockets with one another.
    pub fn new_pair(&mut self, family: u16, carries: Carries) -> (SocketId, SocketId) {
        let one = self.new_socket(Socket::new(family, carries));
        let other = self.new_socket(Socket::new(family, carries));
        self.join(one, other);
        (one, other)
    }

    /// Connects two sockets with one another.
    pub fn join(&mut self, one: SocketId, other: SocketId) {
        for (own, peer) in [(one, other), (other, one)] {
            if let Some(socket) = self.socket_mut(own) {
                socket.role = Role::Connected(Peer::Socket(peer));
            }
        }
    }

    /// All peers outside that are left connect to a socket that listens.
    pub fn let_outside_connect(&mut self, listener: SocketId) {
        let Some(listening) = self.socket(listener).cloned() else {
            return;
        };
        while let Some((number, bytes)) = self.outside.come() {
            let mut socket = Socket::new(listening.family, listening.carries);
            socket.role = Role::Connected(Peer::Outside);
            socket.local = listening.local.clone().map(Address::loopback);
            socket.remote = Some(Address::outside(listening.family, number));
            socket.receive(&bytes, None);
            let id = self.new_socket(socket);
            self.queue(listener, id);
        }
    }

    /// A connection waits to be accepted.
    pub fn queue(&mut self, listener: SocketId, connection: SocketId) {
        if let Some(socket) = self.socket_mut(listener)
            && let Role::Listening(queue) = &mut socket.role
        {
            queue.push_back(connection);
            socket.arrivals += 1;
        }
    }

    /// Connects a socket with the next peer outside that answers, if there is one.
    pub fn connect_outside(&mut self, id: SocketId) -> bool {
        let Some((_, bytes)) = self.outside.answer() else {
            return false;
        };
        if let Some(socket) = self.socket_mut(id) {
            socket.role = Role::Connected(Peer::Outside);
            socket.receive(&bytes, None);
        }
        true
    }

    /// Each peer outside that is left sends one datagram to a socket that is bound, or has sent
    /// something to `to`; but no name server does.
    pub fn let_outside_send(&mut self, id: SocketId, to: Option<&Address>) {
        let Some(socket) = self.socket(id) else {
            return;
        };
        let port = to.or(socket.local.as_ref()).and_then(Address::port);
        let own = to.is_some_and(Address::is_own)
            && to.is_some_and(|to| self.bound_to(to, Carries::Datagrams).is_some());
        if socket.carries != Carries::Datagrams
            || port.is_none_or(|port| port == 0 || port == NAMES_PORT)
            || own
        {
            return;
        }
        let family = socket.family;
        let next = match to {
            Some(_) => Outside::answer,
            None => Outside::come,
        };
        while let Some((number, bytes)) = next(&mut self.outside) {
            let from = to
                .cloned()
                .unwrap_or_else(|| Address::outside(family, number));
            if let Some(socket) = self.socket_mut(id) {
                socket.receive(&bytes, Some(from));
            }
        }
    }
}
