//! Who may come in: tokens that are used once, and the sessions they are exchanged for.
//!
//! Every secret has 256 bits from the system, lives in memory, and ends with the server.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Maximum number of sessions at once.
const MOST_SESSIONS: usize = 1000;

/// Maximum length of a name, in characters.
const LONGEST_NAME: usize = 60;

/// What a session may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Label, and look at the estimate.
    Owner,
    /// Label.
    Labeller,
}

/// A session of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) role: Role,
    /// The name, once it is known.
    pub(crate) name: Option<String>,
    /// Whether the name came with the invitation, so that it cannot be changed.
    pub(crate) is_invited: bool,
}

/// The tokens and sessions of one run of the server.
#[derive(Debug)]
pub(crate) struct Sessions {
    cookie: String,
    kept: Mutex<Kept>,
    /// A token of the owner's own file, which can be used again.
    shared: Option<String>,
}

#[derive(Debug, Default)]
struct Kept {
    tokens: HashMap<String, Session>,
    sessions: HashMap<String, Session>,
    /// Names of people with an address of their own, and the owner's: nobody else may label under them.
    reserved: HashSet<String>,
}

/// What came of a wish for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Given,
    /// The session has another name by invitation.
    Fixed,
    /// The name is somebody else's.
    Taken,
}

/// A secret of 256 bits, in hexadecimal digits.
pub(crate) fn secret() -> Result<String, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| Error::NoSecret)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A name as it is recorded; `None` if it cannot be one.
pub(crate) fn valid_name(name: &str) -> Option<String> {
    let name = name.trim();
    let printable = name.chars().all(|letter| !letter.is_control());
    (printable && !name.is_empty() && name.chars().count() <= LONGEST_NAME).then(|| name.to_owned())
}

impl Sessions {
    /// No session yet. Cookies of servers at other ports have other names.
    pub(crate) fn new(port: u16, shared: Option<String>) -> Self {
        Self { cookie: format!("labelwise-{port}"), kept: Mutex::default(), shared }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A token that opens one session.
    pub(crate) fn invite(&self, role: Role, name: Option<String>) -> Result<String, Error> {
        let token = secret()?;
        let is_invited = name.is_some() && role == Role::Labeller;
        let mut kept = self.kept();
        kept.reserved.extend(name.clone());
        kept.tokens.insert(token.clone(), Session { role, name, is_invited });
        Ok(token)
    }

    /// Exchanges a token for a cookie. The token of an invitation is spent.
    pub(crate) fn open(&self, token: &str) -> Result<Option<(String, Session)>, Error> {
        let secret = secret()?;
        let mut kept = self.kept();
        let session = match kept.tokens.remove(token) {
            Some(session) => session,
            None if self.shared.as_deref().is_some_and(|shared| same(shared, token)) => {
                Session { role: Role::Labeller, name: None, is_invited: false }
            }
            None => return Ok(None),
        };
        if kept.sessions.len() >= MOST_SESSIONS {
            return Ok(None);
        }
        kept.sessions.insert(secret.clone(), session.clone());
        let cookie = format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        Ok(Some((cookie, session)))
    }

    /// The session of a request's cookies.
    pub(crate) fn find(&self, cookies: Option<&str>) -> Option<(String, Session)> {
        let secret = self.secret_in(cookies?)?;
        let session = self.kept().sessions.get(&secret).cloned()?;
        Some((secret, session))
    }

    fn secret_in(&self, cookies: &str) -> Option<String> {
        let pairs = cookies.split(';').filter_map(|cookie| cookie.trim().split_once('='));
        pairs.into_iter().find(|(name, _)| *name == self.cookie).map(|(_, secret)| secret.to_owned())
    }

    /// Gives a session its name. Case makes no other person.
    pub(crate) fn name(&self, secret: &str, name: &str) -> Naming {
        let mut kept = self.kept();
        let is_reserved = kept.reserved.iter().any(|other| other.to_lowercase() == name.to_lowercase());
        let Some(session) = kept.sessions.get_mut(secret) else { return Naming::Fixed };
        if session.name.as_deref() == Some(name) {
            return Naming::Given;
        }
        if session.is_invited {
            return Naming::Fixed;
        }
        if is_reserved {
            return Naming::Taken;
        }
        session.name = Some(name.to_owned());
        if session.role == Role::Owner {
            kept.reserved.insert(name.to_owned());
        }
        Naming::Given
    }

    /// Ends a session.
    pub(crate) fn close(&self, secret: &str) {
        self.kept().sessions.remove(secret);
    }
}

/// Compares without telling by its time where two texts differ.
fn same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_one_session_and_a_shared_one_many() {
        let sessions = Sessions::new(80, Some("s".repeat(40)));
        let token = sessions.invite(Role::Owner, None).unwrap();
        let (cookie, session) = sessions.open(&token).unwrap().unwrap();
        assert_eq!(session.role, Role::Owner);
        assert!(sessions.open(&token).unwrap().is_none());
        assert!(sessions.open("").unwrap().is_none());
        for _ in 0..2 {
            assert_eq!(sessions.open(&"s".repeat(40)).unwrap().unwrap().1.role, Role::Labeller);
        }
        let sent = cookie.split(';').next().unwrap();
        assert!(sessions.find(Some(&format!("a=b; {sent}"))).is_some());
        assert!(sessions.find(Some(&sent.replace("labelwise-80", "labelwise-81"))).is_none());
        assert!(Sessions::new(80, None).find(Some(sent)).is_none(), "a new start knows no old cookie");
        let (secret, _) = sessions.find(Some(sent)).unwrap();
        sessions.close(&secret);
        assert!(sessions.find(Some(sent)).is_none());
    }

    #[test]
    fn names_are_printable_and_an_invited_one_stays() {
        assert_eq!(valid_name("  Ada L. "), Some("Ada L.".to_owned()));
        assert!(["", "  ", "a\nb", &"x".repeat(61)].into_iter().all(|name| valid_name(name).is_none()));
        let sessions = Sessions::new(80, None);
        let token = sessions.invite(Role::Labeller, Some("Ben".to_owned())).unwrap();
        let (cookie, _) = sessions.open(&token).unwrap().unwrap();
        let (secret, _) = sessions.find(Some(cookie.split(';').next().unwrap())).unwrap();
        assert_eq!(sessions.name(&secret, "Ben"), Naming::Given);
        assert_eq!(sessions.name(&secret, "Ada"), Naming::Fixed);
    }

    #[test]
    fn nobody_takes_the_name_of_an_invited_person_or_of_the_owner() {
        let sessions = Sessions::new(80, Some("s".repeat(40)));
        let enter = |token: &str| {
            let (cookie, _) = sessions.open(token).unwrap().unwrap();
            sessions.find(Some(cookie.split(';').next().unwrap())).unwrap().0
        };
        let owner = enter(&sessions.invite(Role::Owner, None).unwrap());
        sessions.invite(Role::Labeller, Some("Ben".to_owned())).unwrap();
        let other = enter(&"s".repeat(40));
        assert_eq!(sessions.name(&owner, "Ada"), Naming::Given);
        assert_eq!(sessions.name(&owner, "Ada"), Naming::Given);
        assert_eq!(sessions.name(&owner, "Ben"), Naming::Taken);
        assert_eq!(sessions.name(&other, "Ada"), Naming::Taken);
        assert_eq!(sessions.name(&other, "ben"), Naming::Taken);
        assert_eq!(sessions.name(&other, "Carl"), Naming::Given);
        // The same person in a second browser.
        assert_eq!(sessions.name(&enter(&"s".repeat(40)), "Carl"), Naming::Given);
    }
}
