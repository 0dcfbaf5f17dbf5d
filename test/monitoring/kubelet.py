"""A kubelet that gives the same answer to each call, with a minimum of HTTP/2."""

import pathlib
import socketserver
import struct
import tempfile
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING = 0, 1, 4, 6
ACKNOWLEDGED = END_OF_STREAM = 1
END_OF_HEADERS = 4


def frame(kind, flags, stream, content=b""):
    return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content


def literal(name, value):
    """A literal header: the simplest form of HPACK."""
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
                self.wfile.write(self.server.answer(stream))


class Kubelet(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path):
        super().__init__(str(path), Connection)
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1})
        self._thread.start()

    def close(self):
        self.shutdown()
        self._thread.join()
        self.server_close()

    def handle_error(self, *_):
        """Ignores errors: a client has disconnected."""


class RefusingKubelet(Kubelet):
    def __init__(self, directory):
        super().__init__(directory / "kubelet.sock")

    @staticmethod
    def answer(stream):
        return frame(HEADERS, END_OF_HEADERS | END_OF_STREAM, stream, REFUSAL)


def field(number, content):
    """A field of a protobuf message: a text, or a message."""
    content = content if isinstance(content, bytes) else content.encode()
    return bytes([number << 3 | 2, len(content)]) + content


class PodResources(Kubelet):
    """A PodResources socket that reports a container with these devices."""

    def __init__(self, namespace, pod, container, resource, devices):
        self._directory = tempfile.TemporaryDirectory(prefix="pb-", dir="/tmp")
        self.path = str(pathlib.Path(self._directory.name) / "kubelet.sock")
        held = field(1, resource) + b"".join(field(2, device) for device in devices)
        self._list = field(
            1, field(1, pod) + field(2, namespace) + field(3, field(1, container) + field(2, held))
        )
        super().__init__(self.path)

    def answer(self, stream):
        head = INDEXED_STATUS_200 + literal(b"content-type", b"application/grpc")
        message = b"\0" + struct.pack(">I", len(self._list)) + self._list
        return (
            frame(HEADERS, END_OF_HEADERS, stream, head)
            + frame(DATA, 0, stream, message)
            + frame(HEADERS, END_OF_HEADERS | END_OF_STREAM, stream, literal(b"grpc-status", b"0"))
        )

    def close(self):
        super().close()
        self._directory.cleanup()
