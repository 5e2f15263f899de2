import TestSupport
import Testing

/// `packaging/release` in its own tree, with a `make` that prints what it is asked for.
@Suite("The release script", .ownThread)
struct ReleaseTests {
    private static let prepare = """
        set -e
        cd "$0"
        tree=$(mktemp -d)
        trap 'rm -rf "$tree"' EXIT
        for file in CHANGELOG.md README.md SECURITY.md packaging/release packaging/timed \\
            packaging/debian/control Sources/Delivery/Verbs/Release.swift; do
            mkdir -p "$tree/$(dirname "$file")"
            cp "$file" "$tree/$file"
        done
        mkdir -p "$tree/fixtures" "$tree/docs"
        cp -r fixtures/contract "$tree/fixtures"
        cp docs/openapi.json "$tree/docs"
        cd "$tree"
        printf '#!/bin/sh\\necho "asked: $*"\\n' > make
        chmod +x make
        git init -q .
        git config user.name Tester
        git config user.email tester@example.com
        commit() { git add -A; git commit -q -m change; }
        commit
        release() { MAKE=./make packaging/release "$@" 2>&1 || echo "exit $?"; }

        """

    /// The output of the steps in such a tree.
    private func run(_ steps: String) throws -> String {
        let till = try Till()
        let shell = try ChildProcess(
            "/bin/bash", ["-c", Self.prepare + steps, Repository.root],
            environment: ["PATH": "/usr/bin:/bin"], folder: till.home)
        let ended = try shell.end()
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.output
    }

    @Test("A release gets its version and date, runs every check, and is not tagged")
    func whole() throws {
        let said = try run(
            """
            release 1.0.0
            git log -1 --format='%s'; git status --porcelain; git tag
            grep -h 'static let version' Sources/Delivery/Verbs/Release.swift
            grep -m 1 '^## ' CHANGELOG.md | sed "s/$(date -u +%F)/today/"
            grep -c 'been released yet' README.md || true
            grep 'main branch' SECURITY.md
            grep -rhoE '"version": *"[0-9.]+"' fixtures docs | sort -u
            """)
        // The fourth is for a Raspberry Pi.
        #expect(said.ranges(of: "asked: ").count == 4, "\(said)")
        for goal in ["check demo", "deb-check", "reproducible"] {
            #expect(said.contains("asked: --no-print-directory \(goal)"), "\(said)")
        }
        #expect(said.contains("git tag --sign --message 'tapcard 1.0.0' v1.0.0"), "\(said)")
        #expect(
            said.hasSuffix(
                """
                Release 1.0.0
                    package static let version = "1.0.0"
                ## 1.0.0, today
                0
                | 1.0 and the main branch | yes |
                "version": "1.0.0"
                "version":"1.0.0"

                """), "\(said)")
    }

    @Test("A release whose checks failed can be made again with the same version")
    func again() throws {
        let said = try run(
            """
            printf '#!/bin/sh\\nexit 3\\n' > make
            commit
            release 1.0.0 | tail -n 1
            printf '#!/bin/sh\\n' > make
            commit
            release 1.0.0 | tail -n 1
            git log --format=%s | sort | uniq -c
            """)
        #expect(said.contains("exit 3\n"), "\(said)")
        #expect(said.contains("The tree is ready."), "\(said)")
        #expect(said.contains("1 Release 1.0.0"), "\(said)")
    }

    @Test("A release that is not ready is refused and changes nothing")
    func refusals() throws {
        let said = try run(
            """
            release
            release 1.0
            echo change >> README.md
            release 1.0.0
            git checkout -q README.md
            git tag v1.2.0
            release 1.2.0
            release 1.1.9
            sed -i 's/^## .*, not yet released/## 1.3.0, 2026-01-02/' CHANGELOG.md
            commit
            release 1.4.0
            printf '# Changes\\n\\n## 1.4.0, not yet released\\n\\n### Added\\n' > CHANGELOG.md
            commit
            release 1.4.0
            git log --format=%s | sort | uniq -c; git status --porcelain
            """)
        let expected = [
            "name the version, such as: make release VERSION=1.0.0",
            "name the version, such as: make release VERSION=1.0.0",
            "commit your changes first, or put them away.",
            "v1.2.0 is tagged already: the next release has a higher number.",
            "v1.2.0 is tagged already: the next release has a higher number.",
            "CHANGELOG.md begins with \"## 1.3.0, 2026-01-02\", not with what is not yet released.",
            "CHANGELOG.md names no change under \"## 1.4.0, not yet released\".",
        ].map { "make release: \($0)\nexit 1\n" }.joined()
        #expect(said.hasPrefix(expected), "\(said)")
        #expect(said.hasSuffix("3 change\n"), "\(said)")
    }
}
