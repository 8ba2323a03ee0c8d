"""The commands as a person types them."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from fieldnotes.cli import main


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_cli(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["--server", str(self.folder / "server.json"), *words])
        return code, out.getvalue(), err.getvalue()

    def test_add_and_list(self):
        self.assertEqual(self.run_cli("add", "--site", "A7", "--species", "Bufo bufo"), (0, "stored as N000001\n", ""))
        code, out, _ = self.run_cli("list")
        self.assertEqual((code, out.splitlines()[-1]), (0, "1 notes"))

    def test_fault_has_a_hint(self):
        code, _, err = self.run_cli("add", "--site", "Z1", "--species", "Bufo bufo")
        self.assertEqual(code, 1)
        self.assertEqual(err.splitlines()[1], "A letter from A to H and a number from 1 to 99, like A7.")

    def test_species(self):
        self.assertIn("natterjack toad", self.run_cli("species", "toad")[1])


if __name__ == "__main__":
    unittest.main()
