# SPDX-License-Identifier: BSD-2-Clause
"""Run files for scripts that read samples and packets, which a run file has folded."""
import os
import sqlite3
import subprocess
import tempfile


def connect(run):
    """Opens a fleet of this run. Its BLOBs are plain; the file stays until the connection ends."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "plain.db")
        subprocess.run([os.environ.get("TARE", "build/tare"), "db", "add", name, run], check=True,
                       stdout=subprocess.DEVNULL)
        db = sqlite3.connect(name)
        db.execute("SELECT count(*) FROM fleet").fetchone()
        return db
