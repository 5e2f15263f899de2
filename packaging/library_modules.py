"""The modules of the library products, with their symbol graphs, in seconds: no function body is
compiled. The check of comments, the pages and the comparison of interfaces are made from them."""

import json
import os
import subprocess
import sys

SWIFT = os.environ.get("SWIFT", "swift")
SWIFTC = f"{SWIFT}c"
# Products for this package alone: the fuzzer's targets, and what tests load.
OURS = {"FuzzTargets", "KillSwitch"}


class Modules:
    """The modules of the package at `root`, made below `folder`."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.graphs = f"{folder}/graphs"
        self.manifest = self._manifest()
        self.targets = {each["name"]: each for each in self.manifest["targets"]}
        self.products = {
            each["name"]: each["targets"] for each in self.manifest["products"]
            if "library" in each["type"] and each["name"] not in OURS}

    @property
    def public(self):
        """The modules of the products: what users import."""
        return [name for names in self.products.values() for name in names]

    def _manifest(self):
        # A folder of its own, because a build locks the other one.
        command = [SWIFT, "package", "--package-path", self.root,
                   "--scratch-path", f"{self.folder}/manifest", "dump-package"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def _imports(self, name):
        return [(each.get("byName") or each["target"])[0]
                for each in self.targets[name]["dependencies"]]

    def ordered(self):
        """The targets that users' modules need, each after those that it imports."""
        found = []

        def visit(name):
            for each in self._imports(name):
                visit(each)
            if name not in found:
                found.append(name)

        for name in self.public:
            visit(name)
        return found

    def _flags(self, name):
        flags = []
        for setting in self.targets[name].get("settings", []):
            kind = setting["kind"]
            if "swiftLanguageMode" in kind:
                flags += ["-swift-version", kind["swiftLanguageMode"]["_0"]]
            elif "enableUpcomingFeature" in kind:
                flags += ["-enable-upcoming-feature", kind["enableUpcomingFeature"]["_0"]]
        return flags

    def _path(self, name):
        return os.path.join(self.root, self.targets[name]["path"])

    def _is_c(self, name):
        return self.targets[name]["type"] == "system"

    def maps(self):
        """The flags that name the modules of the C libraries."""
        return [flag for name in self.ordered() if self._is_c(name)
                for flag in ("-Xcc", f"-fmodule-map-file={self._path(name)}/module.modulemap")]

    def make(self):
        os.makedirs(self.graphs, exist_ok=True)
        maps = self.maps()
        for name in self.ordered():
            if not self._is_c(name):
                self._emit(name, self._path(name), maps)

    def _emit(self, name, path, maps):
        sources = sorted(
            os.path.join(folder, file) for folder, _, files in os.walk(path)
            for file in files if file.endswith(".swift"))
        command = [
            SWIFTC, "-emit-module", "-emit-module-path", f"{self.folder}/{name}.swiftmodule",
            "-module-name", name, "-package-name", self.manifest["name"], "-parse-as-library",
            "-Xfrontend", "-experimental-skip-all-function-bodies", "-suppress-warnings", "-wmo",
            "-module-cache-path", f"{self.folder}/cache", "-I", self.folder]
        if name in self.public:
            command += [
                "-emit-symbol-graph", "-emit-symbol-graph-dir", self.graphs,
                "-symbol-graph-minimum-access-level", "public",
                "-symbol-graph-skip-synthesized-members"]
        result = subprocess.run(command + maps + self._flags(name) + sources)
        if result.returncode:
            sys.exit(f"the module {name} was not made")
