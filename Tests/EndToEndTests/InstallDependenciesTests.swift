import TestSupport
import Testing

/// `packaging/install-dependencies` with a played `apt-get`, and pauses that take no time.
@Suite("The install-dependencies script", .ownThread)
struct InstallDependenciesTests {
    private static let prepare = """
        set -eu
        cd "$(mktemp -d)"
        trap 'rm -rf "$PWD"' EXIT
        mkdir bin
        command() { printf '#!/bin/sh\\n%s\\n' "$2" > "bin/$1"; chmod +x "bin/$1"; }
        for name in swift sudo; do command "$name" 'exec "$@"'; done
        command dpkg-query 'exit 1'
        command id 'echo 0'
        command sleep 'echo "$1" >> pauses'
        locked='E: Could not get lock /var/lib/apt/lists/lock. It is held by process 47 (unattended-upgr)'
        install() {
            PATH="$PWD/bin:/usr/bin:/bin" "$0/packaging/install-dependencies" 2>&1 || echo "exit $?"
        }

        """

    private func run(_ steps: String) throws -> String {
        let till = try Till()
        let shell = try ChildProcess(
            "/bin/bash", ["-c", Self.prepare + steps, Repository.root],
            environment: ["PATH": "/usr/bin:/bin"], folder: till.home)
        let ended = try shell.end()
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.output
    }

    @Test("The script names the program that holds apt's lock, waits, and then installs")
    func waits() throws {
        let said = try run(
            """
            command apt-get "echo x >> tries
            [ \\$(wc -l < tries) -gt 3 ] || { echo '$locked' >&2; exit 100; }
            echo \\"apt-get \\$2\\""
            install; wc -l < pauses
            """)
        #expect(said.hasPrefix("Installing: libsqlite3-dev "), "\(said)")
        #expect(
            said.hasSuffix(
                """
                Waiting for unattended-upgr (process 47), which holds apt's lock. The installation \
                then continues by itself.
                apt-get update
                apt-get install
                3

                """), "\(said)")
    }

    @Test("The script gives up after 15 minutes and says what to do")
    func givesUp() throws {
        let said = try run(
            """
            command apt-get "echo '$locked' >&2; exit 100"
            install; wc -l < pauses
            """)
        #expect(
            said.hasSuffix(
                """
                After 15 minutes, unattended-upgr (process 47) still holds apt's lock, so nothing was \
                installed. Wait until it has finished, then run the same command again.
                exit 1
                179

                """), "\(said)")
    }

    @Test("Any other apt failure is passed on without waiting")
    func fails() throws {
        let said = try run(
            """
            command apt-get 'echo "E: No space left" >&2; exit 100'
            install; ls
            """)
        #expect(said.hasSuffix("E: No space left\nexit 1\nbin\n"), "\(said)")
    }
}
