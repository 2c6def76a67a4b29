"""A Python policy as a server that speaks openpi's protocol."""

from __future__ import annotations

import itertools
import logging
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _websocket, _wire
from ._native import PolicyError

if TYPE_CHECKING:
    from ssl import SSLContext

    from typing_extensions import Self

Policy = Callable[[dict[str, Any]], Any]
Planner = Callable[[dict[str, Any]], Any]

PREFIX, PICTURE = "observation/", "observation/image/"
LOG = logging.getLogger("longarm")

CONVENTIONS = {
    "action": {
        "form": "ee-delta",
        "frame": "world",
        "rotation": "axis-angle",
        "gripper": "close-positive",
        "units": "normalized",
        "dims": 7,
    },
    "observation": {"image": "rgb-hwc-u8"},
}
"""What our own end-effector actions are; sent at the handshake, so that clients can tell."""


def as_evaluate(seen: dict[str, Any], episode: int) -> dict[str, Any]:
    """An observation as our own client sends it in the shape that :func:`longarm.evaluate` gives: arrays
    under the names of :class:`longarm.Env` with one row."""
    out: dict[str, Any] = {}
    for key, value in seen.items():
        if key.startswith(PICTURE):
            out.setdefault("pixels", {})[key.removeprefix(PICTURE)] = value[None]
        elif key.startswith(PREFIX):
            out[key.removeprefix(PREFIX)] = np.asarray(value, np.float32)[None]
    if not out or not {"prompt", "task", "step", "policy_seed"} <= seen.keys():
        raise ValueError(
            f"obs='longarm' takes what our own client sends; this one sent {sorted(seen)}. "
            "Serve with obs='openpi' to get it as it is"
        )
    return out | {
        "instruction": [seen["prompt"]],
        "task": [seen["task"]],
        "episode": np.array([episode]),
        "step": np.array([seen["step"]]),
        "policy_seed": np.array([seen["policy_seed"]], np.uint64),
    }


class _Episode:
    """What is asked on one connection: an episode, or several in turn."""

    def __init__(self, server: PolicyServer):
        self.server = server
        self.policy: Policy | None = None
        self.number = -1

    def infer(self, seen: Any) -> Any:
        """The policy's answer; the server's lock is held."""
        if not isinstance(seen, dict):
            raise TypeError(f"an observation is a dictionary, not a {type(seen).__name__}")
        # Our own client opens a connection for each episode; one that keeps it says so by the step.
        policy = self.policy
        if policy is None or seen.get("step") == 0:
            policy = self.begin()
        if self.server.obs == "openpi":
            return policy(seen | {"episode": self.number})
        answer = policy(as_evaluate(seen, self.number))
        return answer | {"actions": answer["actions"][0]} if isinstance(answer, dict) else answer[0]

    def begin(self) -> Policy:
        server = self.server
        self.number = next(server.numbers)
        made = server.policy if server.factory is None else server.factory()
        assert made is not None, "there is a policy or a factory"
        self.policy = made
        if callable(reset := getattr(made, "reset", None)):
            reset([self.number])
        return made


class PolicyServer:
    """A policy served on a port of this machine until it is closed.

    Episodes are served side by side, and each has its own connection. A policy that remembers must
    keep them apart: give ``factory``, which is called at the start of every episode and returns the
    policy for it, or let ``policy`` look at ``seen["episode"]``, a number of the episode's own; its
    method ``reset([episode])`` is called, if it has one, before the first observation.

    ``obs`` says in what shape observations are. ``openpi``: as the client sent them, one episode at a
    time (our default preset: arrays under ``observation/…``, ``prompt``, ``step``, ``task``,
    ``policy_seed``). ``longarm``: as :func:`longarm.evaluate` gives them to a callable, batches under the
    names of :class:`longarm.Env`, of one row here, so that the same policy serves for both.

    With ``ssl``, a context that has a certificate, clients connect to ``wss://HOST:PORT``.

    A policy that closes its hand for good once it has opened it ten times:

    >>> import longarm, numpy as np
    >>> class Shy:
    ...     def __init__(self):
    ...         self.opened = 0
    ...     def __call__(self, seen):
    ...         self.opened += 1
    ...         action = np.zeros(7, np.float32)
    ...         action[6] = -1 if self.opened <= 10 else 1
    ...         return action
    >>> with longarm.PolicyServer(factory=Shy, port=0) as server:
    ...     results = longarm.evaluate(
    ...         f"openpi:127.0.0.1:{server.port}", "longbench/stack-block", episodes=1, max_steps=3)
    >>> results.rows[0]["outcome"]
    'task_failure'
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        factory: Callable[[], Policy] | None = None,
        host: str = "127.0.0.1",
        port: int = 8000,
        metadata: dict[str, Any] | None = None,
        obs: str = "openpi",
        ssl: SSLContext | None = None,
    ):
        if obs not in ("openpi", "longarm"):
            raise PolicyError(f"no shape of observations {obs!r}; there are openpi, longarm")
        self.obs = obs
        if (policy is None) == (factory is None):
            raise TypeError("give either a policy or a factory of policies")
        self.policy, self.factory = policy, factory
        self.numbers = itertools.count()
        self.metadata = {"conventions": CONVENTIONS} if metadata is None else metadata
        # Policies are seldom safe to call from several threads at once.
        self.lock = threading.Lock()
        try:
            self._server = _Server((host, port), _Connection)
        except OSError as e:
            raise PolicyError(f"cannot listen on {host}:{port}: {e.strerror}") from e
        self._server.owner = self
        self._server.ssl = ssl
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port, also when 0 was asked for and the system chose."""
        return self._server.server_address[1]

    def infer(self, seen: dict[str, Any], episode: _Episode | None = None) -> dict[str, Any]:
        """One answer to one observation, the first of its episode unless that is given."""
        episode = episode or _Episode(self)
        with self.lock:
            started = time.perf_counter()
            answer = episode.infer(seen)
            took = (time.perf_counter() - started) * 1e3
        return self._reply(answer) | {"server_timing": {"infer_ms": took}}

    def _reply(self, answer: Any) -> dict[str, Any]:
        reply = dict(answer) if isinstance(answer, dict) else {"actions": answer}
        if "actions" not in reply:
            raise ValueError(f"the policy's answer has no 'actions', only {sorted(reply)}")
        actions = reply["actions"]
        if hasattr(actions, "detach"):
            actions = actions.detach().cpu()
        actions = np.asarray(actions)
        if not np.issubdtype(actions.dtype, np.floating):
            actions = actions.astype(np.float32)
        reply["actions"] = actions[None] if actions.ndim == 1 else actions
        return reply

    def serve(self) -> None:
        """Serves until interrupted."""
        try:
            self._server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            pass
        finally:
            self._server.server_close()

    def start(self) -> PolicyServer:
        """Serves in a thread of its own."""
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stops serving."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._thread = None
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve_policy(
    policy: Policy | None = None,
    *,
    factory: Callable[[], Policy] | None = None,
    host: str = "0.0.0.0",
    port: int = 8000,
    metadata: dict[str, Any] | None = None,
    obs: str = "openpi",
    ssl: SSLContext | None = None,
) -> None:
    """Serves a policy until interrupted: ``longarm eval TASK --policy openpi:HOST:PORT`` asks it, as
    does every other client of openpi.

    ``policy`` gets the observation as openpi's client sent it (our default preset: arrays under
    ``observation/…``, ``prompt``, ``step``, ``task``, ``policy_seed``) and returns an action (A,), a
    chunk of them (K, A), or a dictionary with ``actions``. With ``obs="longarm"`` it is called as
    :func:`longarm.evaluate` calls it and returns (1, A) or (1, K, A). When it raises, the client is told
    why, with the traceback, the log ``longarm`` has it here, and the next one is served.

    Observations of several episodes arrive in turn. For a policy that remembers, give ``factory``
    instead: it is called once for every episode. ``ssl`` is a context with a certificate, for clients at
    ``wss://HOST:PORT``. See :class:`PolicyServer`.
    """
    server = PolicyServer(
        policy, factory=factory, host=host, port=port, metadata=metadata, obs=obs, ssl=ssl
    )
    print(f"serving on {'wss://' if ssl else ''}{host}:{server.port}", flush=True)
    server.serve()


class PlannerServer(PolicyServer):
    """A planner served on a port of this machine until it is closed: the part of an agent that says what to do
    next (``[planner]``, ``kind = "socket"``, ``server = "ws://HOST:PORT"``).

    ``plan`` gets a question and returns a sentence, or ``None`` once all is done; or a dictionary with ``subtask``
    and, for an agent with a keyframe bank, ``keyframes``: steps of those recent frames that are worth keeping.
    A question is a dictionary with ``instruction``, ``step``, ``report`` and ``said`` (sentences), ``failed`` (why
    the last step was not done, or ``None``), ``pictures`` (arrays by camera), ``keyframes`` and ``recent`` (frames
    with ``step``, ``note``, ``pictures``), and ``episode``, a number of the episode's own.

    >>> import longarm
    >>> def plan(question):
    ...     return "pick up the red block and place it on the top left area" if question["step"] < 1 else None
    >>> with longarm.PlannerServer(plan, port=0) as server:
    ...     print(server.infer({"instruction": "Tidy up.", "step": 0})["subtask"])
    pick up the red block and place it on the top left area
    """

    def __init__(
        self,
        plan: Planner | None = None,
        *,
        factory: Callable[[], Planner] | None = None,
        host: str = "127.0.0.1",
        port: int = 8001,
        ssl: SSLContext | None = None,
    ):
        super().__init__(plan, factory=factory, host=host, port=port, metadata={}, ssl=ssl)

    def _reply(self, answer: Any) -> dict[str, Any]:
        reply = dict(answer) if isinstance(answer, dict) else {"subtask": answer}
        subtask = reply.get("subtask", 0)
        if subtask is not None and not isinstance(subtask, str):
            raise ValueError(
                "a planner answers with a sentence, None, or a dictionary with 'subtask'"
            )
        if "keyframes" in reply:
            reply["keyframes"] = [int(step) for step in reply["keyframes"]]
        return reply


def serve_planner(
    plan: Planner | None = None,
    *,
    factory: Callable[[], Planner] | None = None,
    host: str = "0.0.0.0",
    port: int = 8001,
    ssl: SSLContext | None = None,
) -> None:
    """Serves a planner until interrupted; see :class:`PlannerServer`."""
    server = PlannerServer(plan, factory=factory, host=host, port=port, ssl=ssl)
    print(f"serving on {'wss' if ssl else 'ws'}://{host}:{server.port}", flush=True)
    server.serve()


class _Server(_websocket.Server):
    owner: PolicyServer
    ssl: SSLContext | None

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.ssl is None:
            super().finish_request(request, client_address)
            return
        # In the connection's own thread, so that a slow handshake keeps nobody waiting.
        try:
            secured = self.ssl.wrap_socket(request, server_side=True)
        except OSError as e:
            LOG.warning("%s: no encrypted connection: %s", client_address[0], e)
            return
        with secured:
            super().finish_request(secured, client_address)


class _Connection(_websocket.Connection):
    server: _Server

    def handle(self) -> None:
        self.episode = _Episode(self.server.owner)
        try:
            if self.greet():
                self.send(_websocket.BINARY, _wire.pack(self.server.owner.metadata))
                while (said := self.message()) is not None:
                    self._answer(said[1])
        except (EOFError, ConnectionError, _wire.WireError):
            pass  # The client is gone, or was never one.

    def _answer(self, message: bytes) -> None:
        try:
            reply = _wire.pack(self.server.owner.infer(_wire.unpack(message), self.episode))
        except Exception:
            LOG.exception("the policy raised; its client is told")
            # As openpi's server does: the traceback as text, then the end.
            self.send(_websocket.TEXT, traceback.format_exc().encode())
            said = b"Internal server error. Traceback included in previous frame."
            self.send(_websocket.CLOSE, (1011).to_bytes(2, "big") + said)
            raise EOFError from None
        self.send(_websocket.BINARY, reply)
