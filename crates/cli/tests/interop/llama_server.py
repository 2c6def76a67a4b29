"""Serve a model with llama.cpp's own server, as the package xllamacpp has it; say where."""

import sys
import threading

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.mmproj.path = sys.argv[1:]
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 16384, 1, 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
