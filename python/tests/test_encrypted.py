"""A policy served over TLS by Python's own ssl, with a certificate made here."""

import ssl

import numpy as np
import pytest
import trustme

import longarm


def still(seen):
    return np.zeros((4, 7), np.float32)


@pytest.fixture
def authority(tmp_path):
    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "ca.pem")
    return made


def served(authority, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return longarm.PolicyServer(still, port=0, ssl=context)


def evaluate(server, task, tmp_path, ca="ca.pem"):
    policy = f"wss://localhost:{server.port}?retries=0&size=32&ca={tmp_path / ca}"
    return longarm.evaluate(policy, task, episodes=2, workers=2, max_steps=8)


def test_the_same_episodes(task, tmp_path, authority):
    with served(authority, "localhost") as server:
        over_tls = evaluate(server, task, tmp_path)
    with longarm.PolicyServer(still, port=0) as server:
        plain = longarm.evaluate(
            f"ws://localhost:{server.port}?size=32", task, episodes=2, max_steps=8
        )
    hashes = [[row["state_hash"] for row in r.rows] for r in (over_tls, plain)]
    assert hashes[0] == hashes[1]


def test_a_wrong_name_and_a_stranger(task, tmp_path, authority):
    wrong_name = pytest.raises(longarm.PolicyError, match=r"it is for gpu1 .*not for localhost")
    with served(authority, "gpu1") as server, wrong_name:
        evaluate(server, task, tmp_path)
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    stranger = pytest.raises(longarm.PolicyError, match="signed by nobody who is trusted here")
    with served(authority, "localhost") as server, stranger:
        evaluate(server, task, tmp_path, "other.pem")
