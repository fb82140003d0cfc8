//! A flat memory of bytes instead of a memory model.

use plat_env::{Stop, UserMemory};
use plat_expr::{Byte, ExprId, Pool, Value};

/// Address of the first byte.
const START: u64 = 0x10000;

/// Memory by address; there are gaps between buffers.
pub struct Flat {
    pub pool: Pool,
    /// From address [`START`] on.
    bytes: Vec<Option<Byte>>,
    /// How many more accesses succeed, to test calls that stop.
    pub accesses_left: u64,
}

impl Flat {
    pub fn new() -> Self {
        Self {
            pool: Pool::new(),
            bytes: Vec::new(),
            accesses_left: u64::MAX,
        }
    }

    /// A fresh buffer with these bytes.
    pub fn buffer(&mut self, bytes: &[u8]) -> u64 {
        self.bytes
            .resize((self.bytes.len() + 8).next_multiple_of(16), None);
        let address = START + self.bytes.len() as u64;
        self.bytes
            .extend(bytes.iter().map(|&byte| Some(Byte::Concrete(byte))));
        address
    }

    /// The concrete bytes of a buffer.
    pub fn bytes_at(&self, address: u64, size: u64) -> Vec<u8> {
        let byte = |at| match self.byte(at) {
            Ok(Byte::Concrete(byte)) => byte,
            other => panic!("{other:?} at {at:x}"),
        };
        (address..address + size).map(byte).collect()
    }

    fn byte(&self, at: u64) -> Result<Byte, Stop> {
        let index = at.checked_sub(START).ok_or(Stop)?;
        self.bytes
            .get(index as usize)
            .copied()
            .flatten()
            .ok_or(Stop)
    }

    fn access(&mut self) -> Result<(), Stop> {
        self.accesses_left = self.accesses_left.checked_sub(1).ok_or(Stop)?;
        Ok(())
    }
}

impl UserMemory for Flat {
    fn pool(&mut self) -> &mut Pool {
        &mut self.pool
    }

    fn read(&mut self, address: Value, size: u64) -> Result<Vec<Byte>, Stop> {
        self.access()?;
        let start = address.number(&self.pool).ok_or(Stop)?;
        (start..start + size).map(|at| self.byte(at)).collect()
    }

    fn write(&mut self, address: Value, bytes: &[Byte]) -> Result<(), Stop> {
        self.access()?;
        let start = address.number(&self.pool).ok_or(Stop)?;
        for (at, &byte) in (start..).zip(bytes) {
            self.byte(at)?;
            self.bytes[(at - START) as usize] = Some(byte);
        }
        Ok(())
    }

    fn read_word(&mut self, address: Value) -> Result<Value, Stop> {
        let bytes = self.read(address, 8)?;
        let mut word = 0;
        for byte in bytes.iter().rev() {
            let Byte::Concrete(byte) = byte else {
                return Err(Stop);
            };
            word = word << 8 | u64::from(*byte);
        }
        Ok(Value::Int(word))
    }

    fn write_word(&mut self, address: Value, word: Value) -> Result<(), Stop> {
        let word = word.number(&self.pool).ok_or(Stop)?;
        self.write(address, &word.to_le_bytes().map(Byte::Concrete))
    }

    fn read_string(&mut self, address: Value, most: usize) -> Result<Vec<Byte>, Stop> {
        self.access()?;
        let start = address.number(&self.pool).ok_or(Stop)?;
        let mut text = Vec::new();
        for at in start..start + most as u64 {
            match self.byte(at)? {
                Byte::Concrete(0) => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    fn take_least_model(&mut self) {}

    fn sample(&mut self, value: ExprId) -> u64 {
        self.pool.as_u64(value).unwrap_or(0)
    }

    fn choose(&mut self, _: &[Byte], _: &[u8]) -> Result<(), Stop> {
        Err(Stop)
    }

    fn concrete(&mut self, value: Value) -> Result<u64, Stop> {
        self.access()?;
        value.number(&self.pool).ok_or(Stop)
    }

    fn decide(&mut self, condition: ExprId) -> Result<bool, Stop> {
        self.access()?;
        self.pool
            .as_u64(condition)
            .map(|value| value == 1)
            .ok_or(Stop)
    }

    fn allocate(&mut self, size: u64) -> Result<Option<Value>, Stop> {
        self.access()?;
        self.bytes
            .resize(self.bytes.len().next_multiple_of(4096) + 4080, None);
        let address = self.buffer(&vec![0; size as usize]);
        assert_eq!(address % 4096, 0);
        Ok(Some(Value::Int(address)))
    }

    fn release(&mut self, _: Value, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}
