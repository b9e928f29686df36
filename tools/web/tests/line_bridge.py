# SPDX-License-Identifier: BSD-2-Clause
#
# line_bridge.py SOCKET: a serial line for a page that has none: passes bytes between HTTP and a unix socket.
# GET waits up to 200 ms for bytes; status 204: none, 410: the line is gone. POST writes its body. Prints its port.
import http.server
import select
import socket
import sys

line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[1])


class Bridge(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body=b''):
        self.send_response(status)
        self.send_header('Access-Control-Allow-Origin', '*')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if not select.select([line], [], [], 0.2)[0]:
            return self.answer(204)
        body = line.recv(65536)
        self.answer(200 if body else 410, body)

    def do_POST(self):
        line.sendall(self.rfile.read(int(self.headers['Content-Length'])))
        self.answer(204)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Bridge)
print(server.server_port, flush=True)
server.serve_forever()
