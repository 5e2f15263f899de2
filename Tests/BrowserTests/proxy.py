"""A link between a browser and its server that can be cut."""

import socket
import threading


class Proxy:
    """Listens at 127.0.0.1 for a server at 127.0.0.2, on the same port."""

    def __init__(self, port):
        self.server = ("127.0.0.2", port)
        self.keeps_streams_away = False
        self.browsers = []
        self.ends = []
        self.door = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._let_in, daemon=True).start()

    def cut(self):
        """Closes the browser's connections without telling the server, as a lost network does."""
        while self.browsers:
            self._shut(self.browsers.pop())

    def close(self):
        for end in [self.door, *self.ends]:
            self._shut(end)
            end.close()

    def _let_in(self):
        while True:
            try:
                browser, _ = self.door.accept()
                server = socket.create_connection(self.server)
            except OSError:
                return
            self.browsers.append(browser)
            self.ends += [browser, server]
            for ends in ((browser, server), (server, browser)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                if self.keeps_streams_away and data.startswith(b"GET /api/v1/events"):
                    self._shut(source)
                    return
                sink.sendall(data)
        except OSError:
            pass

    def _shut(self, end):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
