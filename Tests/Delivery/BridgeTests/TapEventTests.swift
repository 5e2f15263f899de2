import Bridge
import Testing

@Suite("Events of a watch")
struct TapEventTests {
    @Test("The words of an event are those that docs/BRIDGE.md lists")
    func words() {
        #expect(TapEvent.Kind.allCases.map(\.rawValue) == ["arrived", "departed", "reader", "gap"])
        #expect(TapEvent.Trust.allCases.map(\.rawValue) == ["uid", "sealed", "proved"])
    }
}
