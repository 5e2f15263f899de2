import Glibc

// Agents in one process, for Benchmarks/tills.py. Each line of the input is an agent's server and
// its token.
await withTaskGroup(of: Void.self) { group in
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        group.addTask {
            await TillMachine(server: words[0], token: words[1]).run()
            exit(EXIT_FAILURE)
        }
    }
}
