//! What the process that runs a model may do: compute, read questions, write answers.

use std::collections::BTreeMap;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter_all_threads};

/// System calls that are let through. None opens anything, sends anything or starts anybody; whatever else
/// is asked for is refused as not permitted.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_prlimit64,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Give up everything but computing, in all threads; the limit of memory counts from what there is now.
pub(crate) fn enter(memory_mb: u64) -> Result<(), String> {
    let limit = |what, bytes| {
        let both = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        setrlimit(what, both).map_err(|e| format!("a limit cannot be set: {e}"))
    };
    let pages = std::fs::read_to_string("/proc/self/statm").map_err(|e| e.to_string())?;
    let pages = pages.split(' ').next().and_then(|n| n.parse::<u64>().ok());
    let used = pages.ok_or("/proc/self/statm makes no sense")? * rustix::param::page_size() as u64;
    limit(Resource::Core, 0)?;
    limit(Resource::As, used.saturating_add(memory_mb << 20))?;
    let arch: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|e| format!("no sandbox here: {e}"))?;
    let rules: BTreeMap<i64, Vec<_>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch);
    let filter: BpfProgram =
        filter.and_then(TryInto::try_into).map_err(|e| format!("no sandbox: {e}"))?;
    apply_filter_all_threads(&filter).map_err(|e| format!("no sandbox: {e}"))
}

/// Allow some more seconds of processor time from now on; the system ends this process after them.
pub(crate) fn allow(cpu_seconds: u64) -> Result<(), String> {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    let until = used.tv_sec.unsigned_abs() + 1 + cpu_seconds;
    setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None })
        .map_err(|e| format!("the limit of processor time cannot be set: {e}"))
}
