//! Which addresses this server may be sent to: a submitter names the host, so nothing inside is reached
//! unless the administrator allows it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::str::FromStr;

/// A range of addresses: `10.1.0.0/16`, `::1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    base: IpAddr,
    bits: u8,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a range of addresses such as 10.1.0.0/16 or ::1");
        let (base, bits) = text.split_once('/').map_or((text, None), |(b, n)| (b, Some(n)));
        let base: IpAddr = base.parse().map_err(|_| wrong())?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if bits > most {
            return Err(wrong());
        }
        Ok(Self { base, bits })
    }
}

impl Range {
    fn holds(&self, ip: IpAddr) -> bool {
        let same = |a: u128, b: u128, width: u8| {
            let drop = u32::from(width - self.bits);
            a.checked_shr(drop).unwrap_or(0) == b.checked_shr(drop).unwrap_or(0)
        };
        match (self.base, ip) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                same(u128::from(u32::from(a)), u128::from(u32::from(b)), 32)
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => same(a.into(), b.into(), 128),
            _ => false,
        }
    }
}

/// Ranges that are not of the public internet (IANA's special-purpose registries).
const INSIDE_4: [(Ipv4Addr, u8); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// The addresses that are handed out to the public internet.
const OUTSIDE_6: Range =
    Range { base: IpAddr::V6(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0)), bits: 3 };

/// Of those: Teredo and other protocols, documentation, 6to4, documentation.
const INSIDE_6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(_) => {
            !INSIDE_4.iter().any(|&(base, bits)| Range { base: base.into(), bits }.holds(ip))
        }
        IpAddr::V6(_) => {
            OUTSIDE_6.holds(ip)
                && !INSIDE_6.iter().any(|&(base, bits)| Range { base: base.into(), bits }.holds(ip))
        }
    }
}

/// Whether a policy server may be at an address.
pub fn is_allowed(ip: IpAddr, allowed: &[Range]) -> bool {
    // What is one address in two notations is judged once.
    let ip = match ip {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
        v4 => v4,
    };
    is_public(ip) || allowed.iter().any(|r| r.holds(ip))
}

/// Look up a host, once, and return the address that will be asked from now on. All of its addresses must
/// be allowed: one that is not is a reason to distrust the name.
pub fn resolve(host: &str, port: u16, allowed: &[Range]) -> Result<IpAddr, String> {
    let found =
        (host, port).to_socket_addrs().map_err(|_| format!("the host {host:?} cannot be found"))?;
    let all: Vec<IpAddr> = found.map(|a| a.ip()).collect();
    if let Some(inside) = all.iter().find(|ip| !is_allowed(**ip, allowed)) {
        return Err(format!(
            "{host} is {inside}, which is not an address of the public internet; an administrator can allow \
             its range (longarm serve --allow-policies RANGE)"
        ));
    }
    all.first().copied().ok_or_else(|| format!("the host {host:?} has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inside_is_reached_unless_it_is_allowed() {
        let ip = |t: &str| t.parse::<IpAddr>().unwrap();
        for inside in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::7f00:1",
        ] {
            assert!(!is_allowed(ip(inside), &[]), "{inside}");
        }
        for outside in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2a00:1450::1", "2606:4700::1"] {
            assert!(is_allowed(ip(outside), &[]), "{outside}");
        }
        let lab: Vec<Range> = vec!["10.1.0.0/16".parse().unwrap(), "::1".parse().unwrap()];
        assert!(is_allowed(ip("10.1.2.3"), &lab) && is_allowed(ip("::1"), &lab));
        assert!(is_allowed(ip("::ffff:10.1.2.3"), &lab));
        assert!(!is_allowed(ip("10.2.0.1"), &lab) && !is_allowed(ip("::2"), &lab));
        let all: Range = "0.0.0.0/0".parse().unwrap();
        assert!(all.holds(ip("127.0.0.1")) && !all.holds(ip("::1")));
        for wrong in ["10.0.0.0/33", "10.0.0", "x", "::/129", "10.0.0.0/"] {
            assert!(wrong.parse::<Range>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_looked_up_and_judged_by_its_addresses() {
        assert!(resolve("localhost", 80, &[]).unwrap_err().contains("allow-policies"));
        let loopback = ["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()];
        assert!(resolve("localhost", 80, &loopback).is_ok());
        assert!(resolve("2130706433", 80, &[]).is_err(), "127.0.0.1 as one number");
        assert!(resolve("0x7f.1", 80, &[]).is_err());
    }
}
