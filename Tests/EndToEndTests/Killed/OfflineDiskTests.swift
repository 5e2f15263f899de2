import Glibc
import TestSupport
import Testing

extension OfflineTests {
    @Test("A repeated offline payment is never called not taken, whatever fails on the disk")
    func repeatedOnFailingDisk() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("offline snapshot")
        issuer.server.kill()
        let line = "pay 4.50 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f61"
        try till.step(line)
        let watched = try KillSwitch(till.till, files: till.till.data)
        let again = till.till.words(of: "--ledger \(till.place) \(line)")
        let whole = try till.till.run(again, with: watched.variables(calls: "write,sync,rename"))
        #expect(whole.status == 0, "\(whole)")
        let calls = try watched.takeLog().counted
        #expect(calls > 2)
        for number in stride(from: 1, through: calls, by: 1) {
            let ended = try till.till.run(
                again,
                with: watched.variables(
                    .failOn(ENOSPC), at: number, calls: "write,sync,rename"))
            #expect(ended.status == 0 || ended.status == 6, "\(number): \(ended)")
            #expect(!ended.errors.contains("not taken"), "\(number): \(ended)")
        }
    }
}
