import Testing
import Verbs

@Suite("The readers of a watch")
struct WatchCommandTests {
    /// Ends the watch at the first event.
    private let failure = ProgramBench.Failures(output: OutputError("broken pipe"))
    private let names = ["ACS ACR122U PICC Interface 00 00", "HID OMNIKEY 5022 CL 01 00"]

    @Test("With --all-readers, every ready contactless reader is opened")
    func all() async throws {
        let others = ["Yubico YubiKey OTP+FIDO+CCID 02 00", "Alcor Micro AU9540 03 00"]
        let bench = try ProgramBench(smartCardReaders: names + others)
        _ = await bench.run(
            "watch --all-readers", failing: failure, ["TAPCARD_READER": "pcsc:unused"])
        for name in names { #expect(bench.opened.contains("pcsc:\(name)")) }
        #expect(bench.opened.count == names.count)
    }

    @Test("Without a ready reader, --all-readers starts no watch")
    func none() async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("watch --all-readers", ["TAPCARD_READER": "pcsc:unused"])
        #expect(ended.status == 5 && ended.text.contains("No usable NFC reader"), "\(ended.text)")
        #expect(bench.opened.count == 0)
    }

    @Test(
        "--all-readers cannot be used with --reader or a simulated reader",
        arguments: [(" --reader pcsc:ACR122U", "cannot be used with"), ("", "simulated")])
    func refused(_ option: String, _ reason: String) async throws {
        let bench = try ProgramBench(smartCardReaders: names)
        let ended = await bench.run("watch --all-readers" + option)
        #expect(ended.status == 2 && ended.text.contains(reason), "\(ended.text)")
        #expect(bench.opened.count == 0)
    }
}
