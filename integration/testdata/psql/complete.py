"""Presses the tab key in psql. Argument: psql's connection string; standard input: one
text a line. Prints what psql's line editor made of each."""

import os
import pty
import sys
import tempfile

PROMPT = "ready> "

with tempfile.NamedTemporaryFile("w", suffix=".inputrc") as settings:
    # No questions, no pages, no colours: all that could be meant at the first tab.
    settings.write("set show-all-if-ambiguous on\nset completion-query-items 0\nset page-completions off\n"
                   "set enable-bracketed-paste off\nset bell-style none\nset completion-display-width 0\n")
    settings.flush()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", INPUTRC=settings.name, PSQL_HISTORY="/dev/null", PAGER="", COLUMNS="200")
        os.execvp("psql", ["psql", "-X", "-q", "-v", f"PROMPT1={PROMPT}", sys.argv[1]])
    heard = b""

    def until(mark):
        global heard
        while mark not in heard:
            piece = os.read(terminal, 65536)
            if not piece:
                raise SystemExit(f"psql ended: {heard!r}")
            heard += piece
        before, _, heard = heard.partition(mark)
        return before.decode()

    for i, text in enumerate(sys.stdin.read().splitlines()):
        # A line of our own after it tells when psql is done; it is quoted, so that
        # its echo isn't taken for its output. Ctrl-U drops the text.
        os.write(terminal, f"\\echo 'begin' '{i}'\r".encode())
        until(f"begin {i}\r\n".encode())
        until(PROMPT.encode())  # from here on the line editor has the terminal
        os.write(terminal, text.encode() + b"\t\x15" + f"\\echo 'end' '{i}'\r".encode())
        screen = until(f"end {i}\r\n".encode()).replace("\a", "")
        lines = [line.strip() for line in screen.replace("\r", "\n").split("\n")]
        said = {line.removeprefix(PROMPT) for line in lines if "echo" not in line} - {"", text, PROMPT.strip()}
        print(f"[{text}]", *sorted(said), sep="\n")
    os.close(terminal)
