"""A kubelet that answers every call with an error: as much of HTTP/2 as that takes."""

import socketserver
import struct
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
ACKNOWLEDGED = END_OF_STREAM = 1
END_OF_HEADERS = 4


def frame(kind, flags, stream, content=b""):
    return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content


def literal(name, value):
    """A header that is spelt out: of HPACK the simplest form."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


INDEXED_STATUS_200 = b"\x88"
REFUSAL = (
    INDEXED_STATUS_200
    + literal(b"content-type", b"application/grpc")
    + literal(b"grpc-status", b"2")
    + literal(b"grpc-message", b"not today")
)


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        if self.rfile.read(len(PREFACE)) != PREFACE:
            return
        self.wfile.write(frame(SETTINGS, 0, 0))
        while len(head := self.rfile.read(9)) == 9:
            length = int.from_bytes(head[:3], "big")
            kind, flags, stream = struct.unpack(">BBI", head[3:])
            content = self.rfile.read(length)
            if kind in (SETTINGS, PING) and not flags & ACKNOWLEDGED:
                echo = content if kind == PING else b""
                self.wfile.write(frame(kind, ACKNOWLEDGED, 0, echo))
            elif kind in (DATA, HEADERS) and flags & END_OF_STREAM:
                self.wfile.write(frame(HEADERS, END_OF_HEADERS | END_OF_STREAM, stream, REFUSAL))


class RefusingKubelet(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, directory):
        super().__init__(str(directory / "kubelet.sock"), Connection)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1})
        self._thread.start()

    def close(self):
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, *_):
        """Somebody hung up."""
