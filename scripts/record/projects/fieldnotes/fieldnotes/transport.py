"""How requests reach the server."""

import copy

from .errors import Conflict, Refused, Unreachable


class Transport:
    """Calls a Server object directly. `plan` is an iterable of booleans: may the next request get through?

    A lost answer is worse than a lost request: with `lose_answers` the server does the work and the client hears nothing.
    """

    def __init__(self, server, plan=None, lose_answers=False):
        self._server = server
        self._plan = iter(plan) if plan is not None else None
        self._lose_answers = lose_answers
        self.sent = 0
        self.log = []

    def send(self, request):
        """The body of the answer, or Unreachable, Conflict, Refused."""
        self.sent += 1
        through = True if self._plan is None else next(self._plan, True)
        if not through and not self._lose_answers:
            self.log.append((request["op"], "lost request"))
            raise Unreachable("no connection to the server")
        status, body = self._server.handle(copy.deepcopy(request))
        if not through:
            self.log.append((request["op"], f"lost answer {status}"))
            raise Unreachable("the server did not answer in time")
        self.log.append((request["op"], str(status)))
        if status == 409:
            raise Conflict(body["current"])
        if status >= 400:
            raise Refused(status, body["error"])
        return copy.deepcopy(body)
