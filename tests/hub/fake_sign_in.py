"""The Hub's sign-in on the loopback: OpenID Connect's pages, where whoever comes agrees at once, under one account."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "space-client", "space-secret"
_KEY = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})


class FakeSignIn(ThreadingHTTPServer):
    """Signs everybody in as ``account``, with ``token``; ``asked`` counts who came to agree, with the scopes."""

    daemon_threads = True

    def __init__(self, account: str, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.account, self.token = account, token
        self.asked: list[str] = []
        self.nonces: dict[str, str | None] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> FakeSignIn:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: FakeSignIn

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        own, asked = self.server, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if asked.path == "/.well-known/openid-configuration":
            paths = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            ends = {f"{name}_endpoint": f"{own.url}/oauth/{path}" for name, path in paths.items()}
            algorithms = {"id_token_signing_alg_values_supported": ["RS256"]}
            self.tell({"issuer": own.url, "jwks_uri": f"{own.url}/keys", **ends, **algorithms})
        elif asked.path == "/keys":
            self.tell({"keys": [_KEY.as_dict(private=False)]})
        elif asked.path == "/oauth/authorize" and query.get("client_id") == CLIENT:
            own.asked.append(query["scope"])
            code = f"code-{len(own.asked)}"
            own.nonces[code] = query.get("nonce")
            back = query["redirect_uri"]
            to = f"{back}{'&' if '?' in back else '?'}{urlencode({'code': code, 'state': query['state']})}"
            self.send_response(302)
            self.send_header("Location", to)
            self.end_headers()
        else:
            self.tell({"error": "unknown"}, 404)

    def do_POST(self) -> None:
        own = self.server
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        code = sent.get("code", [""])[0]
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {basic}" or code not in own.nonces:
            self.tell({"error": "invalid_client"}, 401)
            return
        now = int(time.time())
        claims = {"iss": own.url, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 3600, "name": own.account}
        claims |= {"nonce": own.nonces.pop(code), "preferred_username": own.account, "profile": "", "picture": ""}
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, _KEY)
        token = {"access_token": own.token, "token_type": "bearer", "expires_in": 3600, "scope": own.asked[-1]}
        self.tell(token | {"id_token": signed})

    def tell(self, found: dict[str, Any], status: int = 200) -> None:
        content = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
