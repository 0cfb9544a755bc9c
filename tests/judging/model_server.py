"""A small real model behind an OpenAI-compatible server: ``python model_server.py MODEL``; ends with its input."""

from __future__ import annotations

import sys

import xllamacpp


def main(model: str) -> None:
    """Serve until there is no more input, on an address that is printed."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {"smollm2-135m"}
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 2
    # Threads that wait for each other lose all their time on a machine with other work.
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
