//! What must not be guessed: tokens, sessions, the server's signing key.

use std::io::Write;
use std::path::Path;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};

use crate::ServeError;

/// The file with the signing key, in the data folder.
pub const SIGNING_KEY: &str = "signing.key";

/// The file with the key that hidden seeds follow from, in the data folder.
pub const SEEDS_KEY: &str = "seeds.key";

/// Marks a token, so that leaked ones can be searched for.
pub const TOKEN_PREFIX: &str = "longarm_";

/// Return 32 random bytes of the system.
pub(crate) fn random() -> Result<[u8; 32], ServeError> {
    let mut out = [0; 32];
    getrandom::fill(&mut out).map_err(|e| ServeError::Random(e.to_string()))?;
    Ok(out)
}

/// A token as its owner sees it, once; the store keeps its hash.
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn new() -> Result<Self, ServeError> {
        Ok(Self(format!("{TOKEN_PREFIX}{}", BASE64URL_NOPAD.encode(&random()?))))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

/// Return what the store keeps of a token. A random key of 256 bits needs no slow hash, and one that
/// is looked up by its hash tells nothing by the time it takes.
pub(crate) fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

/// Return a name that nobody has had before: 80 random bits in 16 letters and digits.
pub(crate) fn fresh_id() -> Result<String, ServeError> {
    let bytes = random()?;
    Ok(data_encoding::BASE32_NOPAD.encode(&bytes[..10]).to_ascii_lowercase())
}

/// The keys of a server, in files beside the database.
pub struct Keys {
    signing: SigningKey,
    seeds: [u8; 32],
}

impl Keys {
    /// Read the keys of a data folder; make them where there are none.
    pub fn open(data: &Path) -> Result<Self, ServeError> {
        let signing = SigningKey::from_bytes(&key_file(&data.join(SIGNING_KEY))?);
        Ok(Self { signing, seeds: key_file(&data.join(SEEDS_KEY))? })
    }

    /// Return a number that only this server can tell, the same for the same words.
    pub fn hidden(&self, words: &[&str]) -> u64 {
        let mut hash = blake3::Hasher::new_keyed(&self.seeds);
        for word in words {
            hash.update(&(word.len() as u64).to_le_bytes()).update(word.as_bytes());
        }
        let mut out = [0; 8];
        hash.finalize_xof().fill(&mut out);
        u64::from_le_bytes(out)
    }

    /// Return the key that receipts are checked with, in hex.
    pub fn public(&self) -> String {
        HEXLOWER.encode(self.signing.verifying_key().as_bytes())
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> String {
        HEXLOWER.encode(&self.signing.sign(bytes).to_bytes())
    }
}

/// Whether a signature in hex is one of these bytes by this key in hex.
pub(crate) fn is_signed(key: &str, signature: &str, bytes: &[u8]) -> Result<bool, String> {
    let hex = |what: &str, text: &str| {
        HEXLOWER.decode(text.trim().as_bytes()).map_err(|_| format!("the {what} is not in hex"))
    };
    let key: [u8; 32] =
        hex("key", key)?.try_into().map_err(|_| "a key has 64 hex digits".to_owned())?;
    let key =
        VerifyingKey::from_bytes(&key).map_err(|_| "the key is not one of ed25519".to_owned())?;
    let signature: [u8; 64] = hex("signature", signature)?
        .try_into()
        .map_err(|_| "a signature has 128 hex digits".to_owned())?;
    Ok(key.verify_strict(bytes, &signature.into()).is_ok())
}

/// Read a file with 32 bytes in hex that only its owner may read; make it where there is none.
fn key_file(path: &Path) -> Result<[u8; 32], ServeError> {
    let io = |e: std::io::Error| ServeError::Io { path: path.to_owned(), why: e.to_string() };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let bytes = HEXLOWER.decode(text.trim().as_bytes()).ok();
            bytes.and_then(|b| b.try_into().ok()).ok_or_else(|| ServeError::Io {
                path: path.to_owned(),
                why: "it is not a key of 64 hex digits".into(),
            })
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let key = random()?;
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let part = path.with_extension("key.tmp");
            let _ = std::fs::remove_file(&part);
            let mut file = options.open(&part).map_err(io)?;
            writeln!(file, "{}", HEXLOWER.encode(&key))
                .and_then(|()| file.sync_all())
                .map_err(io)?;
            std::fs::rename(&part, path).map_err(io)?;
            Ok(key)
        }
        Err(e) => Err(io(e)),
    }
}
