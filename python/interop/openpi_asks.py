"""openpi's own client, from PyPI, talks to our server. Run by `cargo xtask interop`."""

import numpy as np
from openpi_client.websocket_client_policy import WebsocketClientPolicy

import longarm


def main():
    def policy(seen):
        if seen["prompt"] == "fail":
            raise RuntimeError("told to fail")
        mean = seen["observation/image"].mean()
        return np.full((5, 7), mean) + np.arange(5)[:, None] + seen["observation/state"][0]

    with longarm.PolicyServer(policy, port=0) as server:
        client = WebsocketClientPolicy("127.0.0.1", server.port)
        assert client.get_server_metadata()["conventions"]["action"]["gripper"] == "close-positive"
        random = np.random.default_rng(0)
        for _ in range(20):
            seen = {
                "observation/image": random.integers(0, 255, (224, 224, 3), np.uint8),
                "observation/state": random.normal(size=8),
                "prompt": "stack the blocks",
            }
            answer = client.infer(seen)
            assert np.array_equal(answer["actions"], policy(seen))
            assert answer["server_timing"]["infer_ms"] >= 0
        try:
            client.infer(seen | {"prompt": "fail"})
        except RuntimeError as e:
            assert "told to fail" in str(e)
        else:
            raise AssertionError("the client heard of no error")
        WebsocketClientPolicy("127.0.0.1", server.port).infer(seen)
    print(f"openpi-client with NumPy {np.__version__}: 20 answers, one error, one new connection")


if __name__ == "__main__":
    main()
