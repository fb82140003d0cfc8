//! Who a process runs as: its user and group, as `calls::users` changes and tells them.

use crate::metadata::Identity;
use std::sync::Arc;

/// The three numbers of a user or of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ids {
    /// Who has started it.
    pub real: u32,
    /// Whose permissions it has.
    pub effective: u32,
    /// Who it can become again.
    pub saved: u32,
}

impl Ids {
    /// All three the same.
    pub fn of(id: u32) -> Self {
        Self {
            real: id,
            effective: id,
            saved: id,
        }
    }
}

/// Who a process runs as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Users {
    /// Its user.
    pub user: Ids,
    /// Its group.
    pub group: Ids,
    /// Further groups, in order.
    pub further: Arc<[u32]>,
}

impl Users {
    /// At the beginning.
    pub fn of(identity: Identity) -> Self {
        Self {
            user: Ids::of(identity.uid),
            group: Ids::of(identity.gid),
            further: [identity.gid].into(),
        }
    }

    /// Who opens files.
    pub fn identity(&self) -> Identity {
        Identity {
            uid: self.user.effective,
            gid: self.group.effective,
        }
    }

    /// Whether it may become anybody.
    pub fn is_superuser(&self) -> bool {
        self.user.effective == 0
    }
}
