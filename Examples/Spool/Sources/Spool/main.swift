import TapcardTags

let reader = SimulatedReader(.fresh)
let bridge = TagBridge(reader: reader)

try await bridge.write([.url("https://example.com/spools/17"), .text("Filament, black")])
for record in try await bridge.read().records { print(record) }

await bridge.watch { event in
    guard case .arrived(let tag) = event else { return false }
    print("\(tag.kind) \(tag.uid) has \(tag.freeByteCount) free bytes")
    return (try? await reader.change { $0.take() }) != nil
}
