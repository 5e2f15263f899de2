import Tags
import Testing
import TextCodecs
import Verbs

@Suite("Tap events")
struct TapEventTests {
    @Test("An event never contains a Wi-Fi password, even if its record cannot be decoded")
    func passwords() throws {
        let wifi = WiFiNetwork(name: "Shop", password: "opensesame", security: .wpa).record
        let digits = Hexadecimal.encode(Array("opensesame".utf8))
        let poster = NDEFRecord(
            format: .wellKnown, type: Array("Sp".utf8), payload: try NDEFMessage([wifi]).encoded())
        var stray = wifi
        stray.payload.append(0)
        for record in [wifi, stray, poster] {
            let message = try NDEFMessage([record]).encoded()
            let text = SampleEvents().arrival(message: message).document.text
            #expect(!text.contains("opensesame") && !text.contains(digits), "\(text)")
        }
        let other = try NDEFMessage([.media("a/b", [1, 2])]).encoded()
        #expect(SampleEvents().arrival(message: other).document.text.contains(#""bytes":"0102""#))
    }
}
